/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Site table: call-site counters found by (caller, sub), where sub is the
 * bytes allocated (kmalloc), the cache (kmem_cache), or what kinds.h says. This
 * header holds the layout; the hot path is in sites_find.h, claiming, retiring and
 * summing in sites.c.
 *
 * Contexts: asite_sites_find() runs in any context, NMI included: it takes no
 * lock, allocates nothing and writes only when a site is seen for the first
 * time. All else is named at each function.
 *
 * Lifetime: a slot, once handed out, keeps its number, counters and
 * description until asite_sites_destroy(), which needs every hook detached.
 * So a slot number found in a live word is always valid.
 *
 * Invariants
 *  - An index entry goes empty -> claimed -> published -> dead, never back.
 *    @caller is written last (release) when it is published; who reads it
 *    (acquire) sees the rest.
 *  - Two CPUs may publish one key twice. Both slots count; the reader adds
 *    them up. Nothing may assume that a key has one slot.
 *  - @caller of a published key stands there in one of two forms: as it is, or, while the key
 *    is watched, with ASITE_KEY_TEXT cleared. No event has that as its caller, so the fast
 *    paths miss such a key, and no other; its place is the same. What is looked for slowly is
 *    found in either form, so no key is published twice because of it.
 *  - Slot 0 is the last resort of the overflow sites and is always there.
 *  - Counters only grow while hooks are attached, but for a retag, which takes
 *    back the event that it replaces.
 */
#ifndef ALLOCSITE_SITES_H
#define ALLOCSITE_SITES_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <allocsite/kinds.h>
#include <allocsite/objtab.h>
#include <allocsite/site.h>

/* 512 slots of 32 bytes: 16 KiB per CPU, half of what alloc_percpu() gives. */
#define ASITE_BATCH_SHIFT	9
#define ASITE_BATCH_SLOTS	(1U << ASITE_BATCH_SHIFT)

/*
 * Slots 0 to 255, half of the first batch: events that find no slot of their own
 * are counted by size, so that bytes stay right too. Slot 0 takes what even that
 * has no room for.
 */
#define ASITE_OVERFLOW_SLOTS	256U

/* Values of asite_key.caller that no text address has. */
#define ASITE_KEY_EMPTY		0UL
#define ASITE_KEY_CLAIMED	1UL
#define ASITE_KEY_DEAD		2UL
/* The caller of overflow sites; their sub is the size. */
#define ASITE_KEY_OVERFLOW	3UL
/* The caller where a walk found none: a wrapper's address must never have a key. */
#define ASITE_KEY_LOST		4UL
/* Set in each text address; cleared in the key of a call site that is watched. */
#define ASITE_KEY_TEXT		(1UL << 63)

/**
 * struct asite_counts - counters of one site on one CPU
 * @allocs: objects allocated, those in @untracked included; of pages: frames
 * @frees: frees charged to this site; of pages: frames
 * @requested: bytes asked for (not of caches and pages; see asite_sum.requested)
 * @heads_freed: of pages: blocks whose first frame was freed
 * @untracked: allocations for which the live-object table had no room; their
 *	free will find nothing, so they are not live; of pages: frames
 * @freed_bytes: of vmalloc and percpu: bytes of @frees, which untracked ones are counted in
 */
struct asite_counts {
	u64 allocs;
	u64 frees;
	union {
		u64 requested;
		u64 heads_freed;
	};
	union {
		u64 untracked;
		u64 freed_bytes;
	};
};

/**
 * struct asite_key - index entry, what the hot path touches
 * @caller: return address, or one of ASITE_KEY_*; without ASITE_KEY_TEXT while watched
 * @sub: bytes allocated, the struct kmem_cache's address, or as kinds.h says
 * @counts: this site's counters
 * @bits: the slot number in its place in a live word, ready to be or'ed in
 */
struct asite_key {
	unsigned long caller;
	unsigned long sub;
	struct asite_counts __percpu *counts;
	u64 bits;
};

/* A batch: per-CPU counters and the descriptions of the same slots. */
struct asite_batch {
	struct asite_counts __percpu *counts;
	struct asite_site *sites;
};

struct asite_sitetab;

/**
 * struct asite_sites_ops - what the table asks of its user
 * @describe: fill size, object_size and cache of a new site from its kind and
 *	sub, and @context if its key is to be watched; called in the context of the event, NMI
 *	included
 * @kick: few slots are left: get asite_sites_grow() called soon; any context,
 *	NMI included
 * @owner: the slot of the call site that a stack's slot belongs to; any context
 */
struct asite_sites_ops {
	void (*describe)(struct asite_site *site);
	void (*kick)(struct asite_sitetab *t);
	unsigned int (*owner)(const struct asite_sitetab *t, unsigned int slot);
};

/**
 * struct asite_sitetab - a site table
 * @index: open-addressed, power of two entries
 * @mask_bytes: entries - 1, in bytes: selects an entry's offset from a hash; 0 while keys are
 *	hidden: asite_sites_hide()
 * @index_mask: the same, always
 * @slot_counts: per slot, its counters: all that a free needs
 * @batches: per batch, all of it
 * @overflow: stands for "no room at all": the key of slot 0
 * @ops: the user's callbacks
 * @max_sites: bound of sites' slot numbers, the overflow slots included
 * @first_stack: slots from here on are stacks'; a multiple of ASITE_BATCH_SLOTS
 * @max_batches: length of @batches
 * @nr_ready: slots whose batch is there; grows under the owner's lock
 * @next: next slot to hand out; bump pointer, never falls
 * @next_overflow: the same for the overflow slots
 * @full: events that found no slot because @max_sites was reached, or the
 *	index had no place near
 * @late: events that found no slot because the next batch was not there yet
 * @dead_keys: index entries used up by retired sites and lost races
 */
struct asite_sitetab {
	struct asite_key *index;
	unsigned long mask_bytes;
	unsigned long index_mask;
	struct asite_counts __percpu **slot_counts;
	struct asite_batch *batches;
	struct asite_key overflow;
	const struct asite_sites_ops *ops;
	unsigned int max_sites;
	unsigned int first_stack;
	unsigned int max_batches;
	unsigned int nr_ready;
	/* From here on, written when a site comes or finds no slot: no other event reads it. */
	atomic_t next ____cacheline_aligned_in_smp;
	atomic_t next_overflow;
	atomic_long_t full;
	atomic_long_t late;
	atomic_t dead_keys;
};

/**
 * struct asite_sum - a site's counters summed over CPUs
 * @allocs: objects allocated ever
 * @frees: objects freed
 * @untracked: objects allocated but not followed
 * @live: @allocs - @frees - @untracked, never negative
 * @requested: bytes asked for ever
 * @live_bytes: bytes of what is live
 */
struct asite_sum {
	u64 allocs;
	u64 frees;
	u64 untracked;
	u64 live;
	u64 requested;
	u64 live_bytes;
};

/**
 * asite_sites_init() - make a table
 * @t: the table, zeroed
 * @max_sites: slots, 1 to ASITE_MAX_SITES_LIMIT
 * @max_stacks: further slots, of which each has counters only and belongs to a site; rounded
 *	down to a multiple of ASITE_BATCH_SLOTS, and to what slot numbers there are
 * @ops: callbacks, must outlive the table
 *
 * The first batches of sites are there on return, and none of stacks.
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM; nothing is held then.
 */
int asite_sites_init(struct asite_sitetab *t, unsigned int max_sites, unsigned int max_stacks,
		     const struct asite_sites_ops *ops);

/**
 * asite_sites_add_stacks() - make counters for ASITE_BATCH_SLOTS more stacks
 * @t: the table
 * @nr: which batch of them, from 0; nothing happens if it is there
 *
 * Context: task, may sleep; callers exclude each other.
 * Return: 0, -ENOSPC, or -ENOMEM.
 */
int asite_sites_add_stacks(struct asite_sitetab *t, unsigned int nr);

/* Keys are found by the slow paths only, or (@hide false) as always. Any context. */
static inline void asite_sites_hide(struct asite_sitetab *t, bool hide)
{
	/* No key is in the first entry. */
	WRITE_ONCE(t->mask_bytes, hide ? 0 : t->index_mask);
}

/**
 * asite_sites_destroy() - free a table
 * @t: the table; one that asite_sites_init() refused is fine
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_sites_destroy(struct asite_sitetab *t);

/**
 * asite_sites_grow() - make further batches if few slots are left
 * @t: the table
 *
 * Context: task, may sleep; callers exclude each other.
 * Return: 0 when enough slots are ready or none may be added, else -ENOMEM.
 */
int asite_sites_grow(struct asite_sitetab *t);

/**
 * asite_sites_find_slow() - look further, claim a slot if the key is new
 * @t: the table
 * @caller: return address
 * @sub: bytes allocated or cache
 * @kind: what a new site is
 *
 * Context: any, NMI included.
 * Return: the key's entry; without room that of the overflow site of its size,
 * or &t->overflow.
 */
struct asite_key *asite_sites_find_slow(struct asite_sitetab *t,
					unsigned long caller, unsigned long sub,
					enum asite_kind kind);

/**
 * asite_sites_lookup() - as asite_sites_find_slow(), of a key that is there
 * @t: the table
 * @caller: return address
 * @sub: as in struct asite_key
 *
 * Context: any, NMI included.
 * Return: the key's entry, watched or not, or NULL.
 */
struct asite_key *asite_sites_lookup(const struct asite_sitetab *t, unsigned long caller,
				     unsigned long sub);

/**
 * asite_sites_sum() - sum a slot over all CPUs
 * @t: the table
 * @slot: slot number below asite_sites_used()
 * @sum: filled in
 *
 * Frees are read before allocations, so that no free is seen without its
 * allocation; see @live of struct asite_sum.
 *
 * Context: any.
 */
void asite_sites_sum(const struct asite_sitetab *t, unsigned int slot,
		     struct asite_sum *sum);

/**
 * asite_sites_used() - slots handed out so far, the overflow slots included
 * @t: the table
 *
 * Context: any.
 * Return: a bound for slot numbers; slots below it may still be unpublished.
 */
unsigned int asite_sites_used(const struct asite_sitetab *t);

/**
 * asite_sites_site() - a slot's description
 * @t: the table
 * @slot: slot number below asite_sites_used()
 *
 * Context: any; the owner's lock for what is behind @state and @text.
 * Return: the description, of a stack that of its site; NULL if the slot is not published yet.
 */
struct asite_site *asite_sites_site(const struct asite_sitetab *t,
				    unsigned int slot);

/**
 * asite_sites_retire() - forget keys so that no later event finds them
 * @t: the table
 * @match: true for a site to retire; asked of those whose key is dead already
 *	too; may set its state and text
 * @data: handed to @match
 *
 * The slots stay, with what they counted. Calls may race with each other; what
 * @match writes is its own affair. No event of a matching site may be in flight:
 * it could publish its key afterwards.
 *
 * Context: that of @match; takes time in proportion to the sites in use.
 * Return: number of keys retired.
 */
unsigned int asite_sites_retire(struct asite_sitetab *t,
				bool (*match)(struct asite_site *site, void *data),
				void *data);

/**
 * asite_sites_watch() - let events of a site come to the slow paths, or no longer
 * @t: the table
 * @slot: its slot, below asite_sites_used()
 * @watch: which
 *
 * Handlers that are under way may have seen the key as it was.
 *
 * Context: any.
 * Return: false if it has no key any more, or it was so.
 */
bool asite_sites_watch(struct asite_sitetab *t, unsigned int slot, bool watch);

/* Of a key that was found: is it watched? */
static inline bool asite_key_watched(const struct asite_key *key)
{
	/* Text is negative, and what stands for no caller is small. */
	return (long)READ_ONCE(key->caller) > (long)ASITE_KEY_LOST;
}

/* The call site, watched or not; or one of ASITE_KEY_*. */
static inline unsigned long asite_key_caller(const struct asite_key *key)
{
	unsigned long caller = READ_ONCE(key->caller);

	return caller <= ASITE_KEY_LOST ? caller : caller | ASITE_KEY_TEXT;
}

/**
 * asite_sites_reset() - forget every site; the batches stay
 * @t: the table
 *
 * Context: task, may sleep; no hook may be attached, and no live word may be
 * left that names a slot.
 */
void asite_sites_reset(struct asite_sitetab *t);

/* The hot path. */
#include <allocsite/sites_find.h>

#endif /* ALLOCSITE_SITES_H */
