/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole stacks, the fast path: of a task's own stack, where all steps are known in their first
 * places or the second ones. What is not so is begun again by asite_frames_walk().
 *
 * Contexts: any, NMI included.
 */
#ifndef ALLOCSITE_FRAMES_FAST_H
#define ALLOCSITE_FRAMES_FAST_H

#include <linux/ptrace.h>

#include <allocsite/frames.h>

static_assert(ASITE_DEPOT_HASH == 0, "what undoes a step is the frame itself, negative");

/*
 * Places are distances to the stack's end, negative: a step that leads beyond overflows, and so
 * does one that is none. @end is the end.
 */

/* From the first frame, whose frame pointer is known; 0 if it does not say. */
static __always_inline unsigned long asite_frames_first(const struct asite_at *from, u64 step,
							unsigned long end)
{
	unsigned long by = step & ((1UL << ASITE_FRAME_KIND_SHIFT) - 1), at = from->bp + by;

	if (asite_frames_kind(step) == ASITE_FRAME_SAVED) {
		at = from->bp - by;
		if (at <= from->at || at > end - sizeof(long))
			return 0;
		at = asite_frames_read(at) - sizeof(long);
	} else if (asite_frames_kind(step) != ASITE_FRAME_BP) {
		return 0;
	}
	return at > from->at && at <= end - sizeof(long) ? at - end : 0;
}

/* Is it the last return address, above registers of user space? @at: where it stands. */
static __always_inline bool asite_frames_is_last(u64 step, unsigned long at, unsigned long end)
{
	unsigned long by = step & ((1UL << ASITE_FRAME_KIND_SHIFT) - 1);
	const struct pt_regs *regs = (const struct pt_regs *)(at + by);

	if (asite_frames_kind(step) == ASITE_FRAME_END)
		return true;
	return asite_frames_kind(step) == ASITE_FRAME_REGS && (unsigned long)(regs + 1) <= end &&
	       asite_frames_read((unsigned long)&regs->cs) & 3;
}

/**
 * asite_frames_fast() - as asite_frames_walk(), of what is known
 * @stack: the call site, in place of the owner, and the frames: filled in
 * @from: where to begin
 * @site: the call site
 * @max: frames to keep, 1 to ASITE_FRAMES_MAX
 * @why: set to why the walk ended
 * @hashed: set to the hash of the frames above the call site
 *
 * What is known of a walk is handed over one by one, as it stays in registers so.
 *
 * Context: any, NMI included; @from on this stack.
 * Return: frames found, the call site included; 0: call asite_frames_walk().
 */
static __always_inline unsigned int
asite_frames_fast(struct asite_depot_stack *stack, const struct asite_at *from,
		  unsigned long site, unsigned int max, enum asite_frames_end *why, u64 *hashed)
{
	unsigned long end = (unsigned long)task_stack_page(current) + THREAD_SIZE;
	unsigned long place = from->at - end, address = from->address;
	const u64 *table = asite_frames_table;
	u32 *to = (u32 *)stack->words, *last = to + max;
	u64 step, hash;

	if (unlikely(place < -THREAD_SIZE))
		return 0;
	while (address != site) {
		step = asite_frames_step(table, address, 0);
		place += step;
		if (unlikely(place < step)) {
			OPTIMIZER_HIDE_VAR(place);
			place -= step;
			if (step >> 32)
				step = asite_frames_step(table, address, 1);
			place += step;
			if (place < step) {
				if (place - step + end != from->at)
					return 0;
				place = asite_frames_first(from, step, end);
				if (!place)
					return 0;
			}
		}
		address = asite_frames_read(end + place);
	}
	/* Undone by the step for the call site itself, which is in no hash. */
	hash = -(u64)(u32)address;
	do {
		step = asite_frames_step(table, address, 0);
		place += step;
		if (unlikely(place < step))
			goto other;
keep:
		hash = asite_depot_hash(hash, address);
		*to++ = address;
		address = asite_frames_read(end + place);
	} while (likely(to < last));
	*why = ASITE_FRAMES_FULL;
	goto out;
other:
	/* Or the compiler would keep what is needed here ready, in each turn of the loop. */
	OPTIMIZER_HIDE_VAR(place);
	OPTIMIZER_HIDE_VAR(address);
	place -= step;
	if (unlikely(step >> 32)) {
		step = asite_frames_step(table, address, 1);
		place += step;
		if (likely(place >= step))
			goto keep;
		place -= step;
	}
	if (asite_frames_kind(step) == ASITE_FRAME_TOP) {
		step = -(step & ((1UL << ASITE_FRAME_KIND_SHIFT) - 1));
		if (step <= place || to + 1 == last)
			return 0;
		hash = asite_depot_hash(hash, address);
		*to++ = address;
		place = step;
		address = asite_frames_read(end + place);
		step = asite_frames_step(table, address, 0);
		if (unlikely(step >> 32))
			step = asite_frames_step(table, address, 1);
	}
	if (!asite_frames_is_last(step, end + place, end))
		return 0;
	hash = asite_depot_hash(hash, address);
	*to++ = address;
	*why = ASITE_FRAMES_END;
out:
	*hashed = hash;
	return to - (u32 *)stack->words;
}

#endif /* ALLOCSITE_FRAMES_FAST_H */
