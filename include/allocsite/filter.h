/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frees of what is not in the sample: a count for each of 65,536 places, of the live objects
 * whose address falls there. While it is 0 an address belongs to none of them, and its free
 * is nobody's business: most frees end there.
 *
 * A place is 64 bytes of each 4 MiB: so a cache line of counts serves one page of objects, and
 * neighbours in a slab share it. The array is the module's own data, because its address is
 * then part of the instruction; 8 bits for each count, because what is full stays full.
 *
 * Contexts: any, NMI included: no lock.
 *
 * Invariant: who owns an object whose live word is published finds a count that is not 0. It
 * is raised before the word is published and lowered after it was cleared, by the owner of the
 * object both times, and a count that is full is never lowered (only slower, until reset). So
 * it may be too high, never too low.
 */
#ifndef ALLOCSITE_FILTER_H
#define ALLOCSITE_FILTER_H

#include <linux/compiler.h>
#include <linux/types.h>

#define ASITE_FILTER_SHIFT	6
#define ASITE_FILTER_PLACES	(1U << 16)
#define ASITE_FILTER_FULL	0xffU

extern u8 asite_filter[ASITE_FILTER_PLACES];

static __always_inline unsigned int asite_filter_place(unsigned long obj)
{
	return obj >> ASITE_FILTER_SHIFT & (ASITE_FILTER_PLACES - 1);
}

/**
 * asite_filter_passes() - is an object certainly not followed?
 * @obj: its address, or NULL
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: true if it is not followed; false tells nothing.
 */
static __always_inline bool asite_filter_passes(unsigned long obj)
{
	/* Stable where it matters: the owner of @obj raised it, before it had @obj. */
	return likely(!data_race(asite_filter[asite_filter_place(obj)]));
}

/**
 * asite_filter_raise() - an object is to be followed
 * @obj: its address
 *
 * Before its live word is published.
 *
 * Context: any, NMI included; the caller owns @obj.
 */
void asite_filter_raise(unsigned long obj);

/**
 * asite_filter_lower() - an object is not followed any more
 * @obj: its address
 *
 * After its live word was cleared, or was not published.
 *
 * Context: any, NMI included; the caller owns @obj.
 */
void asite_filter_lower(unsigned long obj);

/**
 * asite_filter_reset() - no object is followed
 *
 * Context: task; no hook may be attached.
 */
void asite_filter_reset(void);

/**
 * asite_filter_count() - places that are not empty
 * @full: set to how many of them are full
 *
 * Context: any; a figure for display.
 * Return: places.
 */
unsigned int asite_filter_count(unsigned int *full);

#endif /* ALLOCSITE_FILTER_H */
