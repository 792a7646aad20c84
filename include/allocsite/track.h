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
 * sums frees first never sees a negative number. When
 * an object ends, the counter that says so is the last to be written: where none is live,
 * nothing of theirs is yet to be counted.
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

#include <allocsite/areas.h>
#include <allocsite/objtab.h>
#include <allocsite/pagemap.h>
#include <allocsite/sites.h>
#include <allocsite/testing.h>

/**
 * struct asite_track - what is tracked; the root to start from in a crash dump
 * @sites: call sites and their counters
 * @objs: live objects of the slab allocator
 * @pages: page frames
 * @areas: vmalloc and percpu objects
 */
struct asite_track {
	struct asite_sitetab sites;
	struct asite_objtab objs;
	struct asite_pagemap pages;
	struct asite_areatab areas;
};

extern struct asite_track asite_track;

/*
 * The slow paths take their arguments where a tracepoint hands them over, and some that
 * they do not use (@data, @call_site, @unused), so that a fast path that gives up needs
 * to move nothing, and one that does not needs to keep nothing.
 */

/**
 * asite_track_insert_slow() - what is left to do when the fast insert failed
 * @key: the event's site, already counted
 * @call_site: not used
 * @ptr: the object, or NULL
 * @requested: bytes that were counted as asked for
 * @unused: not used
 * @word: its live word
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_track_insert_slow(struct asite_key *key, unsigned long call_site,
			     const void *ptr, size_t requested, size_t unused, u64 word);

/**
 * asite_track_free_slow() - a free of nothing, or of what is not where it should be
 * @data: not used
 * @call_site: not used
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_track_free_slow(void *data, unsigned long call_site, const void *ptr);

/**
 * asite_track_take_back() - an allocation that was reported is about to be reported again
 * @ptr: the object; NULL, ZERO_SIZE_PTR and what is not followed are ignored
 * @requested: bytes asked for
 *
 * For functions that call another hooked one for the same object. Elsewhere an object
 * that is there already proves a missed free.
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_track_take_back(const void *ptr, size_t requested);

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
 * asite_track_find() - the site of a slab object, where the fast path does not know it
 * @caller: return address of the allocator; if it lies in a wrapper, the walk goes on from there
 * @sub: as in struct asite_key
 * @kind: what a new site is, unless its caller tells better
 *
 * Context: any, NMI included.
 * Return: as asite_sites_find().
 */
struct asite_key *asite_track_find(unsigned long caller, unsigned long sub, enum asite_kind kind);

/**
 * asite_track_areas_init() - make the area table, unless it is there
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or -EINVAL for "max_areas"; the log says why.
 */
int asite_track_areas_init(void);

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
 * asite_track_kmalloc_slow() - as asite_track_kmalloc(), of a new site
 * @data: not used
 * @caller: return address of the allocator
 * @ptr: the object, or NULL
 * @requested: bytes asked for
 * @allocated: bytes it takes
 *
 * Context: any, NMI included.
 */
void asite_track_kmalloc_slow(void *data, unsigned long caller, const void *ptr,
			      size_t requested, size_t allocated);

/**
 * asite_track_cache_alloc_slow() - as asite_track_cache_alloc(), of a new site
 * @data: not used
 * @caller: return address of the allocator
 * @ptr: the object, or NULL
 * @s: the cache
 *
 * Context: any, NMI included.
 */
void asite_track_cache_alloc_slow(void *data, unsigned long caller, const void *ptr,
				  struct kmem_cache *s);

/*
 * Count it, then publish the live word. NULL has no place to be published at, and is
 * counted back by the slow path.
 */
static __always_inline void asite_track_found(struct asite_key *key, unsigned long caller,
					      const void *ptr, size_t requested, bool sized)
{
	struct asite_counts __percpu *counts = key->counts;
	u64 word = asite_objtab_word((unsigned long)ptr, key->bits);

	this_cpu_inc(counts->allocs);
	if (sized)
		this_cpu_add(counts->requested, requested);
	if (unlikely(!asite_objtab_insert_fast(&asite_track.objs, (unsigned long)ptr, word)))
		asite_track_insert_slow(key, caller, ptr, requested, 0, word);
}

/**
 * asite_track_kmalloc() - an object came from kmalloc() or one of its kin
 * @caller: return address of the allocator
 * @ptr: the object, or NULL; not ZERO_SIZE_PTR
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
	if (likely(asite_sites_is(key, caller, allocated)))
		asite_track_found(key, caller, ptr, requested, true);
	else
		asite_track_kmalloc_slow(NULL, caller, ptr, requested, allocated);
}

/**
 * asite_track_cache_alloc() - an object came from a cache
 * @caller: return address of the allocator
 * @ptr: the object, or NULL
 * @s: the cache; any value if @ptr is NULL
 *
 * Context: any, NMI included.
 */
static __always_inline void asite_track_cache_alloc(unsigned long caller, const void *ptr,
						    struct kmem_cache *s)
{
	struct asite_key *key;

	key = asite_sites_first(&asite_track.sites, caller, (unsigned long)s);
	if (likely(asite_sites_is(key, caller, (unsigned long)s)))
		asite_track_found(key, caller, ptr, 0, false);
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
	long rest;

	if (asite_testing_drop_free(ptr))
		return;
	rest = asite_objtab_remove_fast(&asite_track.objs, (unsigned long)ptr);
	if (likely(rest >= 0))
		this_cpu_inc(asite_sites_counts_of(&asite_track.sites, rest)->frees);
	else
		asite_track_free_slow(NULL, 0, ptr);
}

#endif /* ALLOCSITE_TRACK_H */
