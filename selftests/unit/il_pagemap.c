// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved operations on frames of the page map, on both sides of the seam of two leaves.
 * Frames are numbered; free ones go round as the page allocator has them: who frees a block
 * gives its frames away. What is counted for each slot must balance with the words left.
 */
#define IL_FRAMES	32UL
#define IL_FIRST	(CASE_SEAM - IL_FRAMES / 2)
#define IL_SLOTS	8

struct il_page_counts {
	unsigned long frames, heads;
};

static struct asite_pagemap il_pages;
/* What was allocated less what was freed, by slot. */
static struct il_page_counts il_live[IL_SLOTS];
static unsigned long il_unknown, il_moved;

static void pages_start(void)
{
	unsigned long i;

	if (!il_pages.leaves) {
		if (asite_pagemap_init(&il_pages) ||
		    asite_pagemap_add(&il_pages, CASE_PFN, 2 * ASITE_LEAF_FRAMES))
			exit(2);
	}
	for (i = 0; i < IL_FRAMES; i++)
		*asite_pagemap_word(&il_pages, IL_FIRST + i) = 0;
	memset(il_live, 0, sizeof(il_live));
	memset(flags, 0, sizeof(flags));
	il_unknown = 0;
	il_moved = 0;
}

static void il_alloc(unsigned long n, unsigned long frames, unsigned int slot)
{
	il_live[slot].frames += frames;
	il_live[slot].heads += frames > 1;
	put_block(&il_pages, IL_FIRST + n, frames, slot);
}

/* As asite_track_pages_free_slow() does it. */
static void il_free(unsigned long n, unsigned long frames)
{
	struct asite_page_run run;
	unsigned long done;

	for (done = 0; done < frames; done += run.frames) {
		asite_pagemap_take(&il_pages, IL_FIRST + n + done, frames - done, &run);
		if (asite_pagemap_used(run.word)) {
			unsigned int slot = (run.word & ASITE_PAGE_SLOT) >> ASITE_GEN_BITS;

			il_live[slot].frames -= run.frames;
			il_live[slot].heads -= run.heads;
		} else if (run.word & ASITE_PAGE_MOVED) {
			il_moved += run.frames;
		} else {
			il_unknown += run.frames;
		}
	}
	expect_eq(done, frames);
}

static void pages_check_words(void)
{
	struct il_page_counts left[IL_SLOTS] = { };
	unsigned int slot;
	unsigned long i;
	u32 word;

	for (i = 0; i < IL_FRAMES; i++) {
		word = page_word(&il_pages, IL_FIRST + i);
		if (!asite_pagemap_used(word))
			continue;
		slot = (word & ASITE_PAGE_SLOT) >> ASITE_GEN_BITS;
		left[slot].frames++;
		left[slot].heads += !!(word & ASITE_PAGE_HEAD);
	}
	for (slot = 0; slot < IL_SLOTS; slot++) {
		expect_eq(il_live[slot].frames, left[slot].frames);
		expect_eq(il_live[slot].heads, left[slot].heads);
	}
}

/* Every frame that was freed was one that is followed. */
static void pages_check(void)
{
	pages_check_words();
	expect_eq(il_unknown, 0);
	expect_eq(il_moved, 0);
}

/* -- blocks side by side ------------------------------------------------------ */

/* One block over the seam, and one of the same slot on each side of it. */
static void pages_start_block(void)
{
	pages_start();
	il_alloc(8, 4, 1);
	il_alloc(12, 8, 1);
	il_alloc(20, 4, 1);
}

static void pages_free_first_half(void) { il_free(12, 4); }
static void pages_free_second_half(void) { il_free(16, 4); il_alloc(16, 4, 2); }
static void pages_free_odd(void) { il_free(13, 1); il_free(15, 1); il_free(17, 2); }
static void pages_free_even(void)
{
	il_free(12, 1);
	il_free(14, 1);
	il_free(16, 1);
	il_free(19, 1);
}

static void pages_free_before(void) { il_free(8, 4); il_alloc(11, 1, 1); }
static void pages_free_behind(void) { il_free(20, 3); il_alloc(20, 1, 1); }
static void pages_free_whole(void) { il_free(12, 8); }
static void pages_put_take(void) { il_alloc(24, 2, 1); il_free(24, 2); }
static void pages_put_odd(void) { il_alloc(5, 3, 3); il_free(6, 1); }

static void pages_check_block_gone(void)
{
	unsigned int i;

	pages_check();
	for (i = 12; i < 20; i++)
		expect_eq(page_word(&il_pages, IL_FIRST + i), 0);
}

/* -- handed from CPU to CPU ----------------------------------------------------- */

static void pages_give(void) { il_free(12, 8); flags[0] = 1; }
static void pages_reuse(void)
{
	il_wait_for(&flags[0]);
	il_alloc(12, 2, 2);
	il_alloc(14, 1, 3);
	il_alloc(15, 4, 2);
}

/* -- migration -------------------------------------------------------------------- */

/* Block 8..11 goes to 13..16 (another's until then), over the seam; neighbours are busy. */
static void pages_migrate(void)
{
	asite_pagemap_swap(&il_pages, IL_FIRST + 13, IL_FIRST + 8, 4);
	flags[0] = 1;
	il_free(8, 4);
}

static void pages_start_migration(void)
{
	pages_start();
	il_alloc(8, 4, 1);
	il_alloc(13, 4, 2);
	il_alloc(12, 1, 3);
	il_alloc(17, 2, 3);
}

/* The same to frames that nobody allocated. */
static void pages_start_compaction(void)
{
	pages_start_migration();
	il_free(13, 4);
}

static void pages_free_target(void)
{
	il_wait_for(&flags[0]);
	il_free(13, 4);
}

static void pages_busy_neighbours(void)
{
	il_free(12, 1);
	il_free(17, 1);
	il_alloc(17, 1, 4);
	il_alloc(7, 1, 4);
}

static void pages_check_migrated(void)
{
	pages_check();
	expect_eq(il_live[1].frames + il_live[1].heads, 0);
	expect_eq(il_live[2].frames + il_live[2].heads, 0);
}

static void pages_check_compacted(void)
{
	pages_check_words();
	expect_eq(il_unknown, 0);
	expect_eq(il_moved, 4);
	expect_eq(il_live[1].frames + il_live[1].heads, 0);
}

/* -- memory that comes --------------------------------------------------------- */

#define IL_NEW	CASE_PFN_END	/* the leaf behind */

static void pages_add_leaf(void)
{
	expect_eq(asite_pagemap_add(&il_pages, IL_NEW, 1), 0);
	put_block(&il_pages, IL_NEW, 2, 5);
}

/* A free from before finds nothing, whether the leaf is there or not. */
static void pages_free_new(void)
{
	struct asite_page_run run;

	asite_pagemap_take(&il_pages, IL_NEW + 8, 8, &run);
	expect(run.frames == 8 && !run.word && !run.heads);
}

static void pages_check_leaf(void)
{
	pages_check();
	expect_run(&il_pages, IL_NEW, 2, page_slot(5), 2, 1);
}

/* What no code under test does: the next schedule adds it again. */
static void pages_remove_leaf(void)
{
	asite_mem_free(words_of(&il_pages, IL_NEW >> ASITE_LEAF_SHIFT), ASITE_LEAF_BYTES);
	il_pages.leaves[IL_NEW >> ASITE_LEAF_SHIFT] = 0;
}

static const struct il_scenario il_pagemap_scenarios[] = {
	{ "il_pages_halves", pages_start_block, pages_check, NULL, 3,
	  { CPU(0, pages_free_first_half), CPU(1, pages_free_second_half) } },
	{ "il_pages_frame_by_frame", pages_start_block, pages_check_block_gone, NULL, 3,
	  { CPU(0, pages_free_odd), CPU(1, pages_free_even) } },
	{ "il_pages_side_by_side", pages_start_block, pages_check_block_gone, NULL, 2,
	  { CPU(0, pages_free_whole), CPU(1, pages_free_before), CPU(2, pages_free_behind) } },
	{ "il_pages_irq_in_free", pages_start_block, pages_check_block_gone, NULL, 3,
	  { CPU(0, pages_free_whole), IRQ(0, pages_put_take, 0), IRQ(0, pages_put_odd, 1) } },
	{ "il_pages_irq_in_alloc", pages_start, pages_check, NULL, 3,
	  { CPU(0, pages_put_odd), IRQ(0, pages_put_take, 0) } },
	{ "il_pages_hand_over", pages_start_block, pages_check, NULL, 2,
	  { CPU(0, pages_give), CPU(1, pages_reuse), CPU(2, pages_free_behind) } },
	{ "il_pages_migrate", pages_start_migration, pages_check_migrated, NULL, 2,
	  { CPU(0, pages_migrate), CPU(1, pages_free_target), CPU(2, pages_busy_neighbours) } },
	{ "il_pages_compact", pages_start_compaction, pages_check_compacted, NULL, 2,
	  { CPU(0, pages_migrate), CPU(1, pages_free_target), CPU(2, pages_busy_neighbours) } },
	{ "il_pages_irq_in_migration", pages_start_migration, pages_check_migrated, NULL, 2,
	  { CPU(0, pages_migrate), IRQ(0, pages_busy_neighbours, 0), CPU(1, pages_free_target) } },
	{ "il_pages_add_leaf", pages_start, pages_check_leaf, pages_remove_leaf, 1,
	  { CPU(0, pages_add_leaf), CPU(1, pages_free_new), CPU(2, pages_put_odd) } },
	{ }
};
