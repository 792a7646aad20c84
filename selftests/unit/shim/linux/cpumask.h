/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: a fixed number of CPUs, each a thread's own choice. */
#ifndef SHIM_LINUX_CPUMASK_H
#define SHIM_LINUX_CPUMASK_H

#ifndef SHIM_NR_CPUS
#define SHIM_NR_CPUS			4
#endif
#define num_possible_cpus()		((unsigned int)SHIM_NR_CPUS)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_NR_CPUS; (cpu)++)

/* The CPU this thread plays; two threads must not play one CPU at a time. */
extern _Thread_local int shim_cpu;
#define smp_processor_id()		shim_cpu

#endif
