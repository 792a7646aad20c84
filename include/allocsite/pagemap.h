/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page map: for each page frame followed, one 32-bit word that says which slot its
 * free is charged to. This header holds the layout and the hot path.
 *
 *	31      30    29   28      27    21 20        3 2   0
 *	| moved | old | head | slot 0 | unused | slot     | 0   |
 *
 * A word is 0 when its frame is not followed. Every frame of a block has the block's slot,
 * and the first of several frames is the head. So a block may be freed whole, in parts, or
 * frame by frame, in any order: what is freed clears and counts its own words, and nothing
 * needs to know how a block was split. Frees count frames, heads count blocks.
 *
 * Words stand in leaves of 1 GiB of address space each (1 MiB of words), made for memory that
 * is present; an index has a place for each leaf below 64 TiB.
 *
 * Contexts: all but set-up runs in any context, NMI included: no lock, no allocation.
 *
 * Invariants
 *  - Only who owns a frame (allocated it and has not given it back) writes its word. So every
 *    update is a plain store.
 *  - A leaf, once there, stays until asite_pagemap_destroy().
 */
#ifndef ALLOCSITE_PAGEMAP_H
#define ALLOCSITE_PAGEMAP_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include <allocsite/objtab.h>

#define ASITE_LEAF_SHIFT	18	/* frames of a leaf */
#define ASITE_LEAF_FRAMES	(1UL << ASITE_LEAF_SHIFT)
#define ASITE_LEAF_BYTES	(ASITE_LEAF_FRAMES * sizeof(u32))
/* Frames of 4 KiB below 64 TiB, as live words have it. */
#define ASITE_MAX_LEAVES	(1UL << (ASITE_ADDR_BITS - 12 - ASITE_LEAF_SHIFT))

/* The slot, where objtab has it. A word below this, and not 0, is that of a plain frame. */
#define ASITE_PAGE_FLAGS	(1U << (ASITE_SLOT_BITS + ASITE_GEN_BITS))
#define ASITE_PAGE_SLOT		(ASITE_PAGE_FLAGS - 1)
#define ASITE_PAGE_SLOT_0	(1U << 28)	/* slot 0, which alone would look like no word */
#define ASITE_PAGE_HEAD		(1U << 29)	/* the first of several frames */
/* Was there before; its free is an unknown one. */
#define ASITE_PAGE_OLD		(1U << 30)
/* Its content, and with it its word, moved to a frame nobody told of: no free of anything. */
#define ASITE_PAGE_MOVED	(1U << 31)

static_assert(ASITE_PAGE_FLAGS <= ASITE_PAGE_SLOT_0, "fields of a word must not overlap");

/**
 * struct asite_pagemap - a page map
 * @leaves: for each leaf, the address where the word of frame 0 would be, were the leaf the
 *	whole map; 0: absent
 */
struct asite_pagemap {
	unsigned long *leaves;
};

/**
 * struct asite_page_run - frames of one slot that were taken out of the map
 * @word: the slot in its place, and ASITE_PAGE_* flags but for the head's
 * @frames: how many
 * @heads: heads among them
 */
struct asite_page_run {
	u32 word;
	unsigned long frames;
	unsigned long heads;
};

/**
 * asite_pagemap_init() - make a map without leaves
 * @t: the map, zeroed
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int asite_pagemap_init(struct asite_pagemap *t);

/**
 * asite_pagemap_destroy() - free a map
 * @t: the map; one that asite_pagemap_init() refused is fine
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_pagemap_destroy(struct asite_pagemap *t);

/**
 * asite_pagemap_missing() - memory that leaves for a range would take
 * @t: the map
 * @pfn: first frame
 * @frames: how many
 *
 * Context: any; callers exclude asite_pagemap_add().
 * Return: bytes, 0 if all are there.
 */
size_t asite_pagemap_missing(const struct asite_pagemap *t, unsigned long pfn,
			     unsigned long frames);

/**
 * asite_pagemap_add() - make the leaves of a range of frames
 * @t: the map
 * @pfn: first frame
 * @frames: how many
 *
 * Leaves that are there are left alone.
 *
 * Context: task, may sleep; callers exclude each other.
 * Return: 0, -ENOMEM, or -EOPNOTSUPP for frames beyond 64 TiB; leaves made before stay.
 */
int asite_pagemap_add(struct asite_pagemap *t, unsigned long pfn, unsigned long frames);

/**
 * asite_pagemap_reset() - forget all frames: the start of an epoch
 * @t: the map
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_pagemap_reset(struct asite_pagemap *t);

/**
 * asite_pagemap_bytes() - memory it takes
 * @t: the map
 *
 * Context: any.
 * Return: bytes.
 */
size_t asite_pagemap_bytes(const struct asite_pagemap *t);

/**
 * asite_pagemap_count() - frames that are followed
 * @t: the map
 *
 * Context: task, may sleep; takes time in proportion to memory.
 * Return: frames.
 */
u64 asite_pagemap_count(const struct asite_pagemap *t);

/**
 * asite_pagemap_take() - forget frames, up to the first of another slot
 * @t: the map
 * @pfn: first frame
 * @frames: how many at most, at least 1
 * @run: filled in; @run->word is 0 where nothing was followed
 *
 * Context: any, NMI included; the caller owns the frames.
 * Return: frames dealt with, at least 1.
 */
unsigned long asite_pagemap_take(struct asite_pagemap *t, unsigned long pfn,
				 unsigned long frames, struct asite_page_run *run);

/**
 * asite_pagemap_swap() - the contents of frames moved: their words follow
 * @t: the map
 * @to: first frame of where to
 * @from: first frame of where from
 * @frames: how many
 *
 * What was allocated for the target becomes the source's, whose free it will balance. A target
 * that nobody allocated (a block that compaction took) leaves ASITE_PAGE_MOVED behind.
 *
 * Context: any; the caller owns both.
 */
void asite_pagemap_swap(struct asite_pagemap *t, unsigned long to, unsigned long from,
			unsigned long frames);

/**
 * asite_pagemap_used() - is a frame followed?
 * @word: its word
 *
 * Return: true if it is.
 */
static __always_inline bool asite_pagemap_used(u32 word)
{
	return word & (ASITE_PAGE_SLOT | ASITE_PAGE_SLOT_0);
}

/**
 * asite_pagemap_bits() - the word of a plain frame
 * @bits: asite_key.bits of its site
 *
 * Return: the word.
 */
static __always_inline u32 asite_pagemap_bits(u64 bits)
{
	return bits ?: ASITE_PAGE_SLOT_0;
}

/* The leaf that a frame's word is in, or 0; of a frame below 64 TiB. */
static __always_inline unsigned long asite_pagemap_leaf(const struct asite_pagemap *t,
							unsigned long pfn)
{
	/* A device's, or memory that was added beyond 64 TiB. */
	if (unlikely(pfn >> ASITE_LEAF_SHIFT >= ASITE_MAX_LEAVES))
		return 0;
	/* Pairs with the release in add_leaf(). */
	return READ_ONCE(t->leaves[pfn >> ASITE_LEAF_SHIFT]);
}

/* The word of a frame; those of a leaf's frames are an array. */
static __always_inline u32 *asite_pagemap_at(unsigned long leaf, unsigned long pfn)
{
	return (u32 *)(leaf + pfn * sizeof(u32));
}

/**
 * asite_pagemap_word() - where a frame's word is
 * @t: the map
 * @pfn: the frame, below 64 TiB
 *
 * Context: any.
 * Return: its place, or NULL if its leaf is absent.
 */
static __always_inline u32 *asite_pagemap_word(const struct asite_pagemap *t, unsigned long pfn)
{
	unsigned long leaf = asite_pagemap_leaf(t, pfn);

	return leaf ? asite_pagemap_at(leaf, pfn) : NULL;
}

#endif /* ALLOCSITE_PAGEMAP_H */
