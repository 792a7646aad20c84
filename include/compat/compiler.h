/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wraps linux/compiler.h. Kernels built with CONFIG_INIT_STACK_ALL_ZERO clear what is on a
 * function's stack first, all of it; what is filled before it is read need not be.
 */
#ifndef COMPAT_COMPILER_H
#define COMPAT_COMPILER_H

#include <linux/compiler.h>

#if __has_attribute(__uninitialized__)
#define ASITE_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define ASITE_UNINITIALIZED
#endif

#endif /* COMPAT_COMPILER_H */
