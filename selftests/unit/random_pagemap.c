// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations on the page map against an array of words that says what each frame has
 * and knows nothing of leaves. Included by random.c.
 */
#define MODEL_FRAMES	600UL
/* Half before the seam of two leaves, half behind; then the same before a leaf that is absent. */
#define MODEL_FIRST	(CASE_SEAM - MODEL_FRAMES / 2)
#define MODEL_EDGE	(CASE_PFN_END - MODEL_FRAMES / 2)

static u32 frame_model[MODEL_FRAMES];
static unsigned long model_first;

static bool frame_has_word(unsigned long n)
{
	return model_first + n < CASE_PFN_END;
}

static void put_frames(struct asite_pagemap *t)
{
	unsigned long frames = 1UL << below(6), first, i;
	unsigned int slot = below(4) ? below(6) : below(ASITE_MAX_SITES_LIMIT);

	first = below(MODEL_FRAMES / frames) * frames;
	for (i = first; i < first + frames; i++) {
		if (!frame_has_word(i) || asite_pagemap_used(frame_model[i]))
			return;
	}
	put_block(t, model_first + first, frames, slot);
	for (i = first; i < first + frames; i++)
		frame_model[i] = page_slot(slot);
	frame_model[first] |= frames > 1 ? ASITE_PAGE_HEAD : 0;
}

/* Where a run that begins at @first ends, by the words alone and the leaves' seams. */
static unsigned long model_run(unsigned long first, unsigned long end, unsigned long *heads)
{
	unsigned long i;

	*heads = 0;
	for (i = first; i < end; i++) {
		if (i > first && (model_first + i) % ASITE_LEAF_FRAMES == 0)
			break;
		if ((frame_model[i] ^ frame_model[first]) & ~ASITE_PAGE_HEAD)
			break;
		*heads += !!(frame_model[i] & ASITE_PAGE_HEAD);
	}
	return i - first;
}

static void take_frames(struct asite_pagemap *t)
{
	unsigned long first = below(MODEL_FRAMES), ask, frames, heads;

	ask = min(1 + below(below(4) ? 8 : 100), MODEL_FRAMES - first);
	frames = model_run(first, first + ask, &heads);
	expect_run(t, model_first + first, ask, frame_model[first] & ~ASITE_PAGE_HEAD,
		   frames, heads);
	memset(&frame_model[first], 0, frames * sizeof(*frame_model));
}

static void swap_frames(struct asite_pagemap *t)
{
	unsigned long frames = 1 + below(32), to, from, i;
	u32 word;

	to = below(MODEL_FRAMES - frames);
	from = below(MODEL_FRAMES - frames);
	if (to < from + frames && from < to + frames)
		return;
	asite_pagemap_swap(t, model_first + to, model_first + from, frames);
	for (i = 0; i < frames; i++) {
		if (!frame_has_word(to + i) || !frame_has_word(from + i))
			continue;
		word = frame_model[to + i];
		frame_model[to + i] = frame_model[from + i];
		frame_model[from + i] = word ?: ASITE_PAGE_MOVED;
	}
}

static void mark_old(struct asite_pagemap *t)
{
	unsigned long n = below(MODEL_FRAMES);

	if (!frame_has_word(n) || frame_model[n])
		return;
	*asite_pagemap_word(t, model_first + n) = ASITE_PAGE_OLD;
	frame_model[n] = ASITE_PAGE_OLD;
}

static void check_frames(const struct asite_pagemap *t)
{
	unsigned long i, used = 0;

	for (i = 0; i < MODEL_FRAMES; i++) {
		used += asite_pagemap_used(frame_model[i]);
		if (frame_has_word(i))
			expect_eq(page_word(t, model_first + i), frame_model[i]);
		else
			expect(!asite_pagemap_word(t, model_first + i));
	}
	expect_eq(asite_pagemap_count(t), used);
}

static void step_frames(struct asite_pagemap *t)
{
	switch (below(20)) {
	case 0:
		swap_frames(t);
		break;
	case 1:
		mark_old(t);
		break;
	case 2 ... 8:
		take_frames(t);
		break;
	default:
		put_frames(t);
	}
}

static void random_pagemap(void)
{
	static const unsigned long firsts[] = { MODEL_FIRST, MODEL_EDGE };
	unsigned int i, n;

	if (pages_init())
		exit(2);
	for (i = 0; i < ARRAY_SIZE(firsts); i++) {
		model_first = firsts[i];
		memset(frame_model, 0, sizeof(frame_model));
		asite_pagemap_reset(&pages_tab);
		for (n = 0; n < STEPS; n++) {
			step_frames(&pages_tab);
			if (n % (10 * CHECK_EVERY) == 0)
				check_frames(&pages_tab);
		}
		check_frames(&pages_tab);
	}
	pages_end(0);
}
