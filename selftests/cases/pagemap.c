// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page map: leaves, blocks that are freed whole and in parts, runs, swaps. The helpers
 * are for random.c, stress.c and the interleaver too.
 */

/* Its leaf and the next are there, those around are not. */
#define CASE_LEAF	4UL
#define CASE_PFN	(CASE_LEAF << ASITE_LEAF_SHIFT)
/* Where the second leaf begins. */
#define CASE_SEAM	(CASE_PFN + ASITE_LEAF_FRAMES)
#define CASE_PFN_END	(CASE_PFN + 2 * ASITE_LEAF_FRAMES)
#define CASE_INDEX	(ASITE_MAX_LEAVES * sizeof(unsigned long))

static struct asite_pagemap pages_tab;

static int pages_init(void)
{
	int err;

	memset(&pages_tab, 0, sizeof(pages_tab));
	err = asite_pagemap_init(&pages_tab);
	return err ?: asite_pagemap_add(&pages_tab, CASE_PFN, 2 * ASITE_LEAF_FRAMES);
}

static int pages_end(int err)
{
	asite_pagemap_destroy(&pages_tab);
	return err;
}

/* The word of a frame in a leaf that is there. */
static u32 page_word(const struct asite_pagemap *t, unsigned long pfn)
{
	return *asite_pagemap_word(t, pfn);
}

static u32 page_slot(unsigned int slot)
{
	return asite_pagemap_bits(asite_objtab_bits(slot, 0));
}

/* As whoever owns the frames does it. */
static void put_block(const struct asite_pagemap *t, unsigned long pfn, unsigned long frames,
		      unsigned int slot)
{
	u32 head = frames > 1 ? ASITE_PAGE_HEAD : 0;

	for (; frames--; pfn++, head = 0)
		WRITE_ONCE(*asite_pagemap_word(t, pfn), page_slot(slot) | head);
}

static void expect_run(struct asite_pagemap *t, unsigned long pfn, unsigned long ask,
		       u32 word, unsigned long frames, unsigned long heads)
{
	struct asite_page_run run = { ~0U, ~0UL, ~0UL };
	unsigned long i;

	expect_eq(asite_pagemap_take(t, pfn, ask, &run), frames);
	expect_eq(run.frames, frames);
	expect_eq(run.word, word);
	expect_eq(run.heads, heads);
	/* Of a whole leaf some, and the last: this runs on emulated CPUs too. */
	for (i = 0; i < frames && asite_pagemap_word(t, pfn); i += frames > 2048 ? 127 : 1)
		expect_eq(page_word(t, pfn + i), 0);
	if (frames && asite_pagemap_word(t, pfn))
		expect_eq(page_word(t, pfn + frames - 1), 0);
}

static int test_pagemap_init(void)
{
	struct asite_pagemap t = { };
	u64 held = asite_mem_used();

	/* Where it was not asked for, or refused, an owner of several tables need not ask. */
	asite_pagemap_reset(&t);
	asite_pagemap_destroy(&t);
	case_fail_nth(1);
	expect_eq(asite_pagemap_init(&t), -ENOMEM);
	case_fail_nth(0);
	asite_pagemap_reset(&t);
	asite_pagemap_destroy(&t);
	expect_eq(asite_mem_used(), held);
	if (asite_pagemap_init(&t))
		return -ENOMEM;
	expect_eq(asite_pagemap_bytes(&t), CASE_INDEX);
	expect_eq(asite_pagemap_count(&t), 0);
	expect(!asite_pagemap_word(&t, 0));
	asite_pagemap_destroy(&t);
	asite_pagemap_destroy(&t);
	return 0;
}

/* Ranges within one leaf, up to its end, over the seam, of several. */
static int test_pagemap_add_ranges(void)
{
	static const unsigned long first[] = { 0, 0, 1, ASITE_LEAF_FRAMES - 1, 7, 0 };
	static const unsigned long frames[] = { 1, ASITE_LEAF_FRAMES, ASITE_LEAF_FRAMES, 2, 1,
						3 * ASITE_LEAF_FRAMES + 1 };
	static const unsigned long leaves[] = { 1, 1, 2, 2, 1, 4 };
	struct asite_pagemap t = { };
	unsigned long i, leaf, pfn;
	bool there;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		if (asite_pagemap_init(&t))
			return -ENOMEM;
		pfn = CASE_PFN + first[i];
		expect_eq(asite_pagemap_missing(&t, pfn, frames[i]), leaves[i] * ASITE_LEAF_BYTES);
		expect_eq(asite_pagemap_add(&t, pfn, frames[i]), 0);
		expect_eq(asite_pagemap_missing(&t, pfn, frames[i]), 0);
		expect_eq(asite_pagemap_bytes(&t), CASE_INDEX + leaves[i] * ASITE_LEAF_BYTES);
		for (leaf = CASE_LEAF - 1; leaf < CASE_LEAF + 6; leaf++) {
			there = leaf >= CASE_LEAF && leaf < CASE_LEAF + leaves[i];
			expect_eq(!!asite_pagemap_word(&t, leaf << ASITE_LEAF_SHIFT), there);
			expect_eq(!!asite_pagemap_word(&t, ((leaf + 1) << ASITE_LEAF_SHIFT) - 1),
				  there);
		}
		asite_pagemap_destroy(&t);
	}
	return 0;
}

/* What is there is left alone; what lies between is missing. */
static int test_pagemap_add_more(void)
{
	struct asite_pagemap *t = &pages_tab;
	u32 *word;

	if (pages_init())
		return -ENOMEM;
	put_block(t, CASE_PFN_END - 8, 8, 5);
	word = asite_pagemap_word(t, CASE_PFN_END - 1);
	expect_eq(asite_pagemap_missing(t, CASE_PFN, 4 * ASITE_LEAF_FRAMES),
		  2 * ASITE_LEAF_BYTES);
	expect_eq(asite_pagemap_add(t, CASE_PFN, 4 * ASITE_LEAF_FRAMES), 0);
	expect(asite_pagemap_word(t, CASE_PFN_END - 1) == word);
	expect_eq(asite_pagemap_bytes(t), CASE_INDEX + 4 * ASITE_LEAF_BYTES);
	expect_eq(asite_pagemap_count(t), 8);
	expect_run(t, CASE_PFN_END - 8, 8, page_slot(5), 8, 1);
	return pages_end(0);
}

/* Whichever leaf fails: those before it stay, and the next call makes the rest. */
static int test_pagemap_add_out_of_memory(void)
{
	struct asite_pagemap t = { };
	unsigned int n;

	for (n = 1; n <= 3; n++) {
		if (asite_pagemap_init(&t))
			return -ENOMEM;
		case_fail_nth(n);
		expect_eq(asite_pagemap_add(&t, CASE_PFN, 3 * ASITE_LEAF_FRAMES), -ENOMEM);
		case_fail_nth(0);
		expect_eq(asite_pagemap_bytes(&t), CASE_INDEX + (n - 1) * ASITE_LEAF_BYTES);
		expect_eq(asite_pagemap_missing(&t, CASE_PFN, 3 * ASITE_LEAF_FRAMES),
			  (4 - n) * ASITE_LEAF_BYTES);
		expect_eq(asite_pagemap_add(&t, CASE_PFN, 3 * ASITE_LEAF_FRAMES), 0);
		expect_eq(asite_pagemap_bytes(&t), CASE_INDEX + 3 * ASITE_LEAF_BYTES);
		asite_pagemap_destroy(&t);
	}
	return 0;
}

/* The last frame that has a place, and one more. */
static int test_pagemap_64_tib(void)
{
	unsigned long end = ASITE_MAX_LEAVES << ASITE_LEAF_SHIFT;
	struct asite_pagemap *t = &pages_tab;

	if (pages_init())
		return -ENOMEM;
	expect_eq(asite_pagemap_add(t, end - 1, 2), -EOPNOTSUPP);
	expect_eq(asite_pagemap_add(t, end, 1), -EOPNOTSUPP);
	expect_eq(asite_pagemap_bytes(t), CASE_INDEX + 2 * ASITE_LEAF_BYTES);
	expect_eq(asite_pagemap_missing(t, end - 1, 2), ASITE_LEAF_BYTES);
	expect_eq(asite_pagemap_add(t, end - 1, 1), 0);
	put_block(t, end - 2, 2, 9);
	expect_eq(asite_pagemap_count(t), 2);
	expect_run(t, end - 2, 2, page_slot(9), 2, 1);
	return pages_end(0);
}

/* A block of each order, freed whole: its neighbours stay. */
static int test_pagemap_orders(void)
{
	struct asite_pagemap *t = &pages_tab;
	unsigned long frames, pfn;
	unsigned int order;

	if (pages_init())
		return -ENOMEM;
	for (order = 0; order <= ASITE_LEAF_SHIFT; order += order < 10 ? 1 : 8) {
		/* Up to a whole leaf. */
		frames = 1UL << order;
		pfn = CASE_SEAM;
		put_block(t, pfn - 4, 4, 1);
		put_block(t, pfn, frames, 2 + order);
		expect_eq(asite_pagemap_count(t), 4 + frames);
		expect_run(t, pfn, frames, page_slot(2 + order), frames, order > 0);
		expect_run(t, pfn, frames, 0, frames, 0);
		expect_run(t, pfn - 4, 4, page_slot(1), 4, 1);
	}
	return pages_end(0);
}

/* Smallest and largest slot, told from a frame of nobody. */
static int test_pagemap_slots(void)
{
	static const unsigned int slots[] = { 0, 1, ASITE_MAX_SITES_LIMIT - 1 };
	struct asite_pagemap *t = &pages_tab;
	unsigned int i;

	if (pages_init())
		return -ENOMEM;
	expect(!asite_pagemap_used(0) && !asite_pagemap_used(ASITE_PAGE_OLD) &&
	       !asite_pagemap_used(ASITE_PAGE_MOVED));
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		expect(asite_pagemap_used(page_slot(slots[i])));
		/* What the free of one frame takes for the place of its counters. */
		expect_eq(page_slot(slots[i]) < ASITE_PAGE_FLAGS, slots[i] != 0);
		put_block(t, CASE_PFN, 8, slots[i]);
		put_block(t, CASE_PFN + 8, 1, slots[i]);
		expect_eq((page_word(t, CASE_PFN) & ASITE_PAGE_SLOT) >> ASITE_GEN_BITS, slots[i]);
		expect_eq(asite_pagemap_count(t), 9);
		expect_run(t, CASE_PFN, 9, page_slot(slots[i]), 9, 1);
	}
	return pages_end(0);
}

/* Frame by frame, tail first, halves, all but the first: the head goes with its frame. */
static int test_pagemap_freed_in_parts(void)
{
	struct asite_pagemap *t = &pages_tab;
	unsigned long pfn = CASE_PFN + 64, i;

	if (pages_init())
		return -ENOMEM;
	put_block(t, pfn, 8, 3);
	for (i = 0; i < 8; i++)
		expect_run(t, pfn + i, 1, page_slot(3), 1, i == 0);
	put_block(t, pfn, 8, 3);
	for (i = 8; i--;)
		expect_run(t, pfn + i, 1, page_slot(3), 1, i == 0);
	put_block(t, pfn, 8, 3);
	expect_run(t, pfn + 4, 4, page_slot(3), 4, 0);
	expect_run(t, pfn, 4, page_slot(3), 4, 1);
	put_block(t, pfn, 8, 3);
	expect_run(t, pfn + 1, 7, page_slot(3), 7, 0);
	/* A free of all that finds one frame left. */
	expect_run(t, pfn, 8, page_slot(3), 1, 1);
	expect_run(t, pfn + 1, 7, 0, 7, 0);
	expect_eq(asite_pagemap_count(t), 0);
	return pages_end(0);
}

/* A run ends where another slot, a flag, nobody's frames or the other leaf begin. */
static int test_pagemap_runs(void)
{
	struct asite_pagemap *t = &pages_tab;
	unsigned long pfn = CASE_SEAM - 16;

	if (pages_init())
		return -ENOMEM;
	/* Two blocks and a frame of one slot are one run of two heads. */
	put_block(t, pfn, 4, 3);
	put_block(t, pfn + 4, 2, 3);
	put_block(t, pfn + 6, 1, 3);
	put_block(t, pfn + 7, 1, 4);
	*asite_pagemap_word(t, pfn + 9) = ASITE_PAGE_OLD;
	*asite_pagemap_word(t, pfn + 10) = ASITE_PAGE_MOVED;
	*asite_pagemap_word(t, pfn + 11) = ASITE_PAGE_MOVED;
	put_block(t, pfn + 14, 4, 5);
	expect_eq(asite_pagemap_count(t), 12);
	expect_run(t, pfn, 40, page_slot(3), 7, 2);
	expect_run(t, pfn + 7, 33, page_slot(4), 1, 0);
	expect_run(t, pfn + 8, 32, 0, 1, 0);
	expect_run(t, pfn + 9, 31, ASITE_PAGE_OLD, 1, 0);
	expect_run(t, pfn + 10, 30, ASITE_PAGE_MOVED, 2, 0);
	expect_run(t, pfn + 12, 28, 0, 2, 0);
	expect_run(t, pfn + 14, 26, page_slot(5), 2, 1);
	expect_run(t, CASE_SEAM, 24, page_slot(5), 2, 0);
	expect_run(t, CASE_SEAM + 2, 22, 0, 22, 0);
	return pages_end(0);
}

/* Frames without a leaf are nobody's, up to where a leaf begins. */
static int test_pagemap_absent_leaf(void)
{
	struct asite_pagemap *t = &pages_tab;

	if (pages_init())
		return -ENOMEM;
	put_block(t, CASE_PFN, 2, 3);
	expect_run(t, CASE_PFN - 8, 1, 0, 1, 0);
	expect_run(t, CASE_PFN - 8, 10, 0, 8, 0);
	expect_eq(asite_pagemap_count(t), 2);
	expect_run(t, CASE_PFN_END - 2, 6, 0, 2, 0);
	expect_run(t, CASE_PFN_END, 4, 0, 4, 0);
	expect_run(t, CASE_PFN, 2, page_slot(3), 2, 1);
	return pages_end(0);
}

static int test_pagemap_reset_keeps_leaves(void)
{
	struct asite_pagemap *t = &pages_tab;
	size_t bytes;

	if (pages_init())
		return -ENOMEM;
	bytes = asite_pagemap_bytes(t);
	put_block(t, CASE_PFN, 1, 0);
	put_block(t, CASE_SEAM - 1, 2, 0);
	put_block(t, CASE_PFN_END - 1, 1, 1);
	*asite_pagemap_word(t, CASE_PFN + 1) = ASITE_PAGE_OLD;
	expect_eq(asite_pagemap_count(t), 4);
	asite_pagemap_reset(t);
	expect_eq(asite_pagemap_count(t), 0);
	expect_eq(asite_pagemap_bytes(t), bytes);
	expect_run(t, CASE_PFN, ASITE_LEAF_FRAMES, 0, ASITE_LEAF_FRAMES, 0);
	expect_run(t, CASE_SEAM, ASITE_LEAF_FRAMES, 0, ASITE_LEAF_FRAMES, 0);
	return pages_end(0);
}

static const struct case_entry pagemap_cases[] = {
	{ "pagemap_init", test_pagemap_init },
	{ "pagemap_add_ranges", test_pagemap_add_ranges },
	{ "pagemap_add_more", test_pagemap_add_more },
	{ "pagemap_add_out_of_memory", test_pagemap_add_out_of_memory },
	{ "pagemap_64_tib", test_pagemap_64_tib },
	{ "pagemap_orders", test_pagemap_orders },
	{ "pagemap_slots", test_pagemap_slots },
	{ "pagemap_freed_in_parts", test_pagemap_freed_in_parts },
	{ "pagemap_runs", test_pagemap_runs },
	{ "pagemap_absent_leaf", test_pagemap_absent_leaf },
	{ "pagemap_reset_keeps_leaves", test_pagemap_reset_keeps_leaves },
	{ }
};
