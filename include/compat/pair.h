/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two words at once. The kernel's name for it changes (cmpxchg_double() until 6.4, then
 * cmpxchg128()), and neither is a read: here it is one instruction.
 */
#ifndef COMPAT_PAIR_H
#define COMPAT_PAIR_H

#include <linux/types.h>

/*
 * Reads 16 bytes that are aligned so, with a full fence. "Writes" what is there, so they must be
 * writable. Needs X86_FEATURE_CX16, which the first processors with 64 bits did not have.
 */
static inline void asite_k_read_pair(const void *from, void *to)
{
	struct pair {
		u64 low;
		u64 high;
	} *pair = (struct pair *)from, *now = to;

	now->low = 0;
	now->high = 0;
	asm volatile("lock; cmpxchg16b %[pair]"
		     : [pair] "+m" (*pair), "+a" (now->low), "+d" (now->high)
		     : "b" (0ULL), "c" (0ULL)
		     : "memory", "cc");
}

#endif /* COMPAT_PAIR_H */
