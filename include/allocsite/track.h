/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of updates: the only place where the site table and the live-object
 * table meet. Handlers decode an event and call in here; nothing else writes
 * counters or live words.
 *
 *	allocation: count it, then publish the live word
 *	free:       remove the live word, then count it
 *
 * So whoever counts a free has seen its allocation counted, and a reader that
 * sums frees first never sees a negative number.
 *
 * Contexts: asite_track_kmalloc(), _cache_alloc() and _free() run in any
 * context, NMI included: no lock, no shared cache line written but the live
 * word's own, nothing that sleeps or allocates.
 *
 * Lifetime: asite_track is filled before the first hook is attached and emptied
 * after the last is gone and its grace period over.
 */
#ifndef ALLOCSITE_TRACK_H
#define ALLOCSITE_TRACK_H

#include <linux/slab.h>

#include <allocsite/objtab.h>
#include <allocsite/sites.h>
#include <allocsite/testing.h>

/**
 * struct asite_track - what is tracked; the root to start from in a crash dump
 * @sites: call sites and their counters
 * @objs: live objects
 */
struct asite_track {
	struct asite_sitetab sites;
	struct asite_objtab objs;
};

extern struct asite_track asite_track;

/**
 * asite_track_insert_slow() - what is left to do when the fast insert failed
 * @key: the event's site, already counted
 * @word: its live word
 * @ptr: the object
 * @requested: bytes that were counted as asked for
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_track_insert_slow(struct asite_key *key, u64 word, const void *ptr,
			     size_t requested);

/**
 * asite_track_free_slow() - a free of nothing, or of what is not where it should be
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_track_free_slow(const void *ptr);

/**
 * asite_track_init() - make both tables
 * @max_sites: sites to tell apart
 * @live_bytes: memory for live words
 *
 * Context: task, may sleep.
 * Return: 0 or a negative errno; nothing is held then. The log says why.
 */
int asite_track_init(unsigned int max_sites, size_t live_bytes);

/**
 * asite_track_exit() - free both tables
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_track_exit(void);

/**
 * asite_track_reset() - forget everything: the start of an epoch
 *
 * Context: task, may sleep; no hook may be attached; under asite_table_lock.
 */
void asite_track_reset(void);

/**
 * asite_track_cache_destroyed() - a cache goes away
 * @s: the cache; objects left in it stay counted, its sites are marked
 *
 * A later cache at the same address gets sites of its own.
 *
 * Context: any; takes time in proportion to the sites in use.
 */
void asite_track_cache_destroyed(struct kmem_cache *s);

/**
 * asite_track_kmalloc_slow() - as asite_track_kmalloc(), of nothing or a new site
 * @unused: keeps the arguments in the registers a tracepoint's come in, so that
 *	the fast path need not move them
 * @caller: return address of the allocator
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 * @requested: bytes asked for
 * @allocated: bytes it takes
 *
 * Context: any, NMI included.
 */
void asite_track_kmalloc_slow(void *unused, unsigned long caller, const void *ptr,
			      size_t requested, size_t allocated);

/**
 * asite_track_cache_alloc_slow() - as asite_track_cache_alloc(), of nothing or a new site
 * @unused: as in asite_track_kmalloc_slow()
 * @caller: return address of the allocator
 * @ptr: the object
 * @s: the cache
 *
 * Context: any, NMI included.
 */
void asite_track_cache_alloc_slow(void *unused, unsigned long caller, const void *ptr,
				  struct kmem_cache *s);

/* Count it, then publish the live word. */
static __always_inline void asite_track_found(struct asite_key *key, const void *ptr,
					      size_t requested, bool sized)
{
	struct asite_counts __percpu *counts = key->counts;
	u64 word = asite_objtab_word(&asite_track.objs, (unsigned long)ptr, key->bits);

	this_cpu_inc(counts->allocs);
	if (sized)
		this_cpu_add(counts->requested, requested);
	if (unlikely(!asite_objtab_insert_fast(&asite_track.objs, (unsigned long)ptr, word)))
		asite_track_insert_slow(key, word, ptr, requested);
}

/**
 * asite_track_kmalloc() - an object came from kmalloc() or one of its kin
 * @caller: return address of the allocator
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 * @requested: bytes asked for
 * @allocated: bytes it takes
 *
 * Context: any, NMI included.
 */
static __always_inline void asite_track_kmalloc(unsigned long caller, const void *ptr,
						size_t requested, size_t allocated)
{
	struct asite_key *key;

	key = asite_sites_first(&asite_track.sites, caller, allocated);
	if (likely(asite_objtab_takes((unsigned long)ptr) &&
		   asite_sites_is(key, caller, allocated)))
		asite_track_found(key, ptr, requested, true);
	else
		asite_track_kmalloc_slow(NULL, caller, ptr, requested, allocated);
}

/**
 * asite_track_cache_alloc() - an object came from a cache
 * @caller: return address of the allocator
 * @ptr: the object, or NULL
 * @s: the cache
 *
 * Context: any, NMI included.
 */
static __always_inline void asite_track_cache_alloc(unsigned long caller, const void *ptr,
						    struct kmem_cache *s)
{
	struct asite_key *key;

	key = asite_sites_first(&asite_track.sites, caller, (unsigned long)s);
	if (likely(asite_objtab_takes((unsigned long)ptr) &&
		   asite_sites_is(key, caller, (unsigned long)s)))
		asite_track_found(key, ptr, 0, false);
	else
		asite_track_cache_alloc_slow(NULL, caller, ptr, s);
}

/**
 * asite_track_free() - an object goes back to the allocator
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 *
 * Context: any, NMI included; before the allocator has it back.
 */
static __always_inline void asite_track_free(const void *ptr)
{
	long rest = -1;

	if (asite_testing_drop_free(ptr))
		return;
	if (likely(asite_objtab_takes((unsigned long)ptr)))
		rest = asite_objtab_remove_fast(&asite_track.objs, (unsigned long)ptr);
	if (likely(rest >= 0))
		this_cpu_inc(asite_sites_counts(&asite_track.sites,
						(u32)rest >> ASITE_GEN_BITS)->frees);
	else
		asite_track_free_slow(ptr);
}

#endif /* ALLOCSITE_TRACK_H */
