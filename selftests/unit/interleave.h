/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deterministic interleaver: tasks are coroutines that may be switched at every
 * marked access of the code under test (shim_yield()). Memory is sequentially
 * consistent here: orders are explored, not store buffers.
 *
 * A task with @irq_of set is an interrupt on that task's CPU: once it started,
 * the interrupted task does not run until it is done.
 */
#ifndef UNIT_INTERLEAVE_H
#define UNIT_INTERLEAVE_H

#include <stdbool.h>

#define IL_TASKS	4
#define IL_NO_IRQ	(-1)

/**
 * struct il_task - one task of a scenario
 * @run: its body
 * @cpu: the CPU it runs on; tasks of one CPU must be chained by @irq_of
 * @irq_of: number of the task it interrupts, or IL_NO_IRQ
 */
struct il_task {
	void (*run)(void);
	int cpu;
	int irq_of;
};

/**
 * struct il_scenario - tasks and what must hold after every schedule
 * @name: test name
 * @setup: makes the state anew, before every schedule
 * @check: called when all tasks are done; failures go to case_expect()
 * @done: frees what @setup made, after every schedule
 * @switches: explore all schedules with at most so many preemptions
 * @tasks: ends at the first without @run
 */
struct il_scenario {
	const char *name;
	void (*setup)(void);
	void (*check)(void);
	void (*done)(void);
	int switches;
	struct il_task tasks[IL_TASKS];
};

/* Runs a scenario, all schedules if @exhaustive, then @random ones; false at a failure. */
bool il_run(const struct il_scenario *s, unsigned long random, unsigned long seed,
	    bool exhaustive);

/* In a task: do not go on before *flag is set; others run meanwhile. */
void il_wait_for(const int *flag);

/* Prints the choices of the present schedule. */
void il_print_trail(void);

/* Schedules run so far, over all scenarios. */
unsigned long il_schedules(void);

#endif /* UNIT_INTERLEAVE_H */
