// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only file that looks up kernel symbols.
 *
 * Context: task.
 */
#include <linux/kprobes.h>

#include <allocsite/ksyms.h>

unsigned long asite_ksyms_address(const char *name)
{
	struct kprobe kp = { .symbol_name = name };
	unsigned long address;

	if (register_kprobe(&kp))
		return 0;
	address = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return address;
}
