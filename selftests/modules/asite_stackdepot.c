// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_stackdepot: what the kernel's own means for stacks cost. Each slab allocation's stack is
 * taken by stack_trace_save() and kept in the kernel's depot by stack_depot_save(), which
 * page_owner and KASAN do too; what they do beside that is not here. Its probes on frees are
 * empty.
 *
 * Where: after CONFIG_STACKDEPOT, kernels from 6.1.
 *
 * Context: probes run in any; they hold nothing. What the depot keeps stays until reboot.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/stackdepot.h>
#include <linux/stacktrace.h>

#include "count_trace.h"

#define MAX_FRAMES	64

static unsigned int frames = 16;
module_param(frames, uint, 0444);
MODULE_PARM_DESC(frames, "frames of a stack, from the allocation's caller on, 1 to 64 (16)");

/* Without the probe's own frames and the allocator's: the first that is kept is its caller's. */
static noinline void save(const void *ptr)
{
	unsigned long entries[MAX_FRAMES];
	unsigned int nr;

	if (!ptr)
		return;
	nr = stack_trace_save(entries, frames, 3);
	stack_depot_save(entries, nr, GFP_NOWAIT | __GFP_NOWARN);
}

static void count_on_kmalloc(struct tracepoint *tp, unsigned long call_site, const void *ptr,
			     size_t bytes_alloc)
{
	save(ptr);
}

static void count_on_cache_alloc(struct tracepoint *tp, const void *ptr)
{
	save(ptr);
}

static void count_on_kfree(struct tracepoint *tp, const void *ptr)
{
}

static void count_on_cache_free(struct tracepoint *tp, const void *ptr)
{
}

static int __init asite_stackdepot_init(void)
{
	int err;

	if (!frames || frames > MAX_FRAMES) {
		pr_err("frames=%u is not in 1..%u\n", frames, MAX_FRAMES);
		return -EINVAL;
	}
	err = stack_depot_init();
	if (err)
		return err;
	err = asite_k_trace_attach();
	if (err)
		asite_k_trace_detach();
	return err;
}
module_init(asite_stackdepot_init);

static void __exit asite_stackdepot_exit(void)
{
	asite_k_trace_detach();
}
module_exit(asite_stackdepot_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Cost of stack_trace_save() and stack_depot_save() for each slab allocation");
