/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks of a measured pass in the instruction stream: each is one no-operation
 * of seven bytes, nopl NUMBER(%rax), which no compiler emits. A processor does
 * nothing with it; a plugin of the emulator sees where the measured part begins
 * and ends. The bytes of both are also what such a plugin looks for.
 *
 * Not here: what is between the marks; that is bench_main.c.
 */
#ifndef ASITE_BENCH_MARKERS_H
#define ASITE_BENCH_MARKERS_H

#define BENCH_MARK_BYTES	7
#define BENCH_MARK_BEGIN	0x51a11001
#define BENCH_MARK_END		0x51a11002

#define bench_mark(number)						\
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0" : : "i" (number) : "memory")

#endif
