// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_oracle: the call site of an event, by the kernel's own unwinder and the names of
 * allocsite's wrapper set. The names say what a call site is; how allocsite gets to it (steps
 * that it learns and keeps) is not used here, so that a wrong step shows as a site without a
 * tag.
 *
 * Contexts: any, NMI included. An entry of known[] is one word: an address and its class.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include <allocsite/wrapper_names.h>

#include "oracle.h"
#include "oracle_page.h"

#define DEPTH		32
#define KNOWN_BITS	12

struct name {
	const char *name;
	enum asite_class class;
};

#define NAME(symbol, class_)	{ #symbol, ASITE_CLASS_##class_ },
static const struct name names[] = { ASITE_WRAPPERS(NAME) };

/* The low half of an address, all of which lie in 2 GiB, above its class; 0: free. */
static u64 known[1U << KNOWN_BITS];

static enum asite_class ask(unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN];
	int i;

	/* A call may be a function's last instruction. */
	sprint_symbol(symbol, address - 1);
	if (strstarts(symbol, "__traceiter_") || strstarts(symbol, "asite_tramp_"))
		return ASITE_CLASS_INTERNAL;
	symbol[strcspn(symbol, "+.")] = '\0';
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(symbol, names[i].name))
			return names[i].class;
	return ASITE_CLASS_CALLER;
}

static enum asite_class class_of(unsigned long address)
{
	u64 *at = &known[hash_long(address, KNOWN_BITS)], word = READ_ONCE(*at);
	enum asite_class class;

	if (word && word >> 32 == (u32)address)
		return (u32)word;
	class = ask(address);
	WRITE_ONCE(*at, (u64)address << 32 | class);
	return class;
}

void oracle_walk_forget(void)
{
	memset(known, 0, sizeof(known));
}

bool oracle_walk_is_wrapper(unsigned long address)
{
	enum asite_class class = class_of(address);

	return class == ASITE_CLASS_INTERNAL || class == ASITE_CLASS_VMALLOC_PAGES;
}

void oracle_walk(unsigned long from, struct oracle_end *end)
{
	unsigned long entries[DEPTH];
	unsigned int nr = stack_trace_save(entries, DEPTH, 0), i = 0;
	enum asite_class class;

	end->site = 0;
	while (i < nr && entries[i] != from)
		i++;
	for (; i < nr; i++) {
		class = class_of(entries[i]);
		if (class == ASITE_CLASS_INTERNAL)
			continue;
		if (!end->site) {
			end->site = entries[i];
			end->class = class;
		}
		if (class != ASITE_CLASS_VMALLOC_PAGES) {
			end->object = entries[i];
			return;
		}
	}
	atomic_long_inc(&oracle_lost);
	end->site = from;
	end->class = ASITE_CLASS_CALLER;
	end->object = from;
}
