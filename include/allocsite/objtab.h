/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live-object table: for each object followed, one 64-bit word that says which
 * slot its free is charged to. This header holds the layout and the hot path;
 * what happens when the preferred word is taken is in objtab.c.
 *
 *	63            21 20          3 2   0
 *	| address bits   | slot        | gen |
 *	| 45..3          | 18 bits     |     |
 *
 * A word is 0 when free. Bits 45..3 of the address name an object wherever RAM
 * ends below 64 TiB, with 4 or 5 levels of page tables: the direct map is
 * linear, so two addresses in it with equal low 46 bits are 64 TiB apart.
 * asite_objtab_init() refuses a machine with more. The whole key stands in the
 * word, so it does not matter where in the table the word stands.
 *
 * Placement: an object has one preferred word, neighbours in a slab have
 * neighbouring ones (see asite_objtab_preferred()). The eight words of a cache
 * line are a bucket. An object whose preferred word is taken lives elsewhere in
 * that (home) bucket, or in one of a few far buckets found by full hashes;
 * away[preferred] counts those. While it is 0 an object is in its preferred word or
 * nowhere: insert and remove then touch one word and one counter, and an insert
 * still cannot miss a stale word of its own address.
 *
 * Contexts: insert and remove run in any context, NMI included: no lock, no
 * allocation, bounded time.
 *
 * Invariants
 *  - Only who owns an object (allocated it and has not given it back) writes a
 *    word that holds its address. Others only turn 0 into their own word, by
 *    cmpxchg. So a word that holds an address is stable but for its owner, a
 *    removal is a plain store, and nobody ever moves words.
 *  - away[preferred] is raised before a word is put away from its preferred place
 *    and lowered after it is cleared. It may be too high for a moment, never
 *    too low for the owner of the object.
 *  - An insert that meets its own address replaces the word: its free was
 *    missed.
 */
#ifndef ALLOCSITE_OBJTAB_H
#define ALLOCSITE_OBJTAB_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define ASITE_GEN_BITS		3
#define ASITE_SLOT_BITS		18
#define ASITE_ADDR_BITS		46	/* of an address, the low 3 are 0 */
#define ASITE_TAG_SHIFT		(ASITE_GEN_BITS + ASITE_SLOT_BITS)
#define ASITE_BUCKET_WORDS	8
#define ASITE_FAR_BUCKETS	8

/*
 * Objects whose low 46 address bits are no more than this are not followed: NULL,
 * ZERO_SIZE_PTR (16), and what looks like them. So no word of an object is 0. Of all
 * addresses in the direct map at most three are so.
 */
#define ASITE_ADDR_MIN		16UL

/*
 * The two words where NULL and ZERO_SIZE_PTR would be hold this for ever, which is
 * neither's. So the fast paths need not tell them from objects: they are not inserted
 * nor found there, and the slow paths ask.
 */
#define ASITE_WORD_NOBODY	(8ULL << (64 - ASITE_ADDR_BITS))

static_assert(ASITE_TAG_SHIFT + ASITE_ADDR_BITS - 3 == 64,
	      "address, slot and generation must fill a live word");

/**
 * struct asite_objtab - a live-object table
 * @words: the live words, 64-byte aligned, a power of two of them
 * @mask: words - 1
 * @away: per word, how many objects that prefer it are elsewhere; 0 when none, else
 *	see objtab.c
 */
struct asite_objtab {
	u64 *words;
	unsigned long mask;
	u16 *away;
};

/* What asite_objtab_insert() found. */
enum asite_insert {
	ASITE_INSERTED,
	ASITE_INSERT_FULL,	/* no room: the object is not followed */
	ASITE_INSERT_STALE,	/* replaced a word of the same address */
};

/**
 * asite_objtab_init() - make an empty table
 * @t: the table, zeroed
 * @bytes: memory for live words; rounded down to a power of two, at least 4 KiB
 * @highest: bytes of address space from the start of the direct map to the end
 *	of RAM
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or -EOPNOTSUPP when @highest does not fit a word.
 */
int asite_objtab_init(struct asite_objtab *t, size_t bytes, u64 highest);

/**
 * asite_objtab_destroy() - free a table
 * @t: the table; one that asite_objtab_init() refused is fine
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_objtab_destroy(struct asite_objtab *t);

/**
 * asite_objtab_reset() - empty the table, the start of an epoch
 * @t: the table
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_objtab_reset(struct asite_objtab *t);

/**
 * asite_objtab_count() - words in use
 * @t: the table
 * @gen: count only this generation, or -1 for all
 * @away: if not NULL, set to how many are not in their preferred word
 *
 * Context: task, may sleep; a moving target while hooks are attached.
 * Return: objects followed.
 */
u64 asite_objtab_count(const struct asite_objtab *t, int gen, u64 *away);

/**
 * asite_objtab_bytes() - memory the table holds
 * @t: the table
 *
 * Context: any.
 * Return: bytes.
 */
size_t asite_objtab_bytes(const struct asite_objtab *t);

/**
 * asite_objtab_follows() - is there a word for an object?
 * @t: the table
 * @obj: the object's address
 *
 * Context: any; meaningful to the owner of @obj only.
 * Return: true if it is followed.
 */
bool asite_objtab_follows(const struct asite_objtab *t, unsigned long obj);

/**
 * asite_objtab_look() - whose is an object, asked by somebody who does not own it
 * @t: the table
 * @obj: the object's address
 *
 * What the owner did before he published the word is seen afterwards.
 *
 * Context: any.
 * Return: slot and generation as asite_objtab_remove(), or -1; of an object that comes or goes
 * meanwhile one or the other.
 */
long asite_objtab_look(const struct asite_objtab *t, unsigned long obj);

/**
 * asite_objtab_insert_slow() - insert when the preferred word will not do
 * @t: the table
 * @obj: the object's address, one that asite_objtab_takes()
 * @word: the word to store
 * @old: set to the replaced word for ASITE_INSERT_STALE
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: see enum asite_insert.
 */
enum asite_insert asite_objtab_insert_slow(struct asite_objtab *t,
					   unsigned long obj, u64 word, u64 *old);

/**
 * asite_objtab_remove_slow() - remove when the preferred word is not it
 * @t: the table
 * @obj: the object's address, one that asite_objtab_takes()
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: slot and generation as asite_objtab_remove(), or -1.
 */
long asite_objtab_remove_slow(struct asite_objtab *t, unsigned long obj);

/* The object's address in its place in a word. */
static __always_inline u64 asite_objtab_tag(unsigned long obj)
{
	return (u64)obj << (64 - ASITE_ADDR_BITS);
}

/**
 * asite_objtab_takes() - can an object of this address be followed?
 * @obj: the address
 *
 * Return: false for NULL, ZERO_SIZE_PTR, and what looks like them in 46 bits.
 */
static __always_inline bool asite_objtab_takes(unsigned long obj)
{
	return asite_objtab_tag(obj) > asite_objtab_tag(ASITE_ADDR_MIN);
}

/*
 * 64 bytes of memory have one word, 32 KiB have 512 in a row. Where the rows of two
 * 32 KiB begin lies a fixed step apart for each step in the address: such a sequence
 * (Fibonacci hashing) meets less often than chance, where a hash would meet as often, and
 * a row that meets another does with a part of its words, where rows folded in by xor
 * meet with all. Objects of less than 64 bytes are steps apart too. The step was chosen
 * by trying a few thousand on tables of 2^15 to 2^20 words, for objects of 8 to 4,096 bytes
 * in one piece, in 2 MiB blocks, in slabs and on four nodes. selftests/unit/locality.c
 * compares it with others.
 *
 * The address is taken from its place in a word, 18 bits up, where one shift brings
 * it and the product's better bits down together. That of NULL is 0.
 */
static __always_inline unsigned long
asite_objtab_preferred(const struct asite_objtab *t, unsigned long obj)
{
	return (asite_objtab_tag(obj) + (obj & ~0x7fc0UL) * 0x468FD06DUL) >> 24 & t->mask;
}

/* Slot number and generation, 0 to 7, in their places in a word. */
static __always_inline u64 asite_objtab_bits(unsigned int slot, unsigned int gen)
{
	return (u64)slot << ASITE_GEN_BITS | gen;
}

/* The whole word for an object. */
static __always_inline u64 asite_objtab_word(unsigned long obj, u64 bits)
{
	return asite_objtab_tag(obj) | bits;
}

/**
 * asite_objtab_insert_fast() - follow an object if its preferred word will do
 * @t: the table
 * @obj: the object's address, 8-byte aligned, in the direct map, one that
 *	asite_objtab_takes(); or NULL, which is never inserted
 * @word: asite_objtab_word() of it
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: false: call asite_objtab_insert_slow(), unless it was NULL; nothing was
 * changed.
 */
static __always_inline bool asite_objtab_insert_fast(struct asite_objtab *t,
						     unsigned long obj, u64 word)
{
	unsigned long i = asite_objtab_preferred(t, obj);
	u64 empty = 0;

	/* Stable where it matters: only a word of @obj's own makes it not 0. */
	if (unlikely(data_race(t->away[i])))
		return false;
	return likely(try_cmpxchg(&t->words[i], &empty, word));
}

/**
 * asite_objtab_insert() - follow an object
 * @t: the table
 * @obj: the object's address, 8-byte aligned, in the direct map
 * @bits: asite_objtab_bits() of slot and generation
 * @old: set to the replaced word for ASITE_INSERT_STALE
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: see enum asite_insert.
 */
static __always_inline enum asite_insert
asite_objtab_insert(struct asite_objtab *t, unsigned long obj, u64 bits, u64 *old)
{
	u64 word = asite_objtab_word(obj, bits);

	if (unlikely(!asite_objtab_takes(obj)))
		return ASITE_INSERT_FULL;
	if (asite_objtab_insert_fast(t, obj, word))
		return ASITE_INSERTED;
	return asite_objtab_insert_slow(t, obj, word, old);
}

/**
 * asite_objtab_remove_fast() - stop following an object in its preferred word
 * @t: the table
 * @obj: the object's address, or NULL or ZERO_SIZE_PTR, which are never found
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: as asite_objtab_remove(); -1: call asite_objtab_remove_slow().
 */
static __always_inline long asite_objtab_remove_fast(struct asite_objtab *t,
						     unsigned long obj)
{
	u64 *word = &t->words[asite_objtab_preferred(t, obj)];
	/* If it holds @obj only this caller may write it, so it is stable. */
	u64 rest = data_race(*word) ^ asite_objtab_tag(obj);

	if (unlikely(rest >= 1UL << ASITE_TAG_SHIFT))
		return -1;
	/* Release: cleared before whoever gets the object next inserts it. */
	smp_store_release(word, 0);
	return rest;
}

/**
 * asite_objtab_remove() - stop following an object
 * @t: the table
 * @obj: the object's address
 *
 * Call it before the allocator gets the object back.
 *
 * Context: any, NMI included; the caller owns @obj.
 * Return: slot << ASITE_GEN_BITS | generation, or -1 if it was not followed.
 */
static __always_inline long asite_objtab_remove(struct asite_objtab *t,
						unsigned long obj)
{
	long rest;

	if (unlikely(!asite_objtab_takes(obj)))
		return -1;
	rest = asite_objtab_remove_fast(t, obj);
	return likely(rest >= 0) ? rest : asite_objtab_remove_slow(t, obj);
}

#endif /* ALLOCSITE_OBJTAB_H */
