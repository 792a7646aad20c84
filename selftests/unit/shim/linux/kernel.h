/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: min() and max() refuse mixed types, as the kernel's do. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <linux/compiler.h>
#include <linux/types.h>

#define SHIM_PICK(a, b, op) ({			\
	__typeof__(a) _a = (a);			\
	__typeof__(b) _b = (b);			\
	(void)(&_a == &_b);			\
	_a op _b ? _a : _b; })
#define min(a, b)		SHIM_PICK(a, b, <)
#define max(a, b)		SHIM_PICK(a, b, >)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#endif
