/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack depot: each stack once, under a number, its handle. An instance is
 * all there is: nothing is global. This header holds the layout and what the
 * owner calls; the hot path is in depot_find.h, eviction in depot_evict.h.
 *
 * A record is the stack's owner, a number of the user's (the call site's slot, which
 * stands for the leaf frame), and the frames above it, leaf first:
 *
 *	u32 owner | u32 frames[class]	zero terminated, unless the class is full
 *
 * Nothing else is in it: no hash (the index has some bits of it, and it can be computed
 * again), no length (a frame is never 0), no counters. A *class* is how many frames a slot
 * holds; a *pool* is one allocation of 512 records of one class. Classes are 3, 7, 11 ...
 * frames, so that records are multiples of 16 bytes and are compared by 8 at a time.
 *
 * A handle is pool number << 9 | record of the pool, below asite_depot_max(). The user
 * has an array of counters for each pool, as a batch of the site table has, made in
 * ops->add_pool(): so counts are per record and per CPU, and neither a lookup nor a
 * free writes a line that CPUs share. References are such counters too: live is
 * allocations less frees, summed over CPUs.
 *
 * The index is open-addressed, a u32 for each place, at least twice as many as stacks:
 *
 *	 31    30         n           0
 *	| live | hash bits | handle    |	0: empty, 1: dead
 *
 * So entry ^ (live | hash bits) is the handle if it is below a power of two: one comparison
 * tells empty and dead places, and stacks of other hashes. A stack may be in 64 places,
 * those whose number differs from its hash's in the low 6 bits: four cache lines, its own first.
 *
 * Contexts: find runs in any context, NMI included: no lock, no allocation, bounded
 * time. The owner serialises all else with a lock of its own.
 *
 * Lifetime: a handle stays valid, and its record unchanged, until asite_depot_reset() or
 * asite_depot_destroy(), which need every hook detached; with eviction, until release().
 *
 * Invariants
 *  - A place of the index goes empty -> live -> dead; only with eviction dead -> live. It
 *    is published by one cmpxchg, which releases; who reads it (acquire) sees the record.
 *  - The owner of a record is written last (release), so that who walks records sees whole
 *    ones. 0: not in use. ASITE_DEPOT_LOST: another was first to insert that stack.
 *  - A stack may be there twice (inserted while its place was made dead, or where one was dead
 *    before): both count, the reader adds them up. Nothing may assume that it has one handle.
 */
#ifndef ALLOCSITE_DEPOT_H
#define ALLOCSITE_DEPOT_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <allocsite/depot_evict.h>

#define ASITE_DEPOT_POOL_SHIFT	9
#define ASITE_DEPOT_POOL	(1U << ASITE_DEPOT_POOL_SHIFT)
/* Of the largest class. */
#define ASITE_DEPOT_FRAMES	63
#define ASITE_DEPOT_MAX_STACKS	(1U << 24)
#define ASITE_DEPOT_CLASSES	16

/* Owners that no stack may have. */
#define ASITE_DEPOT_NOBODY	0U
#define ASITE_DEPOT_LOST	(~0U)

/* Places of the index. */
#define ASITE_DEPOT_EMPTY	0U
#define ASITE_DEPOT_DEAD	1U
#define ASITE_DEPOT_LIVE	(1U << 31)

/**
 * struct asite_depot_stack - a stack, as it is looked for and as a record holds it
 * @owner: the user's number; not ASITE_DEPOT_NOBODY or ASITE_DEPOT_LOST
 * @frames: leaf first; the last four are room for the zeros that asite_depot_find() adds
 * @words: the same, for comparison
 *
 * A record has as much of it as its class takes.
 */
struct asite_depot_stack {
	union {
		struct {
			u32 owner;
			u32 frames[ASITE_DEPOT_FRAMES + 4];
		};
		u64 words[(ASITE_DEPOT_FRAMES + 5) / 2];
	};
};

struct asite_depot;

/**
 * struct asite_depot_ops - what the depot asks of its user
 * @add_pool: pool @nr is about to come into use: make its counters; called by
 *	asite_depot_init() and asite_depot_grow(), 0 or -errno. Called again for the same
 *	pool only after an error
 * @kick: get asite_depot_grow() called soon, and where it is built in, eviction; any
 *	context, NMI included, and often
 */
struct asite_depot_ops {
	int (*add_pool)(struct asite_depot *d, unsigned int nr);
	void (*kick)(struct asite_depot *d);
};

/**
 * struct asite_depot_config - what a depot is made for
 * @classes: frames that slots hold, ascending, each 4n + 3 and at most ASITE_DEPOT_FRAMES
 * @nr_classes: 1 to ASITE_DEPOT_CLASSES
 * @max_stacks: bound of records, rounded up to whole pools
 * @max_bytes: bound of the depot's memory, index included; the user's counters are not
 * @ops: the user's callbacks
 * @data: the user's
 */
struct asite_depot_config {
	const u16 *classes;
	unsigned int nr_classes;
	unsigned int max_stacks;
	u64 max_bytes;
	const struct asite_depot_ops *ops;
	void *data;
};

/**
 * struct asite_depot_pool - a pool
 * @origin: where the record of handle 0 would be, were all of this class
 * @bytes: of a record
 * @frames: that a record holds
 */
struct asite_depot_pool {
	unsigned long origin;
	u32 bytes;
	u32 frames;
};

/**
 * struct asite_depot_class - the records of one class
 * @next: next to hand out, counted through the class's pools; never falls
 * @ready: how many there are; grows under the owner's lock
 * @pools: numbers of its pools, in the order in which they were made
 * @frames: frames that a slot holds
 * @wanted: a stack of this class came
 * @closed: there will be no more pools of it
 * @ring: records that eviction gave back
 */
struct asite_depot_class {
	atomic_t next;
	u32 ready;
	u16 *pools;
	u16 frames;
	bool wanted;
	bool closed;
	struct asite_depot_evict_ring ring;
};

/* Events of a depot on one CPU, see struct asite_depot_stats. */
struct asite_depot_counts {
	u64 inserts;
	u64 races;
	u64 full;
	u64 late;
	u64 far;
	u64 deep;
};

/**
 * struct asite_depot - a depot
 * @index: places, a power of two of them
 * @pools: by number; those below @nr_pools are there
 * @shift: what leaves of a hash the place's number in the upper half, the tag in the lower
 * @handle_mask: the bits of a place that are the handle
 * @tag_mask: the others
 * @nr_pools: pools that are there; grows under the owner's lock
 * @max_pools: length of @pools
 * @nr_classes: classes in use
 * @max_bytes: bound of @bytes
 * @bytes: memory held; under the owner's lock
 * @refused: times that there was no memory for a pool; under the owner's lock
 * @counts: events
 * @ops: the user's callbacks
 * @data: the user's
 * @evict: what eviction needs; takes no room where it is not built in
 * @class_of: the smallest class for so many frames
 * @classes: in the order of their size
 */
struct asite_depot {
	u32 *index;
	struct asite_depot_pool *pools;
	u32 shift;
	u32 handle_mask;
	u32 tag_mask;
	u32 nr_pools;
	u32 max_pools;
	u32 nr_classes;
	u64 max_bytes;
	u64 bytes;
	u64 refused;
	struct asite_depot_counts __percpu *counts;
	const struct asite_depot_ops *ops;
	void *data;
	struct asite_depot_evict evict;
	u8 class_of[ASITE_DEPOT_FRAMES + 1];
	struct asite_depot_class classes[ASITE_DEPOT_CLASSES] ____cacheline_aligned_in_smp;
};

/**
 * struct asite_depot_stats - what a depot holds and what became of events
 * @records: stacks, retired ones included
 * @bytes: memory held
 * @pool_bytes: of it, pools
 * @index_bytes: of it, the index
 * @used_bytes: of the pools, owners and frames of stacks
 * @rounding_bytes: of the pools, what these stacks' classes are larger
 * @dead: places of the index used up
 * @inserts: records published
 * @races: records lost because another CPU inserted the same stack first
 * @full: not recorded: a bound was reached
 * @late: not recorded: the next pool was not there yet
 * @far: not recorded: no place of the index near
 * @deep: not recorded: more frames than the largest class has
 * @refused: times that there was no memory for a pool
 * @fixed_bytes: what lib/stackdepot would take for the same stacks in slots of 64 frames
 * @exact_bytes: the same in its records of exact size
 */
struct asite_depot_stats {
	u64 records;
	u64 bytes;
	u64 pool_bytes;
	u64 index_bytes;
	u64 used_bytes;
	u64 rounding_bytes;
	u64 dead;
	u64 inserts;
	u64 races;
	u64 full;
	u64 late;
	u64 far;
	u64 deep;
	u64 refused;
	u64 fixed_bytes;
	u64 exact_bytes;
};

/**
 * asite_depot_init() - make an empty depot
 * @d: the depot, zeroed
 * @config: what it is for
 *
 * The largest class gets its first pool now, so that there is room for any stack: one that
 * finds none in its class takes a larger one. The other classes do too if all first pools
 * together take no more than an eighth of either bound; else when a first stack comes.
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, -EINVAL for a config that is not as said there, -ENOSPC when @max_bytes
 * has no room for the index and a pool, or what add_pool() returned.
 */
int asite_depot_init(struct asite_depot *d, const struct asite_depot_config *config);

/**
 * asite_depot_destroy() - free a depot
 * @d: the depot; one that asite_depot_init() refused is fine
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_depot_destroy(struct asite_depot *d);

/**
 * asite_depot_reset() - forget every stack; the pools stay
 * @d: the depot
 *
 * The user's counters are the user's to reset.
 *
 * Context: task, may sleep; no hook may be attached, and nothing be left that has a handle.
 */
void asite_depot_reset(struct asite_depot *d);

/**
 * asite_depot_grow() - make pools ahead, where few records are left
 * @d: the depot
 *
 * Context: task, may sleep; the owner's lock.
 * Return: 0, also when a bound is reached; -ENOMEM or what add_pool() returned.
 */
int asite_depot_grow(struct asite_depot *d);

/**
 * asite_depot_next() - walk the records in use
 * @d: the depot
 * @handle: the last one, or -1
 *
 * Context: any; the owner's lock, where eviction is built in: else what it returns may be
 * released and reused meanwhile.
 * Return: the next handle, or -1 at the end.
 */
long asite_depot_next(const struct asite_depot *d, long handle);

/**
 * asite_depot_frames() - the frames of a record
 * @d: the depot
 * @handle: its handle
 * @nr: set to how many they are
 *
 * Context: any, NMI included.
 * Return: the frames, leaf first.
 */
const u32 *asite_depot_frames(const struct asite_depot *d, u32 handle, unsigned int *nr);

/**
 * asite_depot_unlink() - let a record be found no more
 * @d: the depot
 * @handle: its handle; a handler that found it before may still use it
 *
 * Context: any; the owner's lock.
 * Return: false if the index does not have it.
 */
bool asite_depot_unlink(struct asite_depot *d, u32 handle);

/**
 * asite_depot_indexed() - can a record be found?
 * @d: the depot
 * @handle: its handle
 *
 * Context: any; the owner's lock.
 * Return: true if the index has it.
 */
bool asite_depot_indexed(const struct asite_depot *d, u32 handle);

/**
 * asite_depot_retire() - unlink stacks, so that they are not found any more
 * @d: the depot
 * @match: is this one of them?
 * @data: handed to @match
 *
 * The records stay: live objects still name them. No event with a matching stack may be in
 * flight: it could be published afterwards.
 *
 * Context: task, may sleep; the owner's lock.
 * Return: number of stacks retired.
 */
unsigned int asite_depot_retire(struct asite_depot *d,
				bool (*match)(const struct asite_depot *d, u32 handle,
					      void *data),
				void *data);

/**
 * asite_depot_stats() - what is held, what was lost
 * @d: the depot
 * @stats: set
 *
 * Walks all records and the index.
 *
 * Context: task, may sleep; the owner's lock.
 */
void asite_depot_stats(const struct asite_depot *d, struct asite_depot_stats *stats);

static __always_inline struct asite_depot_pool *
asite_depot_pool(const struct asite_depot *d, u32 handle)
{
	return &d->pools[handle >> ASITE_DEPOT_POOL_SHIFT];
}

static __always_inline struct asite_depot_stack *
asite_depot_record(const struct asite_depot_pool *pool, u32 handle)
{
	return (void *)(pool->origin + (unsigned long)handle * pool->bytes);
}

/* The record of a handle that was handed out. */
static inline const struct asite_depot_stack *
asite_depot_stack(const struct asite_depot *d, u32 handle)
{
	return asite_depot_record(asite_depot_pool(d, handle), handle);
}

/* Frames that the slot of a record holds. */
static inline unsigned int asite_depot_class(const struct asite_depot *d, u32 handle)
{
	return asite_depot_pool(d, handle)->frames;
}

/* Handles are below this. */
static inline unsigned int asite_depot_max(const struct asite_depot *d)
{
	return d->max_pools << ASITE_DEPOT_POOL_SHIFT;
}

/* Pools that are there. */
static inline unsigned int asite_depot_pools(const struct asite_depot *d)
{
	/* Pairs with the release in add_pool(). */
	return smp_load_acquire(&d->nr_pools);
}

#endif /* ALLOCSITE_DEPOT_H */
