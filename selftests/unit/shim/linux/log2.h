/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in. */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

static inline int ilog2(unsigned long n)
{
	return 63 - __builtin_clzl(n);
}

static inline unsigned long rounddown_pow_of_two(unsigned long n)
{
	return 1UL << (63 - __builtin_clzl(n));
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n == 1 ? 1 : 1UL << (64 - __builtin_clzl(n - 1));
}

#endif
