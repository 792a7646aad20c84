/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole stacks by proven steps. What is known of a return address (how far its caller's
 * stands, or that none follows) is one word in a table, so that a frame costs a look-up and
 * a load; the kernel's unwinder is asked once for each address, and where a step is none
 * that can be proven, each time.
 *
 * This is not the walk past wrappers (walk.h), which asks by name where to stop.
 *
 *	63        56 55       32 31            0
 *	| kind      | step      | address      |	the upper half inverted
 *
 * Text lies in the upper 2 GiB: the low half of an address tells the whole, and the upper half,
 * all ones, turns that of an entry back when they are xor'ed: see asite_frames_step().
 *
 * Contexts: any, NMI included, but for set-up: no lock, no allocation.
 *
 * Invariants
 *  - An entry is one word: it is read whole, and gone with one store.
 *  - Steps were proven: the unwinder was shown a stack made up for that, twice, with other
 *    words in other places, and where it went says what it had read (frames.c).
 *  - Every load is checked against the stack's end before.
 */
#ifndef ALLOCSITE_FRAMES_H
#define ALLOCSITE_FRAMES_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <allocsite/depot_find.h>
#include <allocsite/walk.h>
#include <compat/compiler.h>

/* The call site, and what the depot's largest class holds. */
#define ASITE_FRAMES_MAX	(1U + ASITE_DEPOT_FRAMES)

#define ASITE_FRAMES_ENTRIES	(1U << 15)
#define ASITE_FRAME_KIND_SHIFT	24

static_assert(THREAD_SIZE <= 1U << ASITE_FRAME_KIND_SHIFT, "a step fits its place");

enum asite_frame_kind {
	ASITE_FRAME_CONST,	/* the next return address stands @step bytes above */
	ASITE_FRAME_END,	/* none follows */
	ASITE_FRAME_REGS,	/* registers stand @step bytes above: whose, they tell */
	ASITE_FRAME_CUT,	/* another stack follows: not walked */
	ASITE_FRAME_TOP,	/* the next stands @step bytes below the end of the task's stack */
	ASITE_FRAME_BP,		/* the next stands @step bytes above what the frame pointer says */
	ASITE_FRAME_SYSCALL,	/* the same, where TOP may be found to hold */
	ASITE_FRAME_SAVED,	/* the stack pointer stands @step bytes below the frame pointer */
	ASITE_FRAME_VARIES,	/* the unwinder knows */
};

/* Why a walk ended. */
enum asite_frames_end {
	ASITE_FRAMES_END,	/* at the end of the stack */
	ASITE_FRAMES_CUT,	/* where an interrupt came, or on another stack: on purpose */
	ASITE_FRAMES_FULL,	/* no more were asked for */
	ASITE_FRAMES_LOST,	/* the unwinder did not go on */
	ASITE_FRAMES_END_COUNT,
};

/**
 * struct asite_frames - a walk, and what it found
 * @address: the return address that the walk is at
 * @at: where it stands
 * @bp: the frame pointer register on return to the first address, 0 where it is not known
 * @stack_end: of the stack that @at is on
 * @nr: frames found, the call site included
 * @slow: steps that the unwinder took
 * @end: why it ended
 * @hash: asite_depot_hash() of the frames above the call site
 * @stack: low halves of the return addresses, the call site's in place of the owner
 */
struct asite_frames {
	unsigned long address;
	unsigned long at;
	unsigned long bp;
	unsigned long stack_end;
	unsigned int nr;
	unsigned int slow;
	enum asite_frames_end end;
	u64 hash;
	struct asite_depot_stack stack;
};

extern u64 *asite_frames_table;

/* A frame's address, from what is kept of it. */
static inline unsigned long asite_frames_address(u32 frame)
{
	return (unsigned long)(long)(s32)frame;
}

/**
 * asite_frames_walk() - the stack above a call site
 * @f: @address, @at and @bp say where to begin, which is at or below the call site; the rest is
 *	filled in
 * @site: the call site: what is kept begins with it
 * @max: frames to keep, 1 to ASITE_FRAMES_MAX
 *
 * Context: any, NMI included; @f->at on this stack, above this function's frame.
 * Return: false if the call site was not found: nothing is kept then.
 */
bool asite_frames_walk(struct asite_frames *f, unsigned long site, unsigned int max);

/**
 * asite_frames_check() - compare a walk with the kernel's own
 * @f: the walk, which ended in this function's caller or one above
 *
 * What differs is counted, and the step that led there is not taken again.
 *
 * Context: any, NMI included; takes 800 bytes of stack.
 */
void asite_frames_check(const struct asite_frames *f);

/**
 * asite_frames_distrust() - a step was found wrong: the unwinder is asked from now on
 * @address: the return address that it leads on from
 *
 * Context: any, NMI included.
 */
void asite_frames_distrust(unsigned long address);

/**
 * asite_frames_init() - make the table
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int asite_frames_init(void);

/**
 * asite_frames_exit() - free the table
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_frames_exit(void);

/**
 * asite_frames_forget() - drop what is known of text that goes
 * @start: its first address
 * @end: after the last
 *
 * Context: task; nothing of that text is on a stack any more.
 */
void asite_frames_forget(unsigned long start, unsigned long end);

/**
 * asite_frames_learned() - return addresses that are known
 * @varies: if not NULL, set to how many of them have no proven step
 *
 * Context: any.
 * Return: entries.
 */
unsigned int asite_frames_learned(unsigned int *varies);

/* The call site, and the frames. */
static __always_inline u32 *asite_frames_of(struct asite_frames *f)
{
	return (u32 *)f->stack.words;
}

static __always_inline unsigned long asite_frames_read(unsigned long at)
{
	/* Of this stack, whatever it holds. */
	unsigned long word = data_race(*(unsigned long *)at);

	OPTIMIZER_HIDE_VAR(word);
	return word;
}

/* The low bits of return addresses are as good as random. */
static __always_inline unsigned long asite_frames_place(unsigned long address)
{
	return address & (ASITE_FRAMES_ENTRIES - 1);
}

/*
 * What the entry at an address's place @n in @table (asite_frames_table, in a register) says: the
 * step, with the kind above it, and 0 in the upper half if it is that address's. So all but a
 * constant step lead beyond any stack.
 */
static __always_inline u64 asite_frames_step(const u64 *table, unsigned long address,
					     unsigned int n)
{
	/* Racy on purpose: an entry is one word. */
	u64 entry = data_race(table[asite_frames_place(address) ^ n]);

	OPTIMIZER_HIDE_VAR(entry);
	return rol64(entry ^ address, 32);
}

/* The kind of what asite_frames_step() said; none if it is of another address. */
static __always_inline u64 asite_frames_kind(u64 step)
{
	return step >> ASITE_FRAME_KIND_SHIFT;
}

#endif /* ALLOCSITE_FRAMES_H */
