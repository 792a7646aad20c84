// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU TCG plugin: feeds the models of model.h with what the guest's kernel does, and
 * writes one record for each pass of the benchmark module, which executes a marker
 * (bench_markers.h) before and after it. User space is neither counted nor modelled.
 *
 *	-plugin cachemodel.so,out=FILE[,l1d=32k:8][,l2=1m:16][,...]   (model_configure())
 *
 * Caches are looked up by physical, TLBs by virtual address. The models start with the first
 * begin marker ever, empty, and then see every access, so that a pass finds what the
 * warm-up before it left; counted is between begin and end only. The first pass after boot is
 * cold: the reader of the records should not use it.
 *
 * Contexts: callbacks of one emulated CPU, so nothing is locked; more are refused.
 */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "qemu_plugin.h"

#define KERNEL_HALF	(1UL << 63)

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct model model;
static FILE *records;
static const char *records_name;
static bool started;			/* a begin marker was seen: the models run */
static unsigned long executed;		/* instructions of the kernel, ever */
static unsigned long locked;		/* atomic ones of them */
static unsigned long first_executed, first_locked;	/* at the last begin */
static unsigned long sequence;

/* --- While the guest runs ---------------------------------------------------- */

static void on_access(unsigned int cpu, unsigned int info, unsigned long vaddr, void *data)
{
	struct qemu_plugin_hwaddr *addr;

	if (!started)
		return;
	addr = qemu_plugin_get_hwaddr(info, vaddr);
	/* Registers of devices are not cached. */
	if (!addr || qemu_plugin_hwaddr_is_io(addr))
		return;
	model_access(&model, vaddr, qemu_plugin_hwaddr_phys_addr(addr),
		     1U << qemu_plugin_mem_size_shift(info), qemu_plugin_mem_is_store(info));
}

static void on_begin(unsigned int cpu, void *data)
{
	started = true;
	first_executed = executed;
	first_locked = locked;
	model_begin(&model);
}

static void on_end(unsigned int cpu, void *data)
{
	const struct model_counts *c = &model.counts;

	if (!model.counting)
		return;
	model.counting = false;
	/* Of the two markers one is in the difference. */
	fprintf(records, "%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\n",
		sequence++, executed - first_executed - 1, c->loads, c->stores,
		locked - first_locked, c->l1d, c->l2, c->dtlb, c->stlb,
		model.lines.count, model.lines_written.count, model.pages.count);
	fflush(records);
}

/* --- While it is translated -------------------------------------------------- */

static void add_marker(struct qemu_plugin_insn *insn, enum model_marker marker)
{
	if (marker == MODEL_BEGIN)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	else if (marker == MODEL_END)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_end, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
}

static void on_translated(unsigned long id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	if (qemu_plugin_tb_vaddr(tb) < KERNEL_HALF)
		return;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const void *code = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);

		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &executed, 1);
		if (model_is_locked(code, size))
			qemu_plugin_register_vcpu_insn_exec_inline(insn,
								   QEMU_PLUGIN_INLINE_ADD_U64,
								   &locked, 1);
		add_marker(insn, model_marker_of(code, size));
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* --- Set-up ------------------------------------------------------------------ */

static void describe(const char *name, const struct model_cache *c)
{
	fprintf(records, "# %s: %lu sets of %u\n", name, c->sets, c->ways);
}

static void write_head(void)
{
	fprintf(records, "# allocsite cachemodel - version: 1\n");
	describe("l1d", &model.l1d);
	describe("l2", &model.l2);
	describe("dtlb", &model.dtlb);
	describe("dtlb_large", &model.dtlb_large);
	describe("stlb", &model.stlb);
	fprintf(records, "sequence\tinstructions\tloads\tstores\tlocked\tl1d_misses\tl2_misses\t"
		"dtlb_misses\tstlb_misses\tlines\tlines_written\tpages\n");
	fflush(records);
}

static bool take_argument(const char *argument)
{
	if (!strncmp(argument, "out=", 4)) {
		records_name = argument + 4;
		return true;
	}
	return model_configure(&model, argument);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(unsigned long id, const struct qemu_info *info,
					   int argc, char **argv)
{
	int i;

	if (!info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    info->system.max_vcpus != 1) {
		fprintf(stderr, "cachemodel: only for a system of one x86-64 CPU\n");
		return -1;
	}
	if (!model_init(&model))
		return -1;
	for (i = 0; i < argc; i++)
		if (!take_argument(argv[i])) {
			fprintf(stderr, "cachemodel: cannot use '%s'\n", argv[i]);
			return -1;
		}
	records = records_name ? fopen(records_name, "w") : NULL;
	if (!records) {
		fprintf(stderr, "cachemodel: out=FILE is missing or cannot be written\n");
		return -1;
	}
	write_head();
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	return 0;
}
