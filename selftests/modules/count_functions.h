/* SPDX-License-Identifier: GPL-2.0-only */
/* Slab events without a tracepoint: which functions asite_count looks at, kernel by kernel. */
#ifndef ASITE_COUNT_FUNCTIONS_H
#define ASITE_COUNT_FUNCTIONS_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include <generated/allocsite-features.h>

#if ASITE_HAVE_NOPROF
#define ASITE_K_BULK_ALLOC	"kmem_cache_alloc_bulk_noprof"
#else
#define ASITE_K_BULK_ALLOC	"kmem_cache_alloc_bulk"
#endif

/* NULL where the kernel has no such function. */
#if ASITE_HAVE_EXPORT_KFREE_NOLOCK
#define ASITE_K_NOLOCK_ALLOC	"_kmalloc_nolock_noprof"
#define ASITE_K_NOLOCK_FREE	"kfree_nolock"
#else
#define ASITE_K_NOLOCK_ALLOC	NULL
#define ASITE_K_NOLOCK_FREE	NULL
#endif

/*
 * A sheaf of objects whose grace period is over: (cache, sheaf). The struct is
 * private to mm/slub.c; this is its start in 7.3, where the union is as large
 * as an rcu_head.
 */
struct asite_k_slab_sheaf {
	struct rcu_head rcu_head;
	struct kmem_cache *cache;
	unsigned int size;
};

#if ASITE_HAVE_SHEAVES
#define ASITE_K_SHEAF_FREE	"__rcu_free_sheaf_prepare"
#else
#define ASITE_K_SHEAF_FREE	NULL
#endif

#endif /* ASITE_COUNT_FUNCTIONS_H */
