/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/rcupdate.h: waiting for tasks to leave a trampoline. */
#ifndef COMPAT_RCUPDATE_H
#define COMPAT_RCUPDATE_H

#include <linux/rcupdate.h>

#include <generated/allocsite-features.h>

/*
 * Every task has switched voluntarily, or runs in user space or the idle loop:
 * none is in a trampoline but asleep in what it called. Where the kernel cannot
 * preempt, a trampoline is left before the next switch and the rude form does.
 */
static inline void asite_k_synchronize_rcu_tasks(void)
{
#if ASITE_HAVE_SYNC_RCU_TASKS
	synchronize_rcu_tasks();
#elif ASITE_HAVE_SYNC_RCU_TASKS_RUDE
	synchronize_rcu_tasks_rude();
#else
#error "synchronize_rcu_tasks(): no known way to wait for tasks in a trampoline"
#endif
}

#endif /* COMPAT_RCUPDATE_H */
