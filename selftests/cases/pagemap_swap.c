// SPDX-License-Identifier: GPL-2.0-only
/* Page map: frames whose content moves take their words with them. */

/* Words to tell apart: a plain frame, a head, of slot 0, before load, moved, nobody's. */
static const u32 swap_words_of[] = {
	0x28, 0x48 | ASITE_PAGE_HEAD, ASITE_PAGE_SLOT_0, ASITE_PAGE_OLD, ASITE_PAGE_MOVED, 0,
};

/* Every pair of words, one frame. */
static int test_pagemap_swap_pairs(void)
{
	unsigned long to = CASE_PFN + 10, from = CASE_SEAM + 20;
	const unsigned int n = ARRAY_SIZE(swap_words_of);
	struct asite_pagemap *t = &pages_tab;
	unsigned int i;
	u32 x, y;

	if (pages_init())
		return -ENOMEM;
	for (i = 0; i < n * n; i++) {
		x = swap_words_of[i / n];
		y = swap_words_of[i % n];
		*asite_pagemap_word(t, to) = x;
		*asite_pagemap_word(t, from) = y;
		asite_pagemap_swap(t, to, from, 1);
		expect_eq(page_word(t, to), y);
		expect_eq(page_word(t, from), x ?: ASITE_PAGE_MOVED);
	}
	return pages_end(0);
}

/* Migrated: the free of the target is the old block's, that of the source the new one's. */
static int test_pagemap_swap_blocks(void)
{
	unsigned long to = CASE_PFN + 32, from = CASE_SEAM + 64;
	struct asite_pagemap *t = &pages_tab;

	if (pages_init())
		return -ENOMEM;
	put_block(t, to - 1, 1, 9);
	put_block(t, to + 8, 1, 9);
	put_block(t, from - 1, 1, 9);
	put_block(t, from + 8, 1, 9);
	put_block(t, from, 8, 1);
	put_block(t, to, 8, 2);
	asite_pagemap_swap(t, to, from, 8);
	expect_run(t, from, 8, page_slot(2), 8, 1);
	expect_run(t, to, 8, page_slot(1), 8, 1);
	/* A target that compaction took: the source's free is nobody's. */
	put_block(t, from, 8, 1);
	asite_pagemap_swap(t, to, from, 8);
	expect_run(t, from, 8, ASITE_PAGE_MOVED, 8, 0);
	expect_run(t, to, 8, page_slot(1), 8, 1);
	/* A block goes to frames of their own: still one head. */
	put_block(t, from, 2, 1);
	put_block(t, to, 1, 2);
	put_block(t, to + 1, 1, 3);
	asite_pagemap_swap(t, to, from, 2);
	expect_run(t, to, 8, page_slot(1), 2, 1);
	expect_run(t, from, 8, page_slot(2), 1, 0);
	expect_run(t, from + 1, 7, page_slot(3), 1, 0);
	/* Neighbours stayed. */
	expect_eq(asite_pagemap_count(t), 4);
	return pages_end(0);
}

/* One range, the other, or both go over the seam of the leaves. */
static int test_pagemap_swap_over_the_seam(void)
{
	static const unsigned long targets[] = { CASE_SEAM - 3, CASE_PFN, CASE_SEAM - 3,
						 CASE_SEAM - 8, CASE_SEAM };
	static const unsigned long sources[] = { CASE_PFN, CASE_SEAM - 5, CASE_SEAM + 5,
						 CASE_SEAM, CASE_SEAM - 8 };
	struct asite_pagemap *t = &pages_tab;
	unsigned int i, n;

	if (pages_init())
		return -ENOMEM;
	for (n = 0; n < ARRAY_SIZE(targets); n++) {
		for (i = 0; i < 8; i++) {
			*asite_pagemap_word(t, targets[n] + i) = page_slot(100 + i);
			*asite_pagemap_word(t, sources[n] + i) = page_slot(200 + i);
		}
		asite_pagemap_swap(t, targets[n], sources[n], 8);
		for (i = 0; i < 8; i++) {
			expect_run(t, targets[n] + i, 1, page_slot(200 + i), 1, 0);
			expect_run(t, sources[n] + i, 1, page_slot(100 + i), 1, 0);
		}
		expect_eq(asite_pagemap_count(t), 0);
	}
	return pages_end(0);
}

/* Where one of the frames has no word, none is written. */
static int test_pagemap_swap_absent_leaf(void)
{
	struct asite_pagemap *t = &pages_tab;

	if (pages_init())
		return -ENOMEM;
	put_block(t, CASE_PFN_END - 8, 8, 5);
	put_block(t, CASE_PFN, 8, 6);
	asite_pagemap_swap(t, CASE_PFN_END - 4, CASE_PFN - 4, 8);
	asite_pagemap_swap(t, CASE_PFN - 8, CASE_PFN, 8);
	asite_pagemap_swap(t, CASE_PFN_END, CASE_PFN - 8, 8);
	expect_run(t, CASE_PFN, 8, page_slot(6), 8, 1);
	expect_run(t, CASE_PFN_END - 8, 8, page_slot(5), 8, 1);
	/* The part of it where both have. */
	put_block(t, CASE_PFN_END - 2, 2, 5);
	put_block(t, CASE_PFN, 8, 6);
	asite_pagemap_swap(t, CASE_PFN_END - 2, CASE_PFN, 8);
	expect_run(t, CASE_PFN_END - 2, 2, page_slot(6), 2, 1);
	expect_run(t, CASE_PFN, 8, page_slot(5), 2, 1);
	expect_run(t, CASE_PFN + 2, 6, page_slot(6), 6, 0);
	return pages_end(0);
}

static const struct case_entry pagemap_swap_cases[] = {
	{ "pagemap_swap_pairs", test_pagemap_swap_pairs },
	{ "pagemap_swap_blocks", test_pagemap_swap_blocks },
	{ "pagemap_swap_over_the_seam", test_pagemap_swap_over_the_seam },
	{ "pagemap_swap_absent_leaf", test_pagemap_swap_absent_leaf },
	{ }
};
