/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: one instruction there, one step of the interleaver here. */
#ifndef SHIM_COMPAT_PERCPU_H
#define SHIM_COMPAT_PERCPU_H

#include <linux/percpu.h>

#define asite_k_this_cpu_sub_is_negative(var, bytes) \
	(this_cpu_add_return(var, -(s64)(bytes)) < 0)

#endif
