/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of asite_bench share: bench_loops.c has the loops and the
 * objects they work with, bench_main.c runs and measures them.
 */
#ifndef ASITE_BENCH_H
#define ASITE_BENCH_H

#include <linux/types.h>

/**
 * struct bench_loop - something that allocates and frees
 * @name: its name in the output
 * @pairs: allocations, and frees of them, in a pass
 * @passes: at most so many passes; 0: as many as the parameter says
 * @interrupts: they stay on, because an allocator here sleeps or turns them on
 * @run: does at most so many pairs, returns how many; fewer: no memory
 * @prepare: before each pass, chooses the objects it will meet; NULL: nothing
 * @release: after each pass; NULL: what is held stays until the last one
 */
struct bench_loop {
	const char *name;
	unsigned int pairs;
	unsigned int passes;
	bool interrupts;
	unsigned int (*run)(unsigned int pairs);
	int (*prepare)(void);
	void (*release)(void);
};

extern const struct bench_loop bench_loops[];
extern const unsigned int bench_nr_loops;

int bench_loops_init(void);
void bench_loops_exit(void);
void bench_drop_ballast(void);
int bench_hold(unsigned int count);

#endif
