// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interleaver's engine: coroutines on ucontext, a depth-first search over
 * the choices made at yield points, and random schedules.
 *
 * A choice is made where a task yields (0: go on; else: switch, which costs
 * one preemption of the budget) and where it ends or waits (free of cost). The
 * search replays a prefix of choices and takes 0 after it; the next schedule is
 * the longest prefix that still has an untried choice at its end.
 *
 * Invariant: a scenario's tasks must behave the same for the same choices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <linux/cpumask.h>
#include <linux/compiler.h>

#include "../cases/cases.h"
#include "interleave.h"

#define STACK_BYTES	(64UL << 10)
#define TRAIL_MAX	4096
#define SWITCH_ODDS	4	/* a random schedule switches at one in so many */

enum state { NEW, RUNNING, DONE };

struct coroutine {
	ucontext_t context;
	enum state state;
	const int *wait;
	char stack[STACK_BYTES] __attribute__((__aligned__(64)));
};

static struct coroutine tasks[IL_TASKS];
static const struct il_scenario *scenario;
static ucontext_t runner;
static int current, count, budget;
static bool active, randomly, stuck;
static unsigned long schedules, rng, run_seed;

/* What was chosen of how many, and which task was running; for replay. */
static struct { unsigned char pick, of, task; } trail[TRAIL_MAX];
static int trail_len, prefix_len;

unsigned long il_schedules(void)
{
	return schedules;
}

static unsigned long next_random(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static int choose(int n, bool forced)
{
	int pick = 0;

	if (n == 1)
		return 0;
	if (trail_len == TRAIL_MAX) {
		fprintf(stderr, "interleave: %s is too long\n", scenario->name);
		exit(2);
	}
	if (randomly)
		pick = forced || !(next_random() % SWITCH_ODDS) ? next_random() % n : 0;
	else if (trail_len < prefix_len)
		pick = trail[trail_len].pick;
	trail[trail_len].pick = pick;
	trail[trail_len].of = n;
	trail[trail_len++].task = current;
	return pick;
}

static bool interrupted(int t)
{
	int i;

	for (i = 0; i < count; i++) {
		if (scenario->tasks[i].irq_of == t && tasks[i].state == RUNNING)
			return true;
	}
	return false;
}

static bool runnable(int t)
{
	if (tasks[t].state == DONE || interrupted(t))
		return false;
	return !tasks[t].wait || *tasks[t].wait;
}

/* An interrupt may not start on top of another of its CPU but as its interrupt. */
static bool may_start(int t)
{
	int i;

	if (tasks[t].state != NEW)
		return true;
	for (i = 0; i < count; i++) {
		if (i != t && scenario->tasks[i].cpu == scenario->tasks[t].cpu &&
		    tasks[i].state == RUNNING && !interrupted(i) &&
		    scenario->tasks[t].irq_of != i)
			return false;
	}
	return true;
}

static int others(int *list)
{
	int i, n = 0;

	for (i = 0; i < count; i++) {
		if (i != current && runnable(i) && may_start(i))
			list[n++] = i;
	}
	return n;
}

static void switch_to(int next)
{
	int was = current;

	current = next;
	shim_cpu = scenario->tasks[next].cpu;
	tasks[next].state = RUNNING;
	swapcontext(&tasks[was].context, &tasks[next].context);
}

void shim_yield(const volatile void *addr, enum shim_kind kind)
{
	int list[IL_TASKS], pick;

	(void)addr;
	(void)kind;
	if (!active || (!randomly && !budget))
		return;
	pick = choose(1 + others(list), false);
	if (!pick)
		return;
	budget--;
	others(list);
	switch_to(list[pick - 1]);
}

/* The current task cannot go on: another must. */
static void leave(void)
{
	int list[IL_TASKS], n = others(list);

	if (n) {
		switch_to(list[choose(n, true)]);
		return;
	}
	stuck = tasks[current].state != DONE;
	for (n = 0; n < count; n++)
		stuck |= tasks[n].state != DONE;
	setcontext(&runner);
}

void il_wait_for(const int *flag)
{
	while (!*flag) {
		tasks[current].wait = flag;
		leave();
	}
	tasks[current].wait = NULL;
}

static void body(void)
{
	scenario->tasks[current].run();
	tasks[current].state = DONE;
	leave();
}

static void make_coroutine(int t)
{
	struct coroutine *c = &tasks[t];

	c->state = NEW;
	c->wait = NULL;
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = c->stack;
	c->context.uc_stack.ss_size = STACK_BYTES;
	makecontext(&c->context, body, 0);
}

static void run_once(void)
{
	int list[IL_TASKS], n;
	volatile bool back = false;

	scenario->setup();
	for (count = 0; count < IL_TASKS && scenario->tasks[count].run; count++)
		make_coroutine(count);
	trail_len = 0;
	budget = scenario->switches;
	stuck = false;
	schedules++;

	getcontext(&runner);
	if (!back) {
		back = true;
		current = -1;
		n = others(list);
		current = list[choose(n, true)];
		shim_cpu = scenario->tasks[current].cpu;
		tasks[current].state = RUNNING;
		active = true;
		setcontext(&tasks[current].context);
	}
	active = false;
	shim_cpu = 0;
	expect(!stuck);
	scenario->check();
	if (scenario->done)
		scenario->done();
}

/* Drop tried choices off the end; false when none is left untried. */
static bool next_prefix(void)
{
	while (trail_len && trail[trail_len - 1].pick + 1 >= trail[trail_len - 1].of)
		trail_len--;
	if (!trail_len)
		return false;
	trail[trail_len - 1].pick++;
	prefix_len = trail_len;
	return true;
}

void il_print_trail(void)
{
	int i;

	case_print("# schedule of %s, task@choice:", scenario->name);
	for (i = 0; i < trail_len; i++) {
		if (trail[i].pick)
			case_print(" %d@%d:%d/%d", trail[i].task, i, trail[i].pick, trail[i].of);
	}
	if (randomly)
		case_print(" (random, SEED=0x%lx)", run_seed);
	case_print("\n");
}

bool il_run(const struct il_scenario *s, unsigned long random, unsigned long seed,
	    bool exhaustive)
{
	scenario = s;
	run_seed = seed;
	randomly = false;
	prefix_len = 0;
	while (exhaustive) {
		run_once();
		if (case_failures()) {
			il_print_trail();
			return false;
		}
		exhaustive = next_prefix();
	}

	randomly = true;
	rng = seed | 1;
	while (random--) {
		run_once();
		if (case_failures()) {
			il_print_trail();
			return false;
		}
	}
	return true;
}
