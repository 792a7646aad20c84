/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wraps asm/unwind.h: the kernel's unwinder, begun at any return address of this stack. Without
 * ORC no step is taken: callers see a walk that ends at once.
 */
#ifndef COMPAT_UNWIND_H
#define COMPAT_UNWIND_H

#include <linux/sched.h>
#include <asm/unwind.h>

#include <generated/allocsite-features.h>

/*
 * From 5.15 on the unwinder knows what a kretprobe's trampoline stands for. Before, nothing is
 * seen beyond vmalloc's function that is hooked so.
 */
#define ASITE_K_UNWINDS_KRETPROBES	ASITE_HAVE_KRETPROBE_RETADDR

/* Where a walk is: at a return address and the place where it stands. */
struct asite_k_unwind {
	struct unwind_state state;
};

#ifdef CONFIG_UNWINDER_ORC

static inline unsigned long asite_k_unwind_address(const struct asite_k_unwind *u)
{
	return u->state.ip;
}

static inline unsigned long asite_k_unwind_at(const struct asite_k_unwind *u)
{
	return u->state.sp - sizeof(long);
}

/* Begin in the function that calls this one. */
static __always_inline bool asite_k_unwind_here(struct asite_k_unwind *u)
{
	unsigned long here;

	__unwind_start(&u->state, current, NULL, &here);
	return !unwind_done(&u->state);
}

/*
 * Begin at @address, which stands at @at; @bp: the frame pointer register there. With its error
 * flag set, the unwinder keeps quiet about what it does not find.
 */
static __always_inline bool asite_k_unwind_begin(struct asite_k_unwind *u, unsigned long address,
						 unsigned long at, unsigned long bp)
{
	const struct stack_info *stack = &u->state.stack_info;

	if (!asite_k_unwind_here(u) || at < (unsigned long)stack->begin ||
	    at + sizeof(long) > (unsigned long)stack->end)
		return false;
	u->state.ip = address;
	u->state.sp = at + sizeof(long);
	u->state.bp = bp;
	u->state.error = true;
	u->state.signal = false;
	u->state.full_regs = false;
	u->state.regs = NULL;
	u->state.prev_regs = NULL;
	return true;
}

/* False at the end of this stack, at an interrupt's frame, and where it does not know how. */
static inline bool asite_k_unwind_next(struct asite_k_unwind *u)
{
	enum stack_type stack = u->state.stack_info.type;

	return unwind_next_frame(&u->state) && !u->state.signal &&
	       u->state.stack_info.type == stack;
}

#else

static inline unsigned long asite_k_unwind_address(const struct asite_k_unwind *u)
{
	return 0;
}

static inline unsigned long asite_k_unwind_at(const struct asite_k_unwind *u)
{
	return 0;
}

static inline bool asite_k_unwind_here(struct asite_k_unwind *u)
{
	return false;
}

static inline bool asite_k_unwind_begin(struct asite_k_unwind *u, unsigned long address,
					unsigned long at, unsigned long bp)
{
	return false;
}

static inline bool asite_k_unwind_next(struct asite_k_unwind *u)
{
	return false;
}

#endif

#endif /* COMPAT_UNWIND_H */
