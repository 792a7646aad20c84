/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's plugin interface that cachemodel.c uses: version 1 of the
 * interface, as QEMU 6.0 to 8.2 have it and as documented in "QEMU TCG Plugins"
 * (docs/devel/tcg-plugins.rst) of QEMU 7.2. Debian 12 has that QEMU, and no package
 * with the header. Binary layout and values are QEMU's, the names of types ours.
 *
 * Not here: what the model does not need. QEMU refuses a plugin whose
 * qemu_plugin_version it does not know, so another interface is an error at start,
 * not a wrong call.
 */
#ifndef ALLOCSITE_BENCH_QEMU_PLUGIN_H
#define ALLOCSITE_BENCH_QEMU_PLUGIN_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#define QEMU_PLUGIN_VERSION	1

/* What QEMU looks up by name; all else is built hidden. */
#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))

/* QEMU's uint64_t is this on the hosts that the model is for. */
static_assert(sizeof(unsigned long) == 8, "a host with 64 bits");

/* What QEMU tells about itself. */
struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

struct qemu_plugin_tb;		/* a block that is being translated */
struct qemu_plugin_insn;	/* an instruction in it; both are valid in the callback only */
struct qemu_plugin_hwaddr;	/* valid until the next qemu_plugin_get_hwaddr() */

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};

extern int qemu_plugin_version;
int qemu_plugin_install(unsigned long id, const struct qemu_info *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(unsigned long id,
					   void (*cb)(unsigned long id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *where,
						unsigned long by);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int cpu, unsigned int info,
						 unsigned long vaddr, void *data),
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
unsigned long qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

unsigned int qemu_plugin_mem_size_shift(unsigned int info);
bool qemu_plugin_mem_is_store(unsigned int info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(unsigned int info, unsigned long vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *addr);
unsigned long qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *addr);

#endif /* ALLOCSITE_BENCH_QEMU_PLUGIN_H */
