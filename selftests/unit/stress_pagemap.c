// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page map under stress; included by stress.c. An object is eight frames, allocated as
 * blocks of several orders and freed in parts. Nobody but their owner touches their words:
 * TSan and the sums see to it.
 */
#define STRESS_FRAMES	8UL

static struct asite_pagemap stress_pages;
static u64 frames_put, heads_put, frames_taken, heads_taken, frames_stale;

static void add_to(u64 *sum, unsigned long n)
{
	__atomic_add_fetch(sum, n, __ATOMIC_RELAXED);
}

/* Forget frames in the parts that they come in; returns how many were followed. */
static unsigned long take_all(unsigned long pfn, unsigned long frames)
{
	unsigned long done, followed = 0;
	struct asite_page_run run;

	for (done = 0; done < frames; done += run.frames) {
		asite_pagemap_take(&stress_pages, pfn + done, frames - done, &run);
		if (!asite_pagemap_used(run.word))
			continue;
		add_to(&frames_taken, run.frames);
		add_to(&heads_taken, run.heads);
		followed += run.frames;
	}
	expect_eq(done, frames);
	return followed;
}

static void allocate_pages(unsigned long pfn, unsigned long *rng)
{
	unsigned long left, frames;

	add_to(&frames_stale, take_all(pfn, STRESS_FRAMES));
	for (left = STRESS_FRAMES; left; left -= frames) {
		frames = 1UL << seed_next(rng) % 4;
		if (frames > left)
			frames = 1;
		put_block(&stress_pages, pfn + STRESS_FRAMES - left, frames,
			  seed_next(rng) % 3);
		add_to(&frames_put, frames);
		add_to(&heads_put, frames > 1);
	}
	if (seed_next(rng) % 4 == 0)
		asite_pagemap_swap(&stress_pages, pfn, pfn + 5, 3);
}

/* By a part of the address, so that one object is freed in other parts than the next. */
static void release_pages(unsigned long pfn)
{
	unsigned long part = 1 + pfn / STRESS_FRAMES % STRESS_FRAMES, done;
	unsigned long followed = 0;

	for (done = 0; done + part <= STRESS_FRAMES; done += part)
		followed += take_all(pfn + done, part);
	if (done < STRESS_FRAMES)
		followed += take_all(pfn + done, STRESS_FRAMES - done);
	expect(!followed || followed == STRESS_FRAMES);
}

static void check_page_stress(void)
{
	case_print("# %llu blocks of 8 frames, %llu heads, %llu frees missed, %llu frames stale\n",
		   events, heads_put, lost, frames_stale);
	expect(events > 1000 && lost > 10 && frames_stale > 10);
	expect(frames_stale <= lost * STRESS_FRAMES);
	expect_eq(frames_put, events * STRESS_FRAMES);
	expect_eq(frames_taken, frames_put);
	expect_eq(heads_taken, heads_put);
	expect_eq(asite_pagemap_count(&stress_pages), 0);
}

static int stress_pages_init(void)
{
	return asite_pagemap_init(&stress_pages) ?:
	       asite_pagemap_add(&stress_pages, CASE_PFN, 2 * ASITE_LEAF_FRAMES);
}

static const struct subject page_subject = {
	.name = "stress_pagemap",
	.base = CASE_SEAM - HELD * THREADS * STRESS_FRAMES / 2,
	.step = STRESS_FRAMES,
	.allocate = allocate_pages,
	.release = release_pages,
	.check = check_page_stress,
};
