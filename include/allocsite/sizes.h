/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an object of kmalloc(size) takes, for backends that see the size asked
 * for but not the size given (a tracepoint has both).
 */
#ifndef ALLOCSITE_SIZES_H
#define ALLOCSITE_SIZES_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/types.h>

/* Bytes taken, by (size asked for + 7) / 8; read only after asite_sizes_init(). */
extern u16 asite_sizes[KMALLOC_MAX_CACHE_SIZE / 8 + 1];

static_assert(KMALLOC_MAX_CACHE_SIZE <= U16_MAX, "size classes must fit the table");

/**
 * asite_sizes_init() - fill the table from the kernel's caches
 *
 * Context: task.
 */
void asite_sizes_init(void);

/**
 * asite_sizes_allocated() - bytes that an object takes
 * @size: bytes asked for, not zero
 *
 * Context: any.
 * Return: bytes; for large objects whole pages, as the allocator rounds them.
 */
static __always_inline size_t asite_sizes_allocated(size_t size)
{
	if (likely(size <= KMALLOC_MAX_CACHE_SIZE))
		return asite_sizes[(size + 7) / 8];
	return PAGE_SIZE << get_order(size);
}

#endif /* ALLOCSITE_SIZES_H */
