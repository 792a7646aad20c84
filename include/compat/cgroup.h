/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/cgroup.h: a kernel may be built without. */
#ifndef COMPAT_CGROUP_H
#define COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/rcupdate.h>

/*
 * The cgroup of a task in the unified hierarchy: the inode number of its directory; 0 without
 * cgroups. Any context: a task's set of cgroups is freed after a grace period.
 */
static inline u64 asite_k_cgroup_id(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(task));
	rcu_read_unlock();
	return id;
#else
	return 0;
#endif
}

#endif /* COMPAT_CGROUP_H */
