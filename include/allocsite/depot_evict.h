/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack depot, eviction: only with "make EVICT=1". Without, none of it is in the object
 * code: no symbol, branch or counter (selftests/unit/depot_objects.sh shows it).
 *
 * A record is evicted in two steps, as a handler may have found it a moment ago:
 *
 *	asite_depot_evict_begin()	records that are idle are unlinked
 *	a grace period of the owner's handlers
 *	asite_depot_evict_end()		those still idle go to the ring of their class
 *
 * Idle means that no live object names it: frees of all CPUs, summed before allocations are,
 * equal these. What else counts (a use since it was looked at last) is the owner's affair.
 * A record that is idle no more stays as it is, unlinked: to link it again could fail, or
 * meet a twin inserted meanwhile; its objects name it all the same, and a later round gives
 * it back when they are gone.
 *
 * A record that an insert lost to another is given back too. So is one that was retired.
 *
 * The ring: one producer, evict_end() under the owner's lock; consumers are inserts, in any
 * context. @head only grows, 64 bits wide, so a compare-exchange that succeeds took the
 * handle that was read before: there is no ABA.
 *
 * Readers: who walks records under the owner's lock never sees one reused.
 *
 * Dead places of the index are used again, or they would fill it for ever. A stack that is
 * behind one can then be inserted before it by another CPU: a duplicate, see depot.h.
 */
#ifndef ALLOCSITE_DEPOT_EVICT_H
#define ALLOCSITE_DEPOT_EVICT_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#ifndef ASITE_EVICT
#define ASITE_EVICT	0
#endif

struct asite_depot;
struct asite_depot_class;

#if ASITE_EVICT

/* Records of a class that wait for a stack, at most; so many of all are evicted at a time. */
#define ASITE_DEPOT_RING	1024U

/**
 * struct asite_depot_evict_ring - records of one class that were given back
 * @handles: ASITE_DEPOT_RING of them
 * @head: next to take; any context
 * @tail: next to put; under the owner's lock
 */
struct asite_depot_evict_ring {
	u32 *handles;
	atomic_long_t head;
	unsigned long tail;
};

/**
 * struct asite_depot_evict - eviction's state; all under the owner's lock
 * @victims: handles between begin and end
 * @nr_victims: how many
 * @rests: the owner asks not to be kicked for it
 * @hand: the record after that which was looked at last
 * @evicted: records given back, for asite_depot_evicted()
 * @kept: victims that were in use at the end
 * @regained: of those lost by inserts, given back
 */
struct asite_depot_evict {
	u32 *victims;
	unsigned int nr_victims;
	bool rests;
	u32 hand;
	u64 evicted;
	u64 kept;
	u64 regained;
};

/**
 * asite_depot_evict_begin() - choose records that are idle, unlink them
 * @d: the depot; no eviction is underway
 * @want: how many at most, no more than ASITE_DEPOT_RING
 * @idle: does nothing live name this record?
 * @data: handed to @idle
 *
 * Goes on where it stopped, at most once round. Passes over classes whose ring is full.
 *
 * Context: task, may sleep; the owner's lock.
 * Return: how many; if any, wait for the handlers, then call asite_depot_evict_end().
 */
unsigned int asite_depot_evict_begin(struct asite_depot *d, unsigned int want,
				     bool (*idle)(const struct asite_depot *d, u32 handle,
						  void *data),
				     void *data);

/**
 * asite_depot_evict_end() - give back what is still idle
 * @d: the depot
 * @idle: as before
 * @release: the record is about to be reused: move its totals elsewhere, zero its counters
 * @data: handed to both
 *
 * Context: task; the owner's lock; every handler that ran when asite_depot_evict_begin()
 * returned has ended.
 * Return: records given back.
 */
unsigned int asite_depot_evict_end(struct asite_depot *d,
				   bool (*idle)(const struct asite_depot *d, u32 handle,
						void *data),
				   void (*release)(const struct asite_depot *d, u32 handle,
						   void *data),
				   void *data);

/**
 * asite_depot_evict_wanted() - is it time to evict?
 * @d: the depot
 *
 * Context: any.
 * Return: true if a class has few records left and gets no more pools.
 */
bool asite_depot_evict_wanted(const struct asite_depot *d);

/**
 * asite_depot_evict_wants() - would it help if this record were given back?
 * @d: the depot
 * @handle: the record
 *
 * Context: any.
 * Return: true if its class is such a one.
 */
bool asite_depot_evict_wants(const struct asite_depot *d, u32 handle);

/* For depot.c. */
long asite_depot_evict_take(struct asite_depot *d, struct asite_depot_class *class, long handle);
int asite_depot_evict_init(struct asite_depot *d);
void asite_depot_evict_destroy(struct asite_depot *d);
void asite_depot_evict_reset(struct asite_depot *d);

/* May a place of the index be taken? It has not ASITE_DEPOT_LIVE. */
static __always_inline bool asite_depot_place_free(u32 entry)
{
	return !(entry >> 31);
}

#else

struct asite_depot_evict_ring {
};

struct asite_depot_evict {
};

static __always_inline long asite_depot_evict_take(struct asite_depot *d,
						   struct asite_depot_class *class, long handle)
{
	return handle;
}

static inline int asite_depot_evict_init(struct asite_depot *d)
{
	return 0;
}

static inline void asite_depot_evict_destroy(struct asite_depot *d)
{
}

static inline void asite_depot_evict_reset(struct asite_depot *d)
{
}

static __always_inline bool asite_depot_place_free(u32 entry)
{
	return !entry;
}

#endif /* ASITE_EVICT */

#endif /* ALLOCSITE_DEPOT_EVICT_H */
