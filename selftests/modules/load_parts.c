// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: blocks of pages that are given back in parts, one step at a time.
 *
 * Each case is a function that is called with the number of the step and does
 * it; what is live then it puts down itself, in frames and heads. A test reads
 * expect after each step. Task context, under load_lock; one case is under way
 * at a time, and the last step of each leaves nothing. Invariant: as in
 * load_sites.c, nothing here looks at a tracker.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/seq_file.h>

#include "load.h"
#include "load_page_compat.h"

#define LOAD_GFP	(GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* The block under way. */
struct load_part {
	struct page *page;
	unsigned int order;
	unsigned int heads;	/* of blocks that are live */
	unsigned long frames;	/* that are live */
};

/* Done with a case. */
#define LOAD_LAST	1

struct load_part_case {
	const char *func;
	unsigned int order;
	int (*step)(struct load_part *part, unsigned int step);
};

/* -- helpers of the cases ------------------------------------------------ */

static int begin(struct load_part *part, struct page *page)
{
	if (!page)
		return -ENOMEM;
	part->page = page;
	part->heads = 1;
	part->frames = 1UL << part->order;
	return 0;
}

static int nothing_left(struct load_part *part)
{
	part->heads = 0;
	part->frames = 0;
	return LOAD_LAST;
}

/* Frames from (and with) @from to @to, each for itself. */
static void free_single(struct load_part *part, unsigned long from, unsigned long to)
{
	unsigned long i;

	for (i = from; i < to; i++)
		__free_page(part->page + i);
	part->frames -= to - from;
	if (!from)
		part->heads = 0;
}

/* -- the cases ----------------------------------------------------------- */

/* Split, then the tail goes, the back half, the first frame, the rest. */
static noinline __noclone int load_part_split(struct load_part *part, unsigned int step)
{
	unsigned long half = 1UL << part->order >> 1;

	switch (step) {
	case 0:
		return begin(part, alloc_pages(LOAD_GFP, part->order));
	case 1:
		split_page(part->page, part->order);
		return 0;
	case 2:
		if (!half) {
			free_single(part, 0, 1);
			return LOAD_LAST;
		}
		free_single(part, 2 * half - 1, 2 * half);
		return 0;
	case 3:
		free_single(part, half, 2 * half - 1);
		return 0;
	case 4:
		free_single(part, 0, 1);
		return 0;
	}
	free_single(part, 1, half);
	return LOAD_LAST;
}

/* Held on to, freed: the tails go, in pieces of falling orders; then the first frame. */
static noinline __noclone int load_part_tails(struct load_part *part, unsigned int step)
{
	switch (step) {
	case 0:
		return begin(part, alloc_pages(LOAD_GFP, part->order));
	case 1:
		get_page(part->page);
		return 0;
	case 2:
		__free_pages(part->page, part->order);
		part->frames = 1;
		return 0;
	}
	put_page(part->page);
	return nothing_left(part);
}

/* What is above the bytes asked for goes at once, the rest one by one. */
static noinline __noclone int load_part_exact(struct load_part *part, unsigned int step)
{
	unsigned long frames = (1UL << part->order) / 2 + 1;
	void *addr;
	int err;

	switch (step) {
	case 0:
		addr = alloc_pages_exact(frames << PAGE_SHIFT, LOAD_GFP);
		err = begin(part, addr ? virt_to_page(addr) : NULL);
		part->frames = err ? 0 : frames;
		return err;
	case 1:
		if (frames > 1)
			free_single(part, frames - 1, frames);
		return 0;
	}
	free_pages_exact(page_address(part->page), part->frames << PAGE_SHIFT);
	return nothing_left(part);
}

/* Compound: the last reference frees it whole, and __free_pages() is a reference. */
static noinline __noclone int load_part_compound(struct load_part *part, unsigned int step)
{
	switch (step) {
	case 0:
		return begin(part, alloc_pages(LOAD_GFP | __GFP_COMP, part->order));
	case 1:
		get_page(part->page);
		get_page(part->page);
		return 0;
	case 2:
		__free_pages(part->page, part->order);
		return 0;
	case 3:
		/* A reference to any frame of it is one to all. */
		put_page(part->page + (1UL << part->order) - 1);
		return 0;
	}
	put_page(part->page);
	return nothing_left(part);
}

/* The front goes first; blocks that take its place are of another function. */
static noinline __noclone struct page *load_part_again(unsigned int order)
{
	struct page *page = alloc_pages(LOAD_GFP, order);

	barrier();
	return page;
}

/* Blocks of load_part_again() since mark, and live ones. */
static unsigned long again_total[2], again_live;
static struct page *again;

static noinline __noclone int load_part_reused(struct load_part *part, unsigned int step)
{
	unsigned long half = 1UL << part->order >> 1;

	switch (step) {
	case 0:
		return begin(part, alloc_pages(LOAD_GFP, part->order));
	case 1:
		split_page(part->page, part->order);
		free_single(part, 0, half);
		return 0;
	case 2:
		again = load_part_again(part->order - 1);
		if (!again)
			return -ENOMEM;
		again_total[part->order > 3]++;
		again_live = part->order;
		return 0;
	case 3:
		free_single(part, half, 2 * half);
		return 0;
	}
	__free_pages(again, part->order - 1);
	again_live = 0;
	return LOAD_LAST;
}

/* A block of fragments: the cache lets go of it, then they go one after the other. */
static noinline __noclone int load_part_frags(struct load_part *part, unsigned int step)
{
	static struct page_frag_cache cache;
	static void *frags[3];
	int i;

	switch (step) {
	case 0:
		for (i = 0; i < ARRAY_SIZE(frags); i++)
			frags[i] = page_frag_alloc(&cache, 5000, GFP_KERNEL);
		return begin(part, frags[0] ? virt_to_head_page(frags[0]) : NULL);
	case 1:
		page_frag_free(frags[0]);
		return 0;
	case 2:
		asite_k_page_frag_cache_drain(&cache);
		return 0;
	case 3:
		page_frag_free(frags[2]);
		return 0;
	}
	page_frag_free(frags[1]);
	return nothing_left(part);
}

/* -- the table ----------------------------------------------------------- */

static const struct load_part_case load_part_table[] = {
	{ "load_part_split", 0, load_part_split },
	{ "load_part_split", 3, load_part_split },
	{ "load_part_split", 9, load_part_split },
	{ "load_part_tails", 0, load_part_tails },
	{ "load_part_tails", 3, load_part_tails },
	{ "load_part_tails", 9, load_part_tails },
	{ "load_part_exact", 0, load_part_exact },
	{ "load_part_exact", 3, load_part_exact },
	{ "load_part_exact", 9, load_part_exact },
	{ "load_part_compound", 0, load_part_compound },
	{ "load_part_compound", 3, load_part_compound },
	{ "load_part_compound", 9, load_part_compound },
	{ "load_part_reused", 3, load_part_reused },
	{ "load_part_reused", 9, load_part_reused },
	{ "load_part_frags", 3, load_part_frags },
};

/* The case under way or the last one, and its next step: 0 when it is done. */
static const struct load_part_case *part_case;
static struct load_part part_state;
static unsigned int part_step;
/* Times that each was begun since mark. */
static unsigned long part_times[ARRAY_SIZE(load_part_table)];

/* The next step of case @nr. */
int load_part_step(unsigned long nr)
{
	const struct load_part_case *next;
	int err;

	if (nr >= ARRAY_SIZE(load_part_table))
		return -EINVAL;
	next = &load_part_table[nr];
	if (part_step && next != part_case)
		return -EBUSY;
	if (!part_step) {
		part_case = next;
		part_state.order = next->order;
	}
	err = next->step(&part_state, part_step);
	if (err < 0)
		return err;
	if (!part_step++)
		part_times[nr]++;
	if (err == LOAD_LAST)
		part_step = 0;
	return 0;
}

void load_parts_mark(void)
{
	memset(part_times, 0, sizeof(part_times));
	memset(again_total, 0, sizeof(again_total));
}

static void show_blocks(struct seq_file *m, const char *func, unsigned int order,
			unsigned int heads, unsigned long total, unsigned long frames)
{
	seq_printf(m, "%s page %lu - %u %lu %lu %lu\n", func, PAGE_SIZE << order, heads, total,
		   total * (PAGE_SIZE << order), frames << PAGE_SHIFT);
}

void load_parts_expect(struct seq_file *m)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(load_part_table); i++) {
		const struct load_part_case *row = &load_part_table[i];
		bool live = part_step && row == part_case;

		show_blocks(m, row->func, row->order, live ? part_state.heads : 0, part_times[i],
			    live ? part_state.frames : 0);
	}
	for (i = 0; i < ARRAY_SIZE(again_total); i++) {
		unsigned int order = i ? 8 : 2;
		bool live = again_live == order + 1;

		show_blocks(m, "load_part_again", order, live, again_total[i],
			    live ? 1UL << order : 0);
	}
}

void load_parts_status(struct seq_file *m)
{
	seq_printf(m, "part_cases %zu\n", ARRAY_SIZE(load_part_table));
	seq_printf(m, "part_step %u\n", part_step);
	if (part_case)
		seq_printf(m, "part_case %s %u\n", part_case->func, part_case->order);
}

void load_parts_exit(void)
{
	while (part_step)
		if (load_part_step(part_case - load_part_table))
			break;
}
