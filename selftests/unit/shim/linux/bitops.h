/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in. */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

static inline int fls64(unsigned long long x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif
