/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Area table: vmalloc areas and percpu objects that are followed, by their full
 * address. They are few and large: what matters here is that none is lost, not
 * an instruction. Slab objects are in objtab.h, pages in the page map.
 *
 * An entry is two words:
 *
 *	63                        0      63                 18 17          0
 *	| address, 0 when free    |      | bytes, 46 bits     | slot, 18     |
 *
 * An address may stand in each entry of a window of ASITE_AREA_WINDOW of them
 * that begins where its hash says. So a removal that finds nothing there knows
 * that the area is not followed, and an insert sees whether its own address is
 * there already, that is, whether a free was missed: both look at all of it.
 * vmalloc addresses and percpu pointers (offsets, on x86) share one table, as
 * no number is both.
 *
 * Contexts: insert, remove and resize run in any context, NMI included: no
 * lock, no allocation, bounded time.
 *
 * Invariants
 *  - Only who owns an area (got its address from the allocator and has not
 *    given it back) writes an entry that holds its address. Others only turn
 *    an address of 0 into one of their own, by cmpxchg. So for the owner the
 *    window is stable in what matters: his address cannot come or go.
 *  - The second word belongs to whoever's address is in the first: it is
 *    written after the claim and read before the release, so nobody ever sees
 *    one that another has left, whichever entries are reused meanwhile.
 *  - While the address is 0 the second word is 0, too, and has slot 0 then: who reads both
 *    words at once sees an area with its slot, or one that has none yet.
 */
#ifndef ALLOCSITE_AREAS_H
#define ALLOCSITE_AREAS_H

#include <linux/types.h>

#include <allocsite/objtab.h>

#define ASITE_AREA_WINDOW	32
#define ASITE_AREA_BYTES_BITS	(64 - ASITE_SLOT_BITS)
#define ASITE_MAX_AREAS_LIMIT	(1UL << 30)

/**
 * struct asite_area - what the table knows of an area
 * @addr: its address
 * @bytes: bytes it is accounted with
 * @slot: slot number of its site
 */
struct asite_area {
	unsigned long addr;
	u64 bytes;
	u32 slot;
};

/* An area as the table holds it, see above. */
struct asite_area_entry {
	unsigned long addr;
	u64 rest;
};

static_assert(sizeof(struct asite_area_entry) == 16, "four entries to a cache line");

/**
 * struct asite_areatab - an area table
 * @entries: 64-byte aligned, a power of two of them
 * @mask: entries - 1
 */
struct asite_areatab {
	struct asite_area_entry *entries;
	unsigned long mask;
};

/**
 * asite_areatab_init() - make an empty table
 * @t: the table, zeroed
 * @max_areas: how many areas it should hold; they fill at most half of it
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or -EINVAL when @max_areas is above ASITE_MAX_AREAS_LIMIT.
 */
int asite_areatab_init(struct asite_areatab *t, unsigned long max_areas);

/**
 * asite_areatab_destroy() - free a table
 * @t: the table; one that asite_areatab_init() refused is fine
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_areatab_destroy(struct asite_areatab *t);

/**
 * asite_areatab_reset() - empty the table, the start of an epoch
 * @t: the table
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_areatab_reset(struct asite_areatab *t);

/**
 * asite_areatab_bytes() - memory the table holds
 * @t: the table
 *
 * Context: any.
 * Return: bytes.
 */
size_t asite_areatab_bytes(const struct asite_areatab *t);

/**
 * asite_areatab_count() - entries in use
 * @t: the table
 *
 * Context: task, may sleep; a moving target while hooks are attached.
 * Return: areas followed.
 */
unsigned long asite_areatab_count(const struct asite_areatab *t);

/**
 * asite_areatab_insert() - follow an area
 * @t: the table
 * @addr: its address; 0 is nobody's
 * @slot: slot number of its site
 * @bytes: bytes it is accounted with, less than 64 TiB
 * @old: set to what was replaced, for 1
 *
 * Context: any, NMI included; the caller owns @addr.
 * Return: 0; 1 when @addr was there (its free was missed) and was replaced;
 * -ENOSPC when there is no room near, or @addr or @bytes do not fit an entry:
 * then it is not followed.
 */
int asite_areatab_insert(struct asite_areatab *t, unsigned long addr, u32 slot,
			 u64 bytes, struct asite_area *old);

/**
 * asite_areatab_remove() - stop following an area
 * @t: the table
 * @addr: its address
 * @old: set to what was removed
 *
 * Call it before the allocator gets the area back.
 *
 * Context: any, NMI included; the caller owns @addr.
 * Return: false if it was not followed.
 */
bool asite_areatab_remove(struct asite_areatab *t, unsigned long addr,
			  struct asite_area *old);

/**
 * asite_areatab_follows() - is an area in the table?
 * @t: the table
 * @addr: its address; the caller owns the area
 *
 * Context: any, NMI included.
 * Return: true if it is.
 */
bool asite_areatab_follows(const struct asite_areatab *t, unsigned long addr);

/**
 * asite_areatab_look() - whose is an area, asked by somebody who does not own it
 * @t: the table
 * @addr: its address
 * @area: filled in; slot 0 if it is about to come or go
 *
 * What the owner did before he published the slot is seen afterwards.
 *
 * Context: any.
 * Return: false if it is not followed.
 */
bool asite_areatab_look(const struct asite_areatab *t, unsigned long addr,
			struct asite_area *area);

/**
 * asite_areatab_resize() - an area stays where it is, with another size
 * @t: the table
 * @addr: its address
 * @bytes: bytes it is accounted with from now on, less than 64 TiB
 * @old: set to what it was before
 *
 * Context: any, NMI included; the caller owns @addr.
 * Return: false if it is not followed or @bytes do not fit: nothing was changed.
 */
bool asite_areatab_resize(struct asite_areatab *t, unsigned long addr, u64 bytes,
			  struct asite_area *old);

#endif /* ALLOCSITE_AREAS_H */
