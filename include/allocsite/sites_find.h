/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Site table, hot path: a key is found in its first place. Layout and invariants are in
 * sites.h, which includes this.
 *
 * Contexts: any, NMI included. Writes nothing.
 */
#ifndef ALLOCSITE_SITES_FIND_H
#define ALLOCSITE_SITES_FIND_H

#include <allocsite/sites.h>

/*
 * Call sites differ in their low address bits, sizes in bits 3 to 13, caches in bits 6 to
 * 46. Bits 5 on select an entry: a product's depend on all bits below. Sizes are added after:
 * before, a size of one caller met another size of one near by. The mask is in bytes.
 * Bit 63 of a caller gets no further than bit 63: a watched key stays in its place.
 */
static __always_inline unsigned long asite_sites_hash(unsigned long caller,
						      unsigned long sub)
{
	return caller * 0x3C6EF35FUL + sub * 8;
}

/* Entries of the index. */
static inline unsigned long asite_sites_entries(const struct asite_sitetab *t)
{
	return t->index_mask / sizeof(struct asite_key) + 1;
}

static __always_inline struct asite_key *
asite_sites_key(const struct asite_sitetab *t, unsigned long hash)
{
	return (void *)t->index + (hash & t->mask_bytes);
}

/* Where the key of an event is, unless another took its place. */
static __always_inline struct asite_key *
asite_sites_first(const struct asite_sitetab *t, unsigned long caller, unsigned long sub)
{
	return asite_sites_key(t, asite_sites_hash(caller, sub));
}

/**
 * asite_sites_is() - is this the key of an event?
 * @key: asite_sites_first() of it
 * @caller: return address
 * @sub: bytes allocated or cache
 *
 * Context: any, NMI included.
 * Return: false: call asite_sites_find_slow().
 */
static __always_inline bool asite_sites_is(const struct asite_key *key,
					   unsigned long caller, unsigned long sub)
{
	/* Racy on purpose: a mismatch is only slower. */
	if (unlikely(data_race(key->caller) != caller || data_race(key->sub) != sub))
		return false;
	/* Pairs with the release in publish_key(). */
	smp_acquire__after_ctrl_dep();
	return true;
}

/**
 * asite_sites_find() - the site of an event
 * @t: the table
 * @caller: return address
 * @sub: bytes allocated or cache
 * @kind: what a new site is
 *
 * Context: any, NMI included.
 * Return: as asite_sites_find_slow(); never NULL.
 */
static __always_inline struct asite_key *
asite_sites_find(struct asite_sitetab *t, unsigned long caller,
		 unsigned long sub, enum asite_kind kind)
{
	struct asite_key *key = asite_sites_first(t, caller, sub);

	return likely(asite_sites_is(key, caller, sub)) ?
	       key : asite_sites_find_slow(t, caller, sub, kind);
}

/* As asite_sites_first(), hidden or not. */
static __always_inline struct asite_key *
asite_sites_hidden(const struct asite_sitetab *t, unsigned long caller, unsigned long sub)
{
	return (void *)t->index + (asite_sites_hash(caller, sub) & t->index_mask);
}

/* Does this key stand for events that found no slot of their own? */
static inline bool asite_sites_is_overflow(const struct asite_key *key)
{
	return key->bits >> ASITE_GEN_BITS < ASITE_OVERFLOW_SLOTS;
}

/* The counters of a slot that was handed out. */
static __always_inline struct asite_counts __percpu *
asite_sites_counts(const struct asite_sitetab *t, unsigned int slot)
{
	return t->slot_counts[slot];
}

static_assert(sizeof(void *) == 1 << ASITE_GEN_BITS,
	      "a slot number above the generation is an offset in slot_counts");

/* The same, from slot and generation as asite_objtab_remove() returns them. */
static __always_inline struct asite_counts __percpu *
asite_sites_counts_of(const struct asite_sitetab *t, u32 rest)
{
	rest &= ~(sizeof(void *) - 1);
	return *(struct asite_counts __percpu **)((char *)t->slot_counts + rest);
}

/* The same, where no generation is in it. */
static __always_inline struct asite_counts __percpu *
asite_sites_counts_at(const struct asite_sitetab *t, u32 bits)
{
	return *(struct asite_counts __percpu **)((char *)t->slot_counts + bits);
}

#endif /* ALLOCSITE_SITES_FIND_H */
