/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: CPU n's copy lies n strides behind CPU 0's. */
#ifndef SHIM_LINUX_PERCPU_H
#define SHIM_LINUX_PERCPU_H

#include <linux/atomic.h>
#include <linux/cpumask.h>

#define SHIM_PERCPU_STRIDE	(32UL << 10)

#define per_cpu_ptr(p, cpu) \
	((__typeof__(p))((char *)(p) + (cpu) * SHIM_PERCPU_STRIDE))
#define this_cpu_ptr(p)		per_cpu_ptr(p, shim_cpu)

/* One instruction on x86: an interrupt comes before or after it. */
#define this_cpu_add(x, n)						\
	({ shim_yield(&(x), SHIM_PERCPU);				\
	   (void)__atomic_add_fetch(this_cpu_ptr(&(x)), n, __ATOMIC_RELAXED); })
#define this_cpu_inc(x)		this_cpu_add(x, 1)
#define this_cpu_dec(x)		this_cpu_add(x, -1)

#endif
