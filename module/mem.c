// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tool's own memory. A tracer must not be what kills the box that it looks
 * at: every table is asked for with __GFP_NORETRY and refused above a share of
 * MemAvailable, with both figures in the log.
 *
 * Contexts: task, may sleep; asite_mem_used() anywhere.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <allocsite/mem.h>
#include <compat/vmalloc.h>

#define TABLE_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN)

static unsigned int max_mem_percent = 25;
module_param(max_mem_percent, uint, 0400);
MODULE_PARM_DESC(max_mem_percent,
		 "refuse a table larger than this share of available memory (percent, default 25)");

/* Bytes held; read by stats. */
static atomic64_t used;

static bool permitted(u64 bytes)
{
	u64 available = (u64)max_t(long, si_mem_available(), 0) << PAGE_SHIFT;

	if (bytes <= PAGE_SIZE || bytes <= div_u64(available * min(max_mem_percent, 100U), 100))
		return true;
	pr_warn_ratelimited("a table of %llu KiB is refused: %llu KiB are available and max_mem_percent=%u; ask for less (live_mb=, max_sites=) or raise it\n",
			    bytes >> 10, available >> 10, max_mem_percent);
	return false;
}

void *asite_mem_alloc(size_t bytes)
{
	void *mem;

	if (!permitted(bytes))
		return NULL;
	mem = asite_k_vmalloc_huge(bytes, TABLE_GFP);
	if (mem)
		atomic64_add(PAGE_ALIGN(bytes), &used);
	else
		pr_warn_ratelimited("no memory for a table of %zu KiB\n", bytes >> 10);
	return mem;
}

void asite_mem_free(void *mem, size_t bytes)
{
	if (!mem)
		return;
	vfree(mem);
	atomic64_sub(PAGE_ALIGN(bytes), &used);
}

void __percpu *asite_mem_alloc_percpu(size_t bytes)
{
	u64 total = (u64)bytes * num_possible_cpus();
	void __percpu *mem;

	if (!permitted(total))
		return NULL;
	mem = __alloc_percpu_gfp(bytes, SMP_CACHE_BYTES, TABLE_GFP & ~__GFP_ZERO);
	if (mem)
		atomic64_add(total, &used);
	else
		pr_warn_ratelimited("no per-CPU memory for %zu bytes on each of %u CPUs\n",
				    bytes, num_possible_cpus());
	return mem;
}

void asite_mem_free_percpu(void __percpu *mem, size_t bytes)
{
	if (!mem)
		return;
	free_percpu(mem);
	atomic64_sub((u64)bytes * num_possible_cpus(), &used);
}

void asite_mem_free_text(char *text)
{
	kfree(text);
}

void asite_mem_account(long bytes)
{
	atomic64_add(bytes, &used);
}

u64 asite_mem_used(void)
{
	return atomic64_read(&used);
}
