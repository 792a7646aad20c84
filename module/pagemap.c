// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page map: set-up, and what deals with more than one frame. Layout, hot path and invariants
 * are in pagemap.h.
 *
 * This is a core: plain data structure, built in the module and in user space. It knows
 * neither struct page nor counters.
 *
 * Contexts: take and swap run in any context; the owner serialises the rest.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <allocsite/mem.h>
#include <allocsite/pagemap.h>

/* What tells runs apart: all but where blocks begin. */
#define RUN_MASK	(~ASITE_PAGE_HEAD)

static unsigned long first_of(unsigned long leaf)
{
	return leaf << ASITE_LEAF_SHIFT;
}

static unsigned long end_leaf(unsigned long pfn, unsigned long frames)
{
	return (pfn + frames + ASITE_LEAF_FRAMES - 1) >> ASITE_LEAF_SHIFT;
}

int asite_pagemap_init(struct asite_pagemap *t)
{
	t->leaves = asite_mem_alloc(ASITE_MAX_LEAVES * sizeof(*t->leaves));
	return t->leaves ? 0 : -ENOMEM;
}

static void *words_of(const struct asite_pagemap *t, unsigned long leaf)
{
	return asite_pagemap_word(t, first_of(leaf));
}

void asite_pagemap_destroy(struct asite_pagemap *t)
{
	unsigned long i;

	if (!t->leaves)
		return;
	for (i = 0; i < ASITE_MAX_LEAVES; i++)
		asite_mem_free(words_of(t, i), ASITE_LEAF_BYTES);
	asite_mem_free(t->leaves, ASITE_MAX_LEAVES * sizeof(*t->leaves));
	t->leaves = NULL;
}

size_t asite_pagemap_missing(const struct asite_pagemap *t, unsigned long pfn,
			     unsigned long frames)
{
	unsigned long i, end = min(end_leaf(pfn, frames), ASITE_MAX_LEAVES);
	size_t bytes = 0;

	for (i = pfn >> ASITE_LEAF_SHIFT; i < end; i++)
		bytes += t->leaves[i] ? 0 : ASITE_LEAF_BYTES;
	return bytes;
}

static int add_leaf(struct asite_pagemap *t, unsigned long leaf)
{
	void *words;

	if (t->leaves[leaf])
		return 0;
	words = asite_mem_alloc(ASITE_LEAF_BYTES);
	if (!words)
		return -ENOMEM;
	/* Pairs with the address dependency in asite_pagemap_word(). */
	smp_store_release(&t->leaves[leaf],
			  (unsigned long)words - first_of(leaf) * sizeof(u32));
	return 0;
}

int asite_pagemap_add(struct asite_pagemap *t, unsigned long pfn, unsigned long frames)
{
	unsigned long i, end = end_leaf(pfn, frames);
	int err = 0;

	if (end > ASITE_MAX_LEAVES)
		return -EOPNOTSUPP;
	for (i = pfn >> ASITE_LEAF_SHIFT; !err && i < end; i++)
		err = add_leaf(t, i);
	return err;
}

void asite_pagemap_reset(struct asite_pagemap *t)
{
	unsigned long i;

	for (i = 0; t->leaves && i < ASITE_MAX_LEAVES; i++) {
		if (!t->leaves[i])
			continue;
		memset(words_of(t, i), 0, ASITE_LEAF_BYTES);
		cond_resched();
	}
}

size_t asite_pagemap_bytes(const struct asite_pagemap *t)
{
	size_t bytes = ASITE_MAX_LEAVES * sizeof(*t->leaves);
	unsigned long i;

	for (i = 0; i < ASITE_MAX_LEAVES; i++)
		bytes += t->leaves[i] ? ASITE_LEAF_BYTES : 0;
	return bytes;
}

static u64 count_leaf(const u32 *words)
{
	unsigned long i;
	u64 count = 0;

	for (i = 0; i < ASITE_LEAF_FRAMES; i++)
		count += asite_pagemap_used(READ_ONCE(words[i]));
	return count;
}

u64 asite_pagemap_count(const struct asite_pagemap *t)
{
	unsigned long i;
	u64 count = 0;

	for (i = 0; i < ASITE_MAX_LEAVES; i++) {
		if (!t->leaves[i])
			continue;
		count += count_leaf(words_of(t, i));
		cond_resched();
	}
	return count;
}

/* Frames from @pfn on that lie in the same leaf. */
static unsigned long in_leaf(unsigned long pfn, unsigned long frames)
{
	return min(frames, ASITE_LEAF_FRAMES - pfn % ASITE_LEAF_FRAMES);
}

unsigned long asite_pagemap_take(struct asite_pagemap *t, unsigned long pfn,
				 unsigned long frames, struct asite_page_run *run)
{
	u32 *words = asite_pagemap_word(t, pfn);
	unsigned long i, end = in_leaf(pfn, frames);
	u32 word, first;

	run->heads = 0;
	run->frames = end;
	run->word = 0;
	if (!words)
		return end;
	first = READ_ONCE(words[0]) & RUN_MASK;
	run->word = first;
	for (i = 0; i < end; i++) {
		word = READ_ONCE(words[i]);
		if ((word & RUN_MASK) != first)
			break;
		if (!word)
			continue;
		run->heads += !!(word & ASITE_PAGE_HEAD);
		WRITE_ONCE(words[i], 0);
	}
	run->frames = i;
	return i;
}

static void swap_words(u32 *to, u32 *from, unsigned long frames)
{
	unsigned long i;
	u32 word;

	for (i = 0; i < frames; i++) {
		word = READ_ONCE(to[i]);
		WRITE_ONCE(to[i], READ_ONCE(from[i]));
		WRITE_ONCE(from[i], word ?: ASITE_PAGE_MOVED);
	}
}

void asite_pagemap_swap(struct asite_pagemap *t, unsigned long to, unsigned long from,
			unsigned long frames)
{
	unsigned long done, part;

	for (done = 0; done < frames; done += part) {
		u32 *x = asite_pagemap_word(t, to + done);
		u32 *y = asite_pagemap_word(t, from + done);

		part = min(in_leaf(to + done, frames - done), in_leaf(from + done, frames - done));
		if (x && y)
			swap_words(x, y, part);
	}
}
