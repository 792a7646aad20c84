// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks past wrappers: learning of steps, and what the fast path (walk.h) leaves. The kernel's
 * unwinder is asked here and nowhere else.
 *
 * Contexts: any, NMI included, but for forget and reset.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/tramp.h>
#include <allocsite/walk.h>
#include <compat/rcupdate.h>
#include <compat/unwind.h>

/* Values of asite_step.address that no text address has; see sites.h. */
#define STEP_EMPTY	0UL
#define STEP_CLAIMED	1UL
#define STEP_DEAD	2UL

#define PROBES_MAX	16U	/* places looked at for one address */
#define WALK_MAX	32	/* frames, before a walk is given up */

static_assert(sizeof(struct asite_step) == 8, "both arrays are indexed by a scale of 8");

struct asite_steps asite_steps;
struct asite_chain asite_page_chain;
DEFINE_PER_CPU(struct asite_result, asite_result);

/* Learning. */

/* The one thing that is asked with several frame pointers: where is the next return address? */
static unsigned long next_at(unsigned long address, unsigned long at, unsigned long bp)
{
	struct asite_k_unwind u;

	if (!asite_k_unwind_begin(&u, address, at, bp) || !asite_k_unwind_next(&u))
		return 0;
	return asite_k_unwind_at(&u);
}

#define FAKE_WORDS	32

/*
 * Is it still the same if the frame pointer points into words that all differ, and are places
 * above? Its words shall not be part of a walk's frame.
 */
static noinline bool moves_with_words(unsigned long address, unsigned long at, unsigned long next)
{
	unsigned long words[FAKE_WORDS];
	unsigned int i;

	for (i = 0; i < FAKE_WORDS; i++)
		words[i] = at + (i + 2) * sizeof(long);
	return next != next_at(address, at, (unsigned long)&words[FAKE_WORDS / 2 - 4]) ||
	       next != next_at(address, at, (unsigned long)&words[FAKE_WORDS / 2 + 4]);
}

/*
 * 0 if the step depends on the frame pointer, or cannot be taken. The first two told lie above,
 * so that a frame found by them does not seem to go down; a frame whose place is read from there
 * may be at the same place twice, if the words there are equal.
 */
static unsigned int constant_step(unsigned long address, unsigned long at)
{
	unsigned long one = next_at(address, at, at + 128);

	if (one <= at || one - at > THREAD_SIZE || one != next_at(address, at, at + 256) ||
	    moves_with_words(address, at, one))
		return 0;
	return one - at;
}

static void publish(unsigned long address, const struct asite_step *new)
{
	unsigned int i, place;

	for (i = 0; i < PROBES_MAX; i++) {
		place = asite_walk_place(address, i);
		if (READ_ONCE(asite_steps.addresses[place]) == address)
			return;
		if (cmpxchg(&asite_steps.addresses[place], STEP_EMPTY, STEP_CLAIMED) != STEP_EMPTY)
			continue;
		asite_steps.steps[place] = *new;
		/* Pairs with the acquire in asite_walk_fast() and find(). */
		smp_store_release(&asite_steps.addresses[place], address);
		return;
	}
	asite_stat_inc(ASITE_STAT_STEPS_FULL);
}

static bool find(unsigned long address, struct asite_step *found)
{
	unsigned int i, place;

	for (i = 0; i < PROBES_MAX; i++) {
		place = asite_walk_place(address, i);
		/* Pairs with the release in publish(). */
		if (smp_load_acquire(&asite_steps.addresses[place]) == address) {
			*found = asite_steps.steps[place];
			return true;
		}
	}
	return false;
}

/* Areas, and slab objects where the unwinder sees through the return probe of vmalloc. */
static bool passes_vmalloc(unsigned long sub)
{
	return asite_kind_is_area(sub) ||
	       (ASITE_K_UNWINDS_KRETPROBES && asite_kind_tag(sub) == ASITE_TAG_SLAB);
}

static bool is_passed(enum asite_class class, unsigned long sub)
{
	return class == ASITE_CLASS_INTERNAL || class == ASITE_CLASS_TRAMP ||
	       (class == ASITE_CLASS_VMALLOC_PAGES && passes_vmalloc(sub));
}

/*
 * Call sites that were asked for lately, for those that get no key: the table may be full. One
 * word each, so nothing is torn; what is not there is asked again.
 */
static unsigned long plain[ASITE_STEPS];

static enum asite_class class_of(unsigned long address)
{
	unsigned long *place = &plain[asite_walk_place(address, 0)];
	enum asite_class class;

	if (READ_ONCE(*place) == address)
		return ASITE_CLASS_CALLER;
	class = asite_wrap_class(address);
	if (class == ASITE_CLASS_CALLER)
		WRITE_ONCE(*place, address);
	return class;
}

/* What is known of an address, or can be found out where it stands. */
static void find_or_learn(unsigned long address, unsigned long at, unsigned long sub,
			  struct asite_step *step)
{
	if (find(address, step))
		return;
	memset(step, 0, sizeof(*step));
	/* No address in a wrapper has a key. */
	if (asite_sites_lookup(&asite_track.sites, address, sub)) {
		step->class = ASITE_CLASS_CALLER;
		return;
	}
	step->class = class_of(address);
	if (step->class == ASITE_CLASS_INTERNAL)
		step->bytes = constant_step(address, at);
	else if (step->class == ASITE_CLASS_TRAMP)
		step->bytes = ASITE_TRAMP_BYTES;
	else if (step->class == ASITE_CLASS_VMALLOC_PAGES)
		step->through = constant_step(address, at);
	/* Call sites are the site table's; a trampoline of others is asked about each time. */
	if (step->class != ASITE_CLASS_CALLER && step->class != ASITE_CLASS_HIDDEN)
		publish(address, step);
}

/* Walking. */

/* From where @u is, frame by frame. A trampoline that the unwinder sees through is never met. */
static bool unwind_to_caller(struct asite_k_unwind *u, struct asite_at *w, unsigned long sub)
{
	struct asite_step step;
	int i;

	for (i = 0; i < WALK_MAX; i++) {
		if (!asite_k_unwind_next(u))
			return false;
		w->address = asite_k_unwind_address(u);
		w->at = asite_k_unwind_at(u);
		find_or_learn(w->address, w->at, sub, &step);
		w->class = step.class;
		if (!is_passed(step.class, sub))
			return true;
	}
	return false;
}

static bool walk_by_unwinder(struct asite_at *w, unsigned long sub)
{
	struct asite_k_unwind u;

	asite_stat_inc(ASITE_STAT_WALKS_SLOW);
	return asite_k_unwind_begin(&u, w->address, w->at, w->bp) &&
	       unwind_to_caller(&u, w, sub);
}

/* Not the wrapper: a key of it would be found without a walk from then on. */
static unsigned long lost(void)
{
	asite_stat_inc(ASITE_STAT_WALKS_LOST);
	return ASITE_KEY_LOST;
}

void asite_walk_slow(struct asite_at *w, unsigned long sub)
{
	struct asite_at from = *w;
	struct asite_step step;
	unsigned int bytes;
	int i;

	for (i = 0; i < WALK_MAX; i++) {
		find_or_learn(w->address, w->at, sub, &step);
		w->class = step.class;
		if (!is_passed(step.class, sub) && step.class != ASITE_CLASS_HIDDEN)
			return;
		bytes = step.bytes ?: step.through;
		if (!bytes || !asite_walk_reaches(w->at, w->at + bytes))
			break;
		w->at += bytes;
		w->address = READ_ONCE_NOCHECK(*(unsigned long *)w->at);
	}
	*w = from;
	if (walk_by_unwinder(w, sub))
		return;
	w->address = lost();
	w->class = ASITE_CLASS_CALLER;
}

/* Whose walks are typical. */
static struct task_struct *typical;

void asite_walk_typical(bool yes)
{
	WRITE_ONCE(typical, yes ? current : NULL);
}

/* The next address after one that is passed in a constant step; false if it is none such. */
static bool step_on(struct asite_at *w)
{
	struct asite_step step;

	if (!find(w->address, &step) || !step.bytes ||
	    !asite_walk_reaches(w->at, w->at + step.bytes))
		return false;
	w->at += step.bytes;
	w->address = READ_ONCE_NOCHECK(*(unsigned long *)w->at);
	return true;
}

void asite_walk_adopt_chain(const struct asite_at *from)
{
	struct asite_chain *chain = &asite_page_chain;
	struct asite_at second = *from, last, end, next;

	if (READ_ONCE(typical) != current || READ_ONCE(chain->address) != STEP_EMPTY ||
	    !step_on(&second))
		return;
	last = second;
	end = second;
	if (!step_on(&end))
		return;
	/* A third, if that is in a wrapper, too. */
	next = end;
	if (step_on(&next)) {
		last = end;
		end = next;
	}
	if (cmpxchg(&chain->address, STEP_EMPTY, STEP_CLAIMED) != STEP_EMPTY)
		return;
	chain->second = second.address;
	chain->last = last.address;
	chain->to_second = second.at - from->at;
	chain->to_last = last.at - from->at;
	chain->total = end.at - from->at;
	/* Pairs with the acquire in asite_walk_chain(). */
	smp_store_release(&chain->address, from->address);
}

/* Here, or where the function returned whose return probe this is. */
static bool begin_search(struct asite_k_unwind *u)
{
	unsigned long at = this_cpu_read(asite_result.at);

	return at && !ASITE_K_UNWINDS_KRETPROBES ?
	       asite_k_unwind_begin(u, this_cpu_read(asite_result.caller), at, 0) :
	       asite_k_unwind_here(u);
}

/* Go to where @caller stands. */
static bool find_caller(unsigned long caller, struct asite_k_unwind *u)
{
	int i;

	if (!begin_search(u))
		return false;
	for (i = 0; asite_k_unwind_address(u) != caller; i++) {
		if (i == WALK_MAX || !asite_k_unwind_next(u))
			return false;
	}
	return true;
}

unsigned long asite_walk_from_call_site(unsigned long caller, unsigned long sub, u32 *class)
{
	struct asite_at w = { .address = caller };
	struct asite_k_unwind u;
	struct asite_step step;

	if (!find(caller, &step))
		step.class = class_of(caller);
	*class = step.class;
	if (!is_passed(step.class, sub))
		return caller;
	asite_stat_inc(ASITE_STAT_WALKS_SLOW);
	*class = ASITE_CLASS_CALLER;
	if (!find_caller(caller, &u))
		return lost();
	/* Where it stands is known now: its name is not asked again. */
	find_or_learn(caller, asite_k_unwind_at(&u), sub, &step);
	if (!unwind_to_caller(&u, &w, sub))
		return lost();
	*class = w.class;
	return w.address;
}

/* Forgetting. */

static unsigned int mark_dead(unsigned long start, unsigned long end)
{
	unsigned long i, address;
	unsigned int n = 0;

	/* The chain is of core functions: whatever of them goes, it is learned again. */
	address = READ_ONCE(asite_page_chain.address);
	if (address > STEP_DEAD && end == ULONG_MAX)
		cmpxchg(&asite_page_chain.address, address, STEP_DEAD);
	for (i = 0; i < ASITE_STEPS; i++) {
		address = READ_ONCE(plain[i]);
		if (address && address >= start && address < end) {
			cmpxchg(&plain[i], address, 0);
			n++;
		}
		address = READ_ONCE(asite_steps.addresses[i]);
		if (address <= STEP_DEAD || address < start || address >= end)
			continue;
		cmpxchg(&asite_steps.addresses[i], address, STEP_DEAD);
		n++;
	}
	return n;
}

/* Handlers of tracepoints; of ftrace and kprobes; of trampolines, which may be preempted. */
void asite_walk_wait_for_handlers(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	asite_k_synchronize_rcu_tasks();
}

void asite_walk_forget(unsigned long start, unsigned long end)
{
	/* Innermost: the module notifier chain or wrap_lock is held around it. */
	static DEFINE_MUTEX(forgetting);
	unsigned long i;

	mutex_lock(&forgetting);
	/* Twice: who had asked for a class before it changed may publish after the first time. */
	if (!mark_dead(start, end) && end != ULONG_MAX)
		goto out;
	asite_walk_wait_for_handlers();
	mark_dead(start, end);
	asite_walk_wait_for_handlers();
	for (i = 0; i < ASITE_STEPS; i++)
		cmpxchg(&asite_steps.addresses[i], STEP_DEAD, STEP_EMPTY);
	cmpxchg(&asite_page_chain.address, STEP_DEAD, STEP_EMPTY);
out:
	mutex_unlock(&forgetting);
}

void asite_walk_reset(void)
{
	memset(&asite_steps, 0, sizeof(asite_steps));
	memset(plain, 0, sizeof(plain));
	memset(&asite_page_chain, 0, sizeof(asite_page_chain));
}

unsigned int asite_walk_learned(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ASITE_STEPS; i++)
		n += READ_ONCE(asite_steps.addresses[i]) > STEP_DEAD;
	return n;
}
