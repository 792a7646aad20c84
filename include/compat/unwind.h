/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wraps asm/unwind.h: the kernel's unwinder, begun at any return address of this stack. Without
 * ORC no step is taken: callers see a walk that ends at once.
 */
#ifndef COMPAT_UNWIND_H
#define COMPAT_UNWIND_H

#include <linux/sched.h>
#include <linux/sched/task.h>
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

/* The same, to walk in this task's name; @bp must be right. */
static __always_inline bool asite_k_unwind_from(struct asite_k_unwind *u, unsigned long address,
						unsigned long at, unsigned long bp)
{
	if (!asite_k_unwind_begin(u, address, at, bp))
		return false;
	u->state.error = false;
	return true;
}

/* False at the end of this stack, at an interrupt's frame, and where it does not know how. */
static inline bool asite_k_unwind_next(struct asite_k_unwind *u)
{
	enum stack_type stack = u->state.stack_info.type;

	return unwind_next_frame(&u->state) && !u->state.signal &&
	       u->state.stack_info.type == stack;
}

/* Where a step led. */
enum asite_k_unwind_where {
	ASITE_K_UNWIND_CALLER,	/* to a caller, on the same stack */
	ASITE_K_UNWIND_END,	/* nowhere: the stack ends */
	ASITE_K_UNWIND_REGS,	/* to what was interrupted */
	ASITE_K_UNWIND_STACK,	/* to another stack */
	ASITE_K_UNWIND_FAILED,	/* not known */
};

static inline enum asite_k_unwind_where asite_k_unwind_step(struct asite_k_unwind *u)
{
	enum stack_type stack = u->state.stack_info.type;

	if (!unwind_next_frame(&u->state))
		return u->state.error ? ASITE_K_UNWIND_FAILED : ASITE_K_UNWIND_END;
	if (u->state.regs)
		return user_mode(u->state.regs) ? ASITE_K_UNWIND_END : ASITE_K_UNWIND_REGS;
	if (u->state.stack_info.type != stack)
		return ASITE_K_UNWIND_STACK;
	return u->state.error ? ASITE_K_UNWIND_FAILED : ASITE_K_UNWIND_CALLER;
}

/*
 * Begin at @address as above, to try what a step does with @bp: told of another task, the
 * unwinder complains of nothing, and sets its error flag where it does not know. It does not
 * leave this stack then.
 */
static __always_inline bool asite_k_unwind_try(struct asite_k_unwind *u, unsigned long address,
					       unsigned long at, unsigned long bp)
{
	if (current == &init_task || !asite_k_unwind_begin(u, address, at, bp))
		return false;
	u->state.task = &init_task;
	u->state.error = false;
	return true;
}

static inline unsigned long asite_k_unwind_stack_end(const struct asite_k_unwind *u)
{
	return (unsigned long)u->state.stack_info.end;
}

static inline unsigned long asite_k_unwind_bp(const struct asite_k_unwind *u)
{
	return u->state.bp;
}

/* Where the registers stand that a step led to, after ASITE_K_UNWIND_REGS or _END. */
static inline unsigned long asite_k_unwind_regs(const struct asite_k_unwind *u)
{
	return (unsigned long)u->state.regs;
}

#else

enum asite_k_unwind_where {
	ASITE_K_UNWIND_CALLER,
	ASITE_K_UNWIND_END,
	ASITE_K_UNWIND_REGS,
	ASITE_K_UNWIND_STACK,
	ASITE_K_UNWIND_FAILED,
};

static inline enum asite_k_unwind_where asite_k_unwind_step(struct asite_k_unwind *u)
{
	return ASITE_K_UNWIND_FAILED;
}

static inline bool asite_k_unwind_try(struct asite_k_unwind *u, unsigned long address,
				      unsigned long at, unsigned long bp)
{
	return false;
}

static inline bool asite_k_unwind_from(struct asite_k_unwind *u, unsigned long address,
				       unsigned long at, unsigned long bp)
{
	return false;
}

static inline unsigned long asite_k_unwind_stack_end(const struct asite_k_unwind *u)
{
	return 0;
}

static inline unsigned long asite_k_unwind_bp(const struct asite_k_unwind *u)
{
	return 0;
}

static inline unsigned long asite_k_unwind_regs(const struct asite_k_unwind *u)
{
	return 0;
}

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
