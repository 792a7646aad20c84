// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of updates: slow paths, set-up and what ties the two tables to the
 * kernel (names and sizes of caches, making room for further sites). The fast
 * paths and their rules are in track.h. No formatting here, no hooks.
 *
 * Contexts: *_slow() and the two callbacks run in any context, NMI included.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/workqueue.h>

#include <allocsite/caches.h>
#include <allocsite/context.h>
#include <allocsite/families.h>
#include <allocsite/sample.h>
#include <allocsite/stacks.h>
#include <allocsite/stacks_evict.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/walk.h>
#include <compat/slab.h>

struct asite_track asite_track;

static unsigned long max_areas = 32768;
module_param(max_areas, ulong, 0400);
MODULE_PARM_DESC(max_areas, "vmalloc and percpu objects to follow, 32 bytes each (default 32768)");

/* Making room: event -> irq_work -> work, as no hook may do more than that. */

/* Not before this time, in jiffies: a refusal is not asked for again at once. */
static unsigned long next_grow;

static void grow_sites(struct work_struct *work)
{
	int err;

	mutex_lock(&asite_table_lock);
	err = asite_sites_grow(&asite_track.sites) ?: asite_stacks_grow();
	if (err) {
		asite_stat_inc(ASITE_STAT_GROW_FAILED);
		WRITE_ONCE(next_grow, jiffies + HZ);
	}
	asite_stacks_evict_soon();
	mutex_unlock(&asite_table_lock);
}

static DECLARE_WORK(grow_work, grow_sites);

static void queue_grow(struct irq_work *work)
{
	schedule_work(&grow_work);
}

static struct irq_work grow_irq_work;

static void kick(struct asite_sitetab *t)
{
	if (time_after_eq(jiffies, READ_ONCE(next_grow)))
		irq_work_queue(&grow_irq_work);
}

static void describe(struct asite_site *site)
{
	struct kmem_cache *s;

	/* An overflow site has no caller. */
	if (site->caller & ASITE_KEY_TEXT)
		site->context = asite_context_of(site->caller);
	if (site->kind != ASITE_KMEM_CACHE) {
		site->size = asite_kind_block(site->sub);
		if (site->kind == ASITE_KMALLOC && site->sub > KMALLOC_MAX_CACHE_SIZE)
			site->kind = ASITE_KMALLOC_LARGE;
		return;
	}
	s = (struct kmem_cache *)site->sub;
	site->size = asite_caches_size(s);
	site->object_size = kmem_cache_size(s);
	asite_caches_name(s, site->cache, sizeof(site->cache));
}

static const struct asite_sites_ops sites_ops = {
	.describe	= describe,
	.kick		= kick,
	.owner		= asite_stacks_owner,
};

/* Slow paths. */

static unsigned int slot_of(u64 word)
{
	return (word & ((1UL << ASITE_TAG_SHIFT) - 1)) >> ASITE_GEN_BITS;
}

/*
 * Where large kmalloc reports itself more than once, first under an address inside
 * the allocator, last under the true caller: the same object of the same large size,
 * allocated again without a free under another caller, is that. Elsewhere, and under
 * the same caller, it is a missed free. (Overflow sites do not tell callers apart.)
 */
static bool is_retag(const struct asite_key *key, unsigned int old_slot)
{
	const struct asite_site *old = asite_sites_site(&asite_track.sites, old_slot);

	if (!asite_k_large_reports_twice() || !old || old->kind == ASITE_KMEM_CACHE ||
	    old->size <= KMALLOC_MAX_CACHE_SIZE || old->size != key->sub)
		return false;
	return old->caller != asite_key_caller(key) || old->kind == ASITE_OVERFLOW;
}

static void replaced(struct asite_key *key, u64 old_word, size_t requested)
{
	unsigned int slot = slot_of(old_word);
	struct asite_counts __percpu *counts = asite_sites_counts(&asite_track.sites, slot);

	if (is_retag(key, slot)) {
		this_cpu_sub(counts->requested, requested);
		this_cpu_dec(counts->allocs);
		asite_stat_inc(ASITE_STAT_RETAGGED);
		return;
	}
	this_cpu_inc(counts->frees);
	asite_stat_inc(ASITE_STAT_STALE);
}

static void count_untracked(struct asite_key *key)
{
	this_cpu_inc(key->counts->untracked);
	asite_stat_inc(ASITE_STAT_UNTRACKED);
}

/* An allocation that failed was counted: it was none. */
static void count_back(struct asite_key *key, size_t requested)
{
	this_cpu_sub(key->counts->requested, requested);
	this_cpu_dec(key->counts->allocs);
}

void asite_track_insert_slow(struct asite_key *key, unsigned long call_site,
			     const void *ptr, size_t requested, size_t unused, u64 word)
{
	u64 old;

	if (!ptr) {
		count_back(key, requested);
		return;
	}
	if (!asite_objtab_takes((unsigned long)ptr)) {
		count_untracked(key);
		return;
	}
	switch (asite_objtab_insert_slow(&asite_track.objs, (unsigned long)ptr, word, &old)) {
	case ASITE_INSERTED:
		break;
	case ASITE_INSERT_FULL:
		count_untracked(key);
		break;
	case ASITE_INSERT_STALE:
		replaced(key, old, requested);
		break;
	}
}

/*
 * Rare: a site seen for the first time, or an allocator's own function that passes the object
 * on: its caller is the site.
 */
struct asite_key *asite_track_find(unsigned long caller, unsigned long sub, enum asite_kind kind)
{
	struct asite_key *key = asite_sites_lookup(&asite_track.sites, caller, sub);
	u32 class;

	if (key)
		return key;
	/* The second report shall find another caller, or it would prove a missed free. */
	if (kind != ASITE_KMALLOC || !asite_slab_is_first_report(caller, sub)) {
		caller = asite_walk_from_call_site(caller, sub, &class);
		if (kind == ASITE_KMALLOC &&
		    (class == ASITE_CLASS_SLAB_EXT || class == ASITE_CLASS_SLAB_PAGES))
			kind = ASITE_SLAB_EXT;
	}
	return asite_sites_find(&asite_track.sites, caller, sub, kind);
}

static noinline void insert_stack_slow(const struct asite_key *key, unsigned int slot,
				       const void *ptr, size_t requested, u64 word)
{
	struct asite_key own;

	asite_stacks_fill(&own, key, &asite_track.sites, slot);
	asite_track_insert_slow(&own, 0, ptr, requested, 0, word);
}

/* As asite_track_found(), of a slot of that site. */
static __always_inline void found_slot(const struct asite_key *key, unsigned int slot,
				       const void *ptr, size_t requested)
{
	struct asite_counts __percpu *counts = asite_sites_counts(&asite_track.sites, slot);
	u64 word = asite_objtab_word((unsigned long)ptr, asite_objtab_bits(slot, 0));

	asite_testing_pause(requested);
	this_cpu_inc(counts->allocs);
	this_cpu_add(counts->requested, requested);
	if (unlikely(!asite_objtab_insert_fast(&asite_track.objs, (unsigned long)ptr, word)))
		insert_stack_slow(key, slot, ptr, requested, word);
}

/* A function of its own, so that only what it needs is kept across the walk. */
static noinline void found_stack(const struct asite_key *key, const void *ptr, size_t requested)
{
	found_slot(key, asite_stacks_slot_here(key), ptr, requested);
}

/* Of a watched site: in its stack's name, whatever stacks are, and recorded before it is live. */
static noinline void found_watched(const struct asite_key *key, const void *ptr, size_t requested)
{
	unsigned int slot = asite_stacks_slot_here(key);

	asite_context_record(key, (unsigned long)ptr, slot);
	found_slot(key, slot, ptr, requested);
}

static __always_inline void found(struct asite_key *key, unsigned long caller, const void *ptr,
				  size_t requested)
{
	if (asite_stacks_on())
		found_stack(key, ptr, requested);
	else
		asite_track_found(key, caller, ptr, requested, true);
}

static noinline void find_kmalloc(unsigned long caller, const void *ptr, size_t requested,
				  size_t allocated)
{
	struct asite_key *key = asite_track_find(caller, allocated, ASITE_KMALLOC);

	if (asite_key_watched(key))
		found_watched(key, ptr, requested);
	else
		found(key, caller, ptr, requested);
}

void asite_track_kmalloc_slow(void *data, unsigned long caller, const void *ptr,
			      size_t requested, size_t allocated)
{
	struct asite_key *key;

	if (!ptr)
		return;
	key = asite_sites_hidden(&asite_track.sites, caller, allocated);
	if (likely(asite_sites_is(key, caller, allocated)))
		found(key, caller, ptr, requested);
	else
		find_kmalloc(caller, ptr, requested, allocated);
}

static noinline void find_cache_alloc(unsigned long caller, const void *ptr, struct kmem_cache *s)
{
	struct asite_key *key = asite_track_find(caller, (unsigned long)s, ASITE_KMEM_CACHE);

	/* Many caches share an overflow site: only the sum tells what they asked for. */
	if (asite_key_watched(key))
		found_watched(key, ptr, 0);
	else
		found(key, caller, ptr, asite_sites_is_overflow(key) ? kmem_cache_size(s) : 0);
}

void asite_track_cache_alloc_slow(void *data, unsigned long caller, const void *ptr,
				  struct kmem_cache *s)
{
	struct asite_key *key;

	if (!ptr)
		return;
	key = asite_sites_hidden(&asite_track.sites, caller, (unsigned long)s);
	/* No overflow site: its caller is no address. */
	if (likely(asite_sites_is(key, caller, (unsigned long)s)))
		found(key, caller, ptr, 0);
	else
		find_cache_alloc(caller, ptr, s);
}

void asite_track_free_slow(void *data, unsigned long call_site, const void *ptr)
{
	long rest = -1;

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	if (asite_objtab_takes((unsigned long)ptr))
		rest = asite_objtab_remove_slow(&asite_track.objs, (unsigned long)ptr);
	if (rest < 0)
		asite_stat_inc(ASITE_STAT_UNKNOWN);
	else
		this_cpu_inc(asite_sites_counts_of(&asite_track.sites, rest)->frees);
}

void asite_track_take_back(const void *ptr, size_t requested)
{
	struct asite_counts __percpu *counts;
	long rest;

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	rest = asite_objtab_remove(&asite_track.objs, (unsigned long)ptr);
	if (rest < 0)
		return;
	counts = asite_sites_counts_of(&asite_track.sites, rest);
	this_cpu_sub(counts->requested, requested);
	this_cpu_dec(counts->allocs);
	asite_stat_inc(ASITE_STAT_RETAGGED);
}

static bool match_cache(struct asite_site *site, void *data)
{
	if (site->kind != ASITE_KMEM_CACHE || site->sub != (unsigned long)data)
		return false;
	WRITE_ONCE(site->destroyed, true);
	return true;
}

void asite_track_cache_destroyed(struct kmem_cache *s)
{
	asite_sites_retire(&asite_track.sites, match_cache, s);
}

/* Set-up. */

static u64 direct_map_bytes(void)
{
	return (unsigned long)high_memory - PAGE_OFFSET;
}

int asite_track_init(unsigned int max_sites, size_t live_bytes)
{
	int err;

	init_irq_work(&grow_irq_work, queue_grow);
	next_grow = jiffies;
	err = asite_sites_init(&asite_track.sites, max_sites, asite_stacks_wanted(), &sites_ops);
	if (err)
		return err;
	err = asite_objtab_init(&asite_track.objs, live_bytes, direct_map_bytes());
	if (err == -EOPNOTSUPP)
		pr_err("memory ends at %llu GiB, a live word holds addresses below %llu GiB only\n",
		       direct_map_bytes() >> 30, 1ULL << (ASITE_ADDR_BITS - 30));
	if (err)
		asite_sites_destroy(&asite_track.sites);
	return err;
}

int asite_track_areas_init(void)
{
	if (asite_track.areas.entries)
		return 0;
	if (max_areas < 1 || max_areas > ASITE_MAX_AREAS_LIMIT) {
		pr_err("max_areas=%lu is out of range: use 1 to %lu\n", max_areas,
		       ASITE_MAX_AREAS_LIMIT);
		return -EINVAL;
	}
	return asite_areatab_init(&asite_track.areas, max_areas);
}

void asite_track_exit(void)
{
	irq_work_sync(&grow_irq_work);
	cancel_work_sync(&grow_work);
	asite_areatab_destroy(&asite_track.areas);
	asite_objtab_destroy(&asite_track.objs);
	asite_sites_destroy(&asite_track.sites);
}

void asite_track_reset(void)
{
	asite_objtab_reset(&asite_track.objs);
	asite_pagemap_reset(&asite_track.pages);
	asite_areatab_reset(&asite_track.areas);
	asite_walk_reset();
	asite_sites_reset(&asite_track.sites);
	asite_stacks_reset();
	asite_context_reset();
	asite_sample_reset();
	asite_stats_reset();
}
