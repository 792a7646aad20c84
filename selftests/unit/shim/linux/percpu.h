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

/* Variables by name have one copy: for tasks of CPU 0. */
#define per_cpu(name, cpu)		(name)
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name

/* One instruction on x86: an interrupt comes before or after it. */
#define SHIM_THIS_CPU(x, op, n)						\
	({ shim_yield(&(x), SHIM_PERCPU);				\
	   op(this_cpu_ptr(&(x)), n, __ATOMIC_RELAXED); })
#define this_cpu_add_return(x, n)	SHIM_THIS_CPU(x, __atomic_add_fetch, n)
#define this_cpu_xchg(x, n)		SHIM_THIS_CPU(x, __atomic_exchange_n, n)
#define this_cpu_add(x, n)		((void)this_cpu_add_return(x, n))
#define this_cpu_inc(x)			this_cpu_add(x, 1)
#define this_cpu_dec(x)			this_cpu_add(x, -1)

#endif
