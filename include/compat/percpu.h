/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/percpu.h: a subtraction that tells its sign. */
#ifndef COMPAT_PERCPU_H
#define COMPAT_PERCPU_H

#include <linux/percpu.h>

/*
 * Subtract bytes from this CPU's copy of an s64; true if it is below zero now. One
 * instruction, so safe against interrupts and migration, and its flags are the answer:
 * this_cpu_sub_return() is xadd with four more around it. The cast takes away the address
 * space that some kernels give to per-CPU variables: the prefix is written out here.
 */
#define asite_k_this_cpu_sub_is_negative(var, bytes)				\
({										\
	bool negative__;							\
	asm volatile("subq %[n], %%gs:%[v]"					\
		     : [v] "+m" (*(s64 *)(__force uintptr_t)&(var)),		\
		       "=@ccs" (negative__)					\
		     : [n] "er" ((s64)(bytes)));				\
	negative__;								\
})

#endif /* COMPAT_PERCPU_H */
