/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack depot, hot path: a stack is found in its first place of the index, or the second. Layout
 * and invariants are in depot.h; what is not found here is found or inserted in depot.c.
 *
 * Contexts: any, NMI included. Writes nothing but the zeros behind the caller's frames.
 */
#ifndef ALLOCSITE_DEPOT_FIND_H
#define ALLOCSITE_DEPOT_FIND_H

#include <allocsite/depot.h>

/**
 * asite_depot_find_slow() - find a stack that is not in its first place, or insert it
 * @d: the depot
 * @stack: the stack, with zeros behind it
 * @nr: its frames
 * @hash: asite_depot_hash_end()
 *
 * Context: any, NMI included.
 * Return: its handle, or -1 when there is no room (counted by cause).
 */
long asite_depot_find_slow(struct asite_depot *d, const struct asite_depot_stack *stack,
			   unsigned int nr, u64 hash);

/* The hash of a stack: this, then a step for each frame, leaf first. */
#define ASITE_DEPOT_HASH	0ULL

/* Frames of one stack are multiplied by different powers, so order matters. */
static __always_inline u64 asite_depot_hash(u64 hash, u32 frame)
{
	return (hash + frame) * 0x9E3779B97F4A7C15ULL;
}

/*
 * The last step. The upper bits count, which a product's lower bits all reach; but without
 * folding, all steps are linear: of 3,000 stacks that differ by 4 bytes each in one frame, 1,052
 * found no place in an index of 8,192.
 */
static __always_inline u64 asite_depot_hash_end(u64 hash, u32 owner)
{
	return asite_depot_hash(hash ^ hash >> 32, owner);
}

/* Number of the place in the upper half, tag in the lower. */
static __always_inline u64 asite_depot_first(const struct asite_depot *d, u64 hash)
{
	return hash >> d->shift;
}

/* What makes a place of a handle, and a handle of a place. */
static __always_inline u32 asite_depot_tag(const struct asite_depot *d, u64 first)
{
	return ((u32)first & d->tag_mask) | ASITE_DEPOT_LIVE;
}

/* The handle in an entry of the index; above d->handle_mask if its stack has another hash. */
static __always_inline u32 asite_depot_handle(const struct asite_depot *d, u32 entry, u64 first)
{
	return entry ^ asite_depot_tag(d, first);
}

/* Is this the record of a stack? By 16 bytes from the end: there are zeros behind both. */
static __always_inline bool asite_depot_is(const struct asite_depot *d, u32 handle,
					   const struct asite_depot_stack *stack,
					   unsigned int nr)
{
	const struct asite_depot_pool *pool = asite_depot_pool(d, handle);
	const struct asite_depot_stack *record = asite_depot_record(pool, handle);
	unsigned long left = (nr / 4 + 1) * 16;
	const u64 *a, *b;

	if (unlikely(nr >= pool->frames)) {
		if (nr > pool->frames)
			return false;
	} else if (unlikely(record->frames[nr])) {
		return false;
	}
	do {
		a = (const void *)stack + left;
		b = (const void *)record + left;
		if (unlikely((a[-2] ^ b[-2]) | (a[-1] ^ b[-1])))
			return false;
		left -= 16;
	} while (left);
	return true;
}

/**
 * asite_depot_find() - the handle of a stack
 * @d: the depot
 * @stack: owner and frames; four zeros are put behind the frames (two stores; three count)
 * @nr: how many frames, at most ASITE_DEPOT_FRAMES
 * @hash: ASITE_DEPOT_HASH, and an asite_depot_hash() for each frame
 *
 * Context: any, NMI included.
 * Return: as asite_depot_find_slow().
 */
static __always_inline long asite_depot_find(struct asite_depot *d,
					     struct asite_depot_stack *stack,
					     unsigned int nr, u64 hash)
{
	u32 *end = stack->frames + nr;
	u32 handle;
	u64 first;

	hash = asite_depot_hash_end(hash, stack->owner);
	first = asite_depot_first(d, hash);
	end[0] = 0;
	end[1] = 0;
	end[2] = 0;
	end[3] = 0;
	/* Pairs with the cmpxchg in publish(). */
	handle = asite_depot_handle(d, smp_load_acquire(&d->index[first >> 32]), first);
	if (unlikely(handle > d->handle_mask))
		/* Another was first: the next place in its line. Pairs as above. */
		handle = asite_depot_handle(d, smp_load_acquire(&d->index[first >> 32 ^ 1]), first);
	if (likely(handle <= d->handle_mask) && likely(asite_depot_is(d, handle, stack, nr)))
		return handle;
	return asite_depot_find_slow(d, stack, nr, hash);
}

#endif /* ALLOCSITE_DEPOT_FIND_H */
