/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: the types that the cores use. */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define __aligned(x)	__attribute__((__aligned__(x)))

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

#endif
