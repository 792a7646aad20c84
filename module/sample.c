// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled mode: what is done with the objects that an event fell on, and with frees that the
 * filter lets through. Fast paths and the order of updates are in sample.h, the process in
 * poisson.c, estimates in estimate.c. No formatting here, no hooks.
 *
 * Contexts: *_slow() run in any, NMI included; the rest in a task.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <allocsite/context.h>
#include <allocsite/families.h>
#include <allocsite/sample.h>
#include <allocsite/stacks.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <compat/slab.h>

unsigned int asite_sample_bytes;
module_param_named(sample_bytes, asite_sample_bytes, uint, 0400);
MODULE_PARM_DESC(sample_bytes,
		 "follow a sample of objects, one for each so many bytes allocated on average, 1 to 1073741824; reports are estimates then (default 0: all objects)");

int asite_sample_check(void)
{
	if (!asite_sample_bytes || (asite_sample_bytes >= ASITE_POISSON_MEAN_MIN &&
				    asite_sample_bytes <= ASITE_POISSON_MEAN_MAX))
		return 0;
	pr_err("sample_bytes=%u is out of range: use %u to %u, or 0 for all objects\n",
	       asite_sample_bytes, ASITE_POISSON_MEAN_MIN, ASITE_POISSON_MEAN_MAX);
	return -EINVAL;
}

/* Objects that are followed without having been picked: the self-test's. */

#define GEN_FORCED	1

/* Who tests; NULL: nobody does. */
static struct task_struct *forcing;

void asite_sample_force(void)
{
	if (!asite_sample_bytes)
		return;
	WRITE_ONCE(forcing, current);
	asite_poisson_unsettle();
}

void asite_sample_unforce(void)
{
	WRITE_ONCE(forcing, NULL);
}

/*
 * Is an object of so many bytes in the sample? While somebody tests, his CPU stays unsettled:
 * each object there comes here and decides for itself.
 */
static bool picks(size_t bytes, unsigned int *gen)
{
	struct task_struct *tester = READ_ONCE(forcing);
	bool picked = asite_poisson_picks(bytes);

	*gen = 0;
	if (likely(!tester))
		return picked;
	asite_poisson_unsettle();
	if (tester != current || !in_task())
		return picked;
	*gen = GEN_FORCED;
	return true;
}

/* Counting. */

/* @rest: slot and generation of a live word that is gone. */
static void count_free(u64 rest)
{
	if (!(rest & GEN_FORCED))
		this_cpu_inc(asite_sites_counts_of(&asite_track.sites, rest)->frees);
}

/* The order is that of sample.h. */
static void record(struct asite_key *key, const void *ptr, size_t requested, unsigned int gen)
{
	struct asite_counts __percpu *counts = key->counts;
	unsigned long obj = (unsigned long)ptr;
	u64 old;

	if (!gen) {
		this_cpu_inc(counts->allocs);
		this_cpu_add(counts->requested, requested);
	}
	asite_filter_raise(obj);
	switch (asite_objtab_insert(&asite_track.objs, obj, key->bits | gen, &old)) {
	case ASITE_INSERTED:
		return;
	case ASITE_INSERT_FULL:
		if (!gen)
			this_cpu_inc(counts->untracked);
		asite_stat_inc(ASITE_STAT_UNTRACKED);
		break;
	case ASITE_INSERT_STALE:
		count_free(old & ((1UL << ASITE_TAG_SHIFT) - 1));
		asite_stat_inc(ASITE_STAT_STALE);
		break;
	}
	/* One word less than it was raised for. */
	asite_filter_lower(obj);
}

/* Is the object's stack kept? */
static bool has_stack(const struct asite_key *key)
{
	return asite_stacks_on() || asite_key_watched(key);
}

/* The key of a stack's slot; @key if that is 0. What is watched is recorded before it is live. */
static struct asite_key *stack_of(struct asite_key *key, struct asite_key *own, unsigned int slot,
				  const void *ptr)
{
	if (!slot)
		return key;
	if (asite_key_watched(key))
		asite_context_record(key, (unsigned long)ptr, slot);
	asite_stacks_fill(own, key, &asite_track.sites, slot);
	return own;
}

static noinline void record_kmalloc(unsigned long caller, const void *ptr, size_t requested,
				    size_t allocated, unsigned int gen)
{
	struct asite_key *key = asite_track_find(caller, allocated, ASITE_KMALLOC), own;

	record(stack_of(key, &own, has_stack(key) ? asite_stacks_slot_here(key) : 0, ptr), ptr,
	       requested, gen);
}

void asite_sample_kmalloc_slow(void *data, unsigned long caller, const void *ptr,
			       size_t requested, size_t allocated)
{
	unsigned int gen;

	if (picks(allocated, &gen) && ptr && !asite_slab_is_first_report(caller, allocated))
		record_kmalloc(caller, ptr, requested, allocated, gen);
}

void asite_sample_again(unsigned long caller, const void *ptr, size_t requested,
			size_t allocated)
{
	struct asite_counts __percpu *counts;
	long rest = ptr ? asite_objtab_remove(&asite_track.objs, (unsigned long)ptr) : -1;

	if (rest < 0)
		return;
	asite_filter_lower((unsigned long)ptr);
	if (!(rest & GEN_FORCED)) {
		counts = asite_sites_counts_of(&asite_track.sites, rest);
		this_cpu_sub(counts->requested, requested);
		this_cpu_dec(counts->allocs);
	}
	record_kmalloc(caller, ptr, requested, allocated, rest & GEN_FORCED);
}

void asite_sample_cache_slow(void *data, unsigned long caller, const void *ptr,
			     struct kmem_cache *s, size_t bytes)
{
	struct asite_key *key, own;
	unsigned int gen;
	size_t requested;

	if (!picks(bytes, &gen) || !ptr)
		return;
	key = asite_track_find(caller, (unsigned long)s, ASITE_KMEM_CACHE);
	/* Many caches share an overflow site: only the sum tells what they asked for. */
	requested = asite_sites_is_overflow(key) ? kmem_cache_size(s) : 0;
	record(stack_of(key, &own, has_stack(key) ? asite_stacks_slot_here(key) : 0, ptr), ptr,
	       requested, gen);
}

void asite_sample_free_slow(void *data, unsigned long call_site, const void *ptr)
{
	long rest;

	/* A test build drops frees of what is followed; others are not seen to be frees. */
	if (asite_testing_drop_free(ptr))
		return;
	rest = asite_objtab_remove(&asite_track.objs, (unsigned long)ptr);
	if (rest < 0)
		return;
	asite_filter_lower((unsigned long)ptr);
	count_free(rest);
}

static u64 seed(void)
{
	u64 random;

	get_random_bytes(&random, sizeof(random));
	return random;
}

void asite_sample_reset(void)
{
	if (!asite_sample_bytes)
		return;
	asite_filter_reset();
	asite_poisson_begin(asite_sample_bytes, seed);
}
