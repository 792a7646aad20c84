/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks from an allocator's innermost function to who called the outermost one. With ORC a
 * function whose frame the stack pointer describes has a constant distance between the return
 * address into it and the one into its caller. The kernel's unwinder is asked once for each
 * return address whether it is such a one; from then on a step is a look-up and a load.
 *
 * Only addresses that are passed are kept: those in wrappers (wrap.h), and where backing
 * memory begins. A call site is in the site table, so nothing is asked twice.
 *
 * Contexts: any, NMI included, but for set-up.
 *
 * Invariants
 *  - An entry goes empty -> claimed -> published -> dead. It is empty again only after a grace
 *    period for handlers, so @bytes and @tag belong to @address as long as that is there.
 *  - A step is used only after it was proven: the unwinder, told two frame pointers, went to
 *    the same place twice, on the same stack, with no error and no interrupt's frame.
 */
#ifndef ALLOCSITE_WALK_H
#define ALLOCSITE_WALK_H

#include <linux/cache.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <allocsite/sites.h>
#include <allocsite/wrap.h>

#define ASITE_STEPS_SHIFT	11
#define ASITE_STEPS		(1UL << ASITE_STEPS_SHIFT)
/* The longest chain of wrappers seen has 6; what is longer goes on in the slow path. */
#define ASITE_WALK_FAST		6

/**
 * struct asite_step - what is known of a return address in a wrapper
 * @bytes: from where it stands on the stack to where its caller's stands; 0: not constant,
 *	or pages' walks end here
 * @through: the same where pages' walks end
 * @class: enum asite_class
 */
struct asite_step {
	u32 bytes;
	u16 through;
	u16 class;
};

/**
 * struct asite_steps - what is known of return addresses
 * @addresses: the return addresses, 0 while empty
 * @steps: what is known of each
 */
struct asite_steps {
	unsigned long addresses[ASITE_STEPS];
	struct asite_step steps[ASITE_STEPS];
};

extern struct asite_steps asite_steps;

/**
 * struct asite_chain - the steps that most pages' walks begin with
 * @address: the first return address, 0 while not known
 * @second: the second
 * @last: the last in a wrapper; the second again if there are two
 * @to_second: from where the first stands to where the second does
 * @to_last: to where the last does
 * @total: to where the caller's does
 *
 * Set once; read by every page that is allocated, so in a cache line of its own.
 */
struct asite_chain {
	unsigned long address;
	unsigned long second;
	unsigned long last;
	u32 to_second;
	u32 to_last;
	u32 total;
} ____cacheline_aligned;

extern struct asite_chain asite_page_chain;

/**
 * struct asite_at - a place on this CPU's stack
 * @address: a return address
 * @at: where it stands
 * @bp: the frame pointer register on return to @address, 0 where it is not known; for the
 *	address that a walk begins with
 * @class: what @address is, as far as is known: CALLER, or where backing begins
 */
struct asite_at {
	unsigned long address;
	unsigned long at;
	unsigned long bp;
	u32 class;
};

/**
 * asite_walk_slow() - go on to the caller; learn what is not known
 * @w: where to begin; where it ended on return, or ASITE_KEY_LOST
 * @sub: of the key that a call site would have; one that has it is asked nothing more. What
 *	vmalloc() takes for itself is its caller's unless it is pages.
 *
 * Context: any, NMI included; @w on this task's or CPU's stack.
 */
void asite_walk_slow(struct asite_at *w, unsigned long sub);

/**
 * asite_walk_adopt_chain() - the first two or three steps of a walk are those of most
 * @from: where it began
 *
 * Does nothing if there is a chain, if these steps are not known to be constant, or if this
 * task does not make a typical walk.
 *
 * Context: any, NMI included.
 */
void asite_walk_adopt_chain(const struct asite_at *from);

/**
 * asite_walk_typical() - the walks of this task are typical from here on, or no longer
 * @yes: which
 *
 * Context: task; one at a time.
 */
void asite_walk_typical(bool yes);

/**
 * asite_walk_from_call_site() - the caller, where only a call site was told
 * @caller: return address of the allocator; stands somewhere above this function's frame
 * @sub: as above
 * @class: set to what the address returned is
 *
 * Asks the unwinder for each frame, if @caller is in a wrapper.
 *
 * Context: any, NMI included.
 * Return: the call site; @caller if it is one; ASITE_KEY_LOST if none was found on the stack.
 */
unsigned long asite_walk_from_call_site(unsigned long caller, unsigned long sub, u32 *class);

/**
 * struct asite_result - the function whose result a return probe hands over on this CPU
 * @caller: to where it returns
 * @at: where that address stood; 0: no return probe's handler runs
 * @bp: the frame pointer register on return
 */
struct asite_result {
	unsigned long caller;
	unsigned long at;
	unsigned long bp;
};

/* Walks begin there: not every kernel's unwinder sees through a return probe, none at once. */
DECLARE_PER_CPU(struct asite_result, asite_result);

/**
 * asite_walk_wait_for_handlers() - every handler that runs now has ended on return
 *
 * Those of all backends. Others begin meanwhile.
 *
 * Context: task, may sleep, for seconds; no lock that a handler's caller might hold.
 */
void asite_walk_wait_for_handlers(void);

/**
 * asite_walk_forget() - forget steps, after the wrapper set changed or text is going
 * @start: first address
 * @end: after the last
 *
 * Context: task, may sleep; callers exclude each other. Waits for handlers.
 */
void asite_walk_forget(unsigned long start, unsigned long end);

/**
 * asite_walk_reset() - forget all
 *
 * Context: task; no hook may be attached.
 */
void asite_walk_reset(void);

/**
 * asite_walk_learned() - steps that are known
 *
 * Context: any.
 * Return: entries.
 */
unsigned int asite_walk_learned(void);

static __always_inline unsigned int asite_walk_place(unsigned long address, unsigned int n)
{
	/* Text lies in 2 GiB: the low half of an address tells. */
	return (((u32)address * 0x9E3779B1U >> (32 - ASITE_STEPS_SHIFT)) + n) & (ASITE_STEPS - 1);
}

/* Is a higher place on the stack on the same one? Elsewhere the unwinder finds out. */
static __always_inline bool asite_walk_reaches(unsigned long from, unsigned long to)
{
	return likely(!((from ^ to) & PAGE_MASK)) ||
	       to - (unsigned long)task_stack_page(current) < THREAD_SIZE - sizeof(long);
}

/**
 * asite_walk_fast() - as far as is known
 * @w: where to begin; where it ended on return
 *
 * Context: any, NMI included; @w on this task's or CPU's stack.
 */
static __always_inline void asite_walk_fast(struct asite_at *w)
{
	const struct asite_step *step;
	unsigned int place, i;
	unsigned long next;

	for (i = 0; i < ASITE_WALK_FAST; i++) {
		place = asite_walk_place(w->address, 0);
		/* Racy on purpose: a mismatch is only slower. */
		if (data_race(asite_steps.addresses[place]) != w->address)
			return;
		/* Pairs with the release in publish(). */
		smp_acquire__after_ctrl_dep();
		step = &asite_steps.steps[place];
		if (!step->bytes) {
			w->class = step->class;
			return;
		}
		next = w->at + step->bytes;
		if (!asite_walk_reaches(w->at, next))
			return;
		w->at = next;
		w->address = READ_ONCE_NOCHECK(*(unsigned long *)next);
	}
}

/**
 * asite_walk_chain() - the steps that most pages' walks begin with
 * @address: a return address
 * @at: where it stands
 *
 * Context: any, NMI included; @at on this task's or CPU's stack.
 * Return: where the return address after them stands, or 0 if these are others.
 */
static __always_inline unsigned long asite_walk_chain(unsigned long address, unsigned long at)
{
	const struct asite_chain *chain = &asite_page_chain;

	/* As above. */
	if (unlikely(data_race(chain->address) != address))
		return 0;
	/* Pairs with the release in asite_walk_adopt_chain(). */
	smp_acquire__after_ctrl_dep();
	if (!asite_walk_reaches(at, at + chain->total) ||
	    READ_ONCE_NOCHECK(*(unsigned long *)(at + chain->to_second)) != chain->second ||
	    READ_ONCE_NOCHECK(*(unsigned long *)(at + chain->to_last)) != chain->last)
		return 0;
	return at + chain->total;
}

#endif /* ALLOCSITE_WALK_H */
