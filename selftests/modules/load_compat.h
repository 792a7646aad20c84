/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocator calls that not every kernel has. Where one is missing its wrapper
 * gives NULL, and ASITE_K_NO_<CALL>, the reason why rows that need it are
 * absent, is not NULL. Wrappers are inlined: the call site stays their caller.
 */
#ifndef ASITE_LOAD_COMPAT_H
#define ASITE_LOAD_COMPAT_H

/* list_lru.h of 5.10 needs it and does not say so. */
#include <linux/atomic.h>
#include <linux/list_lru.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <generated/allocsite-features.h>

/* -- allocations --------------------------------------------------------- */

#if ASITE_HAVE_EXPORT_KMEM_CACHE_ALLOC_LRU || ASITE_HAVE_EXPORT_KMEM_CACHE_ALLOC_LRU_NOPROF
#define ASITE_K_NO_CACHE_ALLOC_LRU	NULL
static __always_inline void *asite_k_kmem_cache_alloc_lru(struct kmem_cache *s,
							  struct list_lru *lru, gfp_t gfp)
{
	return kmem_cache_alloc_lru(s, lru, gfp);
}
#else
#define ASITE_K_NO_CACHE_ALLOC_LRU	"kmem_cache_alloc_lru() came with 5.18"
static __always_inline void *asite_k_kmem_cache_alloc_lru(struct kmem_cache *s,
							  struct list_lru *lru, gfp_t gfp)
{
	return NULL;
}
#endif

#if ASITE_HAVE_EXPORT_KFREE_NOLOCK
#define ASITE_K_NO_NOLOCK	NULL
static __always_inline void *asite_k_kmalloc_nolock(size_t size)
{
	return kmalloc_nolock(size, 0, NUMA_NO_NODE);
}

static inline void asite_k_kfree_nolock(const void *p)
{
	kfree_nolock(p);
}
#else
#define ASITE_K_NO_NOLOCK	"kmalloc_nolock() came with 6.18"
static __always_inline void *asite_k_kmalloc_nolock(size_t size)
{
	return NULL;
}

static inline void asite_k_kfree_nolock(const void *p)
{
}
#endif

/* -- kmem_buckets: a set of kmalloc caches of one's own -------------------- */

#if ASITE_HAVE_LOAD_KMEM_BUCKETS
#define ASITE_K_NO_BUCKETS	NULL
static inline void *asite_k_kmem_buckets_create(const char *name)
{
	return kmem_buckets_create(name, 0, 0, UINT_MAX, NULL);
}

static __always_inline void *asite_k_kmem_buckets_alloc(void *buckets, size_t size)
{
	return kmem_buckets_alloc(buckets, size, GFP_KERNEL);
}

/* The kernel has no call for it: the caches, some of them there twice, and the array. */
static inline void asite_k_kmem_buckets_destroy(void *buckets)
{
	kmem_buckets *b = buckets;
	int i, j;

	if (ZERO_OR_NULL_PTR(b))
		return;
	for (i = 0; i < ARRAY_SIZE(*b); i++) {
		kmem_cache_destroy((*b)[i]);
		for (j = i + 1; j < ARRAY_SIZE(*b); j++)
			if ((*b)[j] == (*b)[i])
				(*b)[j] = NULL;
	}
	kfree(b);
}
#else
#define ASITE_K_NO_BUCKETS	"kmem_buckets_create() came with 6.11"
static inline void *asite_k_kmem_buckets_create(const char *name)
{
	return ZERO_SIZE_PTR;
}

static __always_inline void *asite_k_kmem_buckets_alloc(void *buckets, size_t size)
{
	return NULL;
}

static inline void asite_k_kmem_buckets_destroy(void *buckets)
{
}
#endif

/* -- kfree_rcu() ----------------------------------------------------------- */

/* It was kvfree_rcu() with one argument until 6.3, and is so in early 5.10.y and 6.1.y. */
#ifdef kvfree_rcu_mightsleep
#define asite_k_kvfree_rcu_mightsleep(p)	kvfree_rcu_mightsleep(p)
#else
#define asite_k_kvfree_rcu_mightsleep(p)	kvfree_rcu(p)
#endif

#if ASITE_HAVE_LOAD_KFREE_RCU_NOLOCK
#define ASITE_K_NO_RCU_NOLOCK	NULL
struct asite_k_rcu_nolock {
	struct kvfree_rcu_head rcu;
};

static inline void asite_k_kfree_rcu_nolock(void *p)
{
	struct asite_k_rcu_nolock *obj = p;

	kfree_rcu_nolock(obj, rcu);
}
#else
#define ASITE_K_NO_RCU_NOLOCK	"kfree_rcu_nolock() came with 7.2"
static inline void asite_k_kfree_rcu_nolock(void *p)
{
}
#endif

/*
 * What kfree_rcu() put into a per-CPU sheaf stays allocated until the sheaf is
 * full, be it for ever. A shrink sends it on its way; the kernel's own
 * kvfree_rcu_barrier() is not exported there.
 */
static inline void asite_k_flush_rcu_sheaves(struct kmem_cache *s)
{
	if (ASITE_HAVE_SHEAVES && s)
		kmem_cache_shrink(s);
}

/* -- sites ----------------------------------------------------------------- */

/*
 * While __kmalloc_track_caller() left large objects to kmalloc_order(), their
 * event did not name the caller handed over: a tracker gives that, or who is on
 * the stack. Of kmemdup() and krealloc() these are the same.
 */
#if ASITE_HAVE_EXPORT_KMALLOC_ORDER
#define ASITE_K_NO_LARGE_TRACK_CALLER	"before 5.19 the event of a large object names the helper"
#else
#define ASITE_K_NO_LARGE_TRACK_CALLER	NULL
#endif

#endif /* ASITE_LOAD_COMPAT_H */
