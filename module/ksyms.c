// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only file that looks up kernel symbols.
 *
 * Context: task.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <allocsite/ksyms.h>

unsigned long asite_ksyms_address(const char *name)
{
	/* Disabled: nothing is patched. */
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	unsigned long address;

	if (register_kprobe(&kp))
		return 0;
	address = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return address;
}

/* "name+offset/size": the ends of the symbol around an address. False: none, or a module's. */
static bool symbol_at(unsigned long address, char *symbol, unsigned long *start, unsigned long *end)
{
	unsigned long offset, size;
	char *plus;

	sprint_symbol(symbol, address);
	plus = strrchr(symbol, '+');
	if (!plus || strchr(plus, '[') || sscanf(plus, "+%lx/%lx", &offset, &size) != 2 || !size)
		return false;
	*plus = '\0';
	*start = address - offset;
	*end = *start + size;
	return true;
}

/* From one symbol to the next, up or down. @cut: without the compiler's suffixes. */
static unsigned int count_from(unsigned long address, bool up, const char *name, bool cut)
{
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long start, end;
	unsigned int n = 0;

	while (symbol_at(address, symbol, &start, &end)) {
		if (cut)
			symbol[strcspn(symbol, ".")] = '\0';
		n += !strcmp(symbol, name);
		address = up ? end : start - 1;
		cond_resched();
	}
	return n;
}

unsigned int asite_ksyms_count(const char *name)
{
	unsigned long address = (unsigned long)kfree;
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long start, end;
	unsigned int n = 0, cut;

	if (!symbol_at(address, symbol, &start, &end))
		return 0;
	/* A function may be there with a suffix only. */
	for (cut = 0; !n && cut < 2; cut++)
		n = count_from(start, true, name, cut) + count_from(start - 1, false, name, cut);
	return n ?: !!asite_ksyms_address(name);
}
