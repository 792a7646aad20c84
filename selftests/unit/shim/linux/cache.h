/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in. */
#ifndef SHIM_LINUX_CACHE_H
#define SHIM_LINUX_CACHE_H

#define SMP_CACHE_BYTES			64
#define __read_mostly
#define ____cacheline_aligned_in_smp	__attribute__((__aligned__(SMP_CACHE_BYTES)))

#endif
