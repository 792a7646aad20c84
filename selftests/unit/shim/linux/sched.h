/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in. */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#define cond_resched()	((void)0)

#endif
