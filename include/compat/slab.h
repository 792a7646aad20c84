/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/slab.h: size classes, results of calls, sheaves. */
#ifndef COMPAT_SLAB_H
#define COMPAT_SLAB_H

#include <linux/slab.h>

#include <generated/allocsite-features.h>

/*
 * From 6.11 on __kmalloc_large_node_noprof() has an event of its own, and so has the
 * function which called it.
 */
static inline bool asite_k_large_reports_twice(void)
{
	return ASITE_HAVE_EXPORT_KMALLOC_LARGE_NODE_NOPROF;
}

/*
 * Until 5.18 __kmalloc() and __kmalloc_track_caller() jump to kmalloc_order_trace() for
 * a large object; all three are hooked where functions are.
 */
static inline bool asite_k_large_has_inner_function(void)
{
	return ASITE_HAVE_EXPORT_KMALLOC_ORDER_TRACE;
}

/* The cache that serves kmalloc(size); size is not zero or large. */
static inline struct kmem_cache *asite_k_kmalloc_cache(size_t size)
{
#if ASITE_HAVE_KMALLOC_INDEX_CHECKED
	return kmalloc_caches[KMALLOC_NORMAL][__kmalloc_index(size, false)];
#else
	return kmalloc_caches[KMALLOC_NORMAL][kmalloc_index(size)];
#endif
}

/* Did kmem_cache_alloc_bulk() succeed? It returns int, and a bool from 7.0 on. */
static __always_inline bool asite_k_bulk_succeeded(unsigned long result)
{
	return ASITE_HAVE_BULK_RETURNS_BOOL ? (u8)result : (int)result;
}

/* Where kfree_nolock() is, from 6.18 on; else 0. */
static __always_inline unsigned long asite_k_kfree_nolock_address(void)
{
#if ASITE_HAVE_EXPORT_KFREE_NOLOCK
	return (unsigned long)kfree_nolock;
#else
	return 0;
#endif
}

/*
 * struct slab_sheaf of mm/slub.c (6.18 to 7.3): what kfree_rcu() collects objects in.
 * It is private; @cache is compared with what the kernel hands over beside the sheaf
 * before anything else of it is believed.
 */
struct asite_k_sheaf {
	unsigned long head[2];
	const struct kmem_cache *cache;
	unsigned int size;
	int node;
	void *objects[];
};

#endif /* COMPAT_SLAB_H */
