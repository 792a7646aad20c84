// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_wrap: calls of allocators at the bottom of a chain of calls, all in
 * wrap_deep(). A tracker that is told to pass that function must go as many
 * frames up to find the caller, or give up and say so.
 *
 * Task context, under wrap_lock. Invariant: what was got is on the list of its
 * kind, or could not be had.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "wrap.h"

#define DEEP_CACHE_NAME	"asite_wrap_deep"
#define DEEP_CACHE_SIZE	216
/* Of each kind at most; a chain must fit on a stack. */
#define DEEP_OBJECTS	256
#define DEEP_CALLS	100

enum deep_kind {
	DEEP_KMALLOC,
	DEEP_KMEM_CACHE,
	DEEP_PAGE,
	DEEP_VMALLOC,
	DEEP_PERCPU,
	DEEP_KINDS
};

static struct kmem_cache *deep_cache;
static void *deep_objs[DEEP_KINDS][DEEP_OBJECTS];
static unsigned int deep_nr[DEEP_KINDS];

static __always_inline void *deep_get(enum deep_kind kind)
{
	switch (kind) {
	case DEEP_KMALLOC:
		return kmalloc(3000, GFP_KERNEL);
	case DEEP_KMEM_CACHE:
		return kmem_cache_alloc(deep_cache, GFP_KERNEL);
	case DEEP_PAGE:
		return alloc_pages(GFP_KERNEL, 1);
	case DEEP_VMALLOC:
		return vmalloc(3 * PAGE_SIZE);
	default:
		return (void *)(__force uintptr_t)__alloc_percpu(200, 8);
	}
}

static void deep_put(enum deep_kind kind, void *p)
{
	switch (kind) {
	case DEEP_KMALLOC:
		return kfree(p);
	case DEEP_KMEM_CACHE:
		return kmem_cache_free(deep_cache, p);
	case DEEP_PAGE:
		return __free_pages(p, 1);
	case DEEP_VMALLOC:
		return vfree(p);
	default:
		return free_percpu((void __percpu *)(__force uintptr_t)p);
	}
}

/* As many frames as @calls says: neither a loop nor a tail call may come of it. */
static noinline __noclone void *wrap_deep(unsigned int calls, enum deep_kind kind)
{
	void *p = calls > 1 ? wrap_deep(calls - 1, kind) : deep_get(kind);

	barrier();
	return p;
}

static noinline __noclone void *wrap_deep_caller(unsigned int calls, enum deep_kind kind)
{
	void *p = wrap_deep(calls, kind);

	barrier();
	return p;
}

int wrap_deep_alloc(unsigned int nr, unsigned int calls)
{
	unsigned int kind, i;
	void *p;

	if (calls < 1 || calls > DEEP_CALLS)
		return -EINVAL;
	for (kind = 0; kind < DEEP_KINDS; kind++) {
		if (nr > DEEP_OBJECTS - deep_nr[kind])
			return -ENOSPC;
		for (i = 0; i < nr; i++) {
			p = wrap_deep_caller(calls, kind);
			if (!p)
				return -ENOMEM;
			deep_objs[kind][deep_nr[kind]++] = p;
		}
	}
	return 0;
}

void wrap_deep_free(void)
{
	unsigned int kind;

	for (kind = 0; kind < DEEP_KINDS; kind++) {
		while (deep_nr[kind])
			deep_put(kind, deep_objs[kind][--deep_nr[kind]]);
	}
}

void wrap_deep_status(struct seq_file *m)
{
	seq_printf(m, "deep %u\n", deep_nr[DEEP_PERCPU]);
}

int wrap_deep_init(void)
{
	/* With a region for user copies, so that it is merged with no other. */
	deep_cache = kmem_cache_create_usercopy(DEEP_CACHE_NAME, DEEP_CACHE_SIZE, 8, 0, 0, 8, NULL);
	return deep_cache ? 0 : -ENOMEM;
}

void wrap_deep_exit(void)
{
	wrap_deep_free();
	kmem_cache_destroy(deep_cache);
}
