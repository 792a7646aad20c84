// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks by proven steps, compared with the kernel's stack_trace_save(): a share of all, for
 * ever. See frames.c.
 *
 * Contexts: any, NMI included.
 */
#include <linux/kernel.h>
#include <linux/stacktrace.h>

#include <allocsite/frames.h>
#include <allocsite/stats.h>

/* What a walk keeps, and what lies below its call site: this module and an allocator. */
#define SAVED_MAX	(ASITE_FRAMES_MAX + 32)

/* From which frame on is it wrong? 0: it is not. */
static unsigned int wrong_from(const struct asite_frames *f, const unsigned long *saved,
			       unsigned int nr)
{
	const u32 *frames = (const u32 *)f->stack.words;
	unsigned int i;

	for (i = 1; i < f->nr && i < nr; i++) {
		if (saved[i] != asite_frames_address(frames[i]))
			return i;
	}
	if (f->nr > nr || (f->end == ASITE_FRAMES_END && f->nr < nr))
		return i;
	return 0;
}

void asite_frames_check(const struct asite_frames *f)
{
	const u32 *frames = (const u32 *)f->stack.words;
	unsigned long saved[SAVED_MAX];
	unsigned int nr = stack_trace_save(saved, SAVED_MAX, 0), at = 0, wrong;

	while (at < nr && saved[at] != asite_frames_address(frames[0]))
		at++;
	/* Deeper than there is room: what is not seen cannot be compared. */
	if (at == nr)
		return;
	wrong = wrong_from(f, saved + at, nr - at);
	asite_stat_inc(ASITE_STAT_STACKS_CHECKED);
	if (!wrong)
		return;
	asite_stat_inc(ASITE_STAT_STACKS_WRONG);
	asite_frames_distrust(asite_frames_address(frames[wrong - 1]));
}
