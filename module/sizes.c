// SPDX-License-Identifier: GPL-2.0-only
/*
 * Size classes of kmalloc, read from the kernel's caches at load.
 *
 * Written once before the first hook is attached, read-only after that.
 */
#include <allocsite/caches.h>
#include <allocsite/sizes.h>
#include <compat/slab.h>

u16 asite_sizes[KMALLOC_MAX_CACHE_SIZE / 8 + 1];

void asite_sizes_init(void)
{
	unsigned int i;

	for (i = 1; i < ARRAY_SIZE(asite_sizes); i++)
		asite_sizes[i] = asite_caches_size(asite_k_kmalloc_cache(i * 8));
}
