/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slab allocator's functions as each kernel exports them; read by C and
 * assembly. Adding a kernel is adding its lines here and their questions to
 * features.tbl.
 */
#ifndef COMPAT_SLAB_FUNCTIONS_H
#define COMPAT_SLAB_FUNCTIONS_H

#include <compat/if.h>

/* Until 5.19 an allocation on a node has an event of its own. */
#if ASITE_HAVE_TRACE_KMALLOC_NODE_EVENT
#define ASITE_K_KMALLOC_NODE		kmalloc_node
#define ASITE_K_KMEM_CACHE_ALLOC_NODE	kmem_cache_alloc_node
#else
#define ASITE_K_KMALLOC_NODE		kmalloc
#define ASITE_K_KMEM_CACHE_ALLOC_NODE	kmem_cache_alloc
#endif

/* Argument of the track_caller functions that holds the caller, from 0. */
#if ASITE_HAVE_TRACK_CALLER_TOKEN
#define ASITE_K_CALLER_ARGUMENT		5
#elif ASITE_HAVE_TRACK_CALLER_BUCKETS
#define ASITE_K_CALLER_ARGUMENT		4
#else
#define ASITE_K_CALLER_ARGUMENT		3
#endif

/*
 * ASITE_K_SLAB_FUNCTIONS(F): F(event, function, handler, need) for each function that
 * allocates. @event is the tracepoint that fires in it, @handler the part of a name
 * after asite_on_: functions whose arguments stand alike share one. @need is 0 where
 * counting may begin without it.
 */
#define ASITE_K_SLAB_FUNCTIONS(F)						\
	/* to 5.18 */								\
	ASITE_IF(EXPORT_KMALLOC_TRACK_CALLER,					\
		 F(kmalloc, __kmalloc_track_caller, kmalloc_track_caller, 1))	\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_TRACE,					\
		 F(kmalloc, kmem_cache_alloc_trace, kmalloc_trace, 1))		\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_NODE_TRACE,				\
		 F(ASITE_K_KMALLOC_NODE, kmem_cache_alloc_node_trace, kmalloc_node_trace, 1)) \
	ASITE_IF(EXPORT_KMALLOC_ORDER_TRACE,					\
		 F(kmalloc, kmalloc_order_trace, kmalloc_large, 1))		\
	/* to 6.9 */								\
	ASITE_IF(EXPORT_KMALLOC,						\
		 F(kmalloc, __kmalloc, kmalloc_outer, 1))			\
	ASITE_IF(EXPORT_KMALLOC_NODE,						\
		 F(ASITE_K_KMALLOC_NODE, __kmalloc_node, kmalloc, 1))		\
	ASITE_IF(EXPORT_KMALLOC_NODE_TRACK_CALLER,				\
		 F(ASITE_K_KMALLOC_NODE, __kmalloc_node_track_caller,		\
		   kmalloc_node_track_caller, 1))				\
	ASITE_IF(EXPORT_KMALLOC_TRACE,						\
		 F(kmalloc, kmalloc_trace, kmalloc_trace, 1))			\
	ASITE_IF(EXPORT_KMALLOC_NODE_TRACE,					\
		 F(kmalloc, kmalloc_node_trace, kmalloc_node_trace, 1))		\
	ASITE_IF(EXPORT_KMALLOC_LARGE,						\
		 F(kmalloc, kmalloc_large, kmalloc_large, 1))			\
	ASITE_IF(EXPORT_KMALLOC_LARGE_NODE,					\
		 F(kmalloc, kmalloc_large_node, kmalloc_large, 1))		\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC,					\
		 F(kmem_cache_alloc, kmem_cache_alloc, cache_alloc, 1))		\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_LRU,					\
		 F(kmem_cache_alloc, kmem_cache_alloc_lru, cache_alloc, 1))	\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_NODE,					\
		 F(ASITE_K_KMEM_CACHE_ALLOC_NODE, kmem_cache_alloc_node, cache_alloc, 1)) \
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_BULK,					\
		 F(kmem_cache_alloc_bulk, kmem_cache_alloc_bulk, cache_alloc_bulk, 0)) \
	/* from 6.10 */								\
	ASITE_IF(EXPORT_KMALLOC_NOPROF,						\
		 F(kmalloc, __kmalloc_noprof, kmalloc, 1))			\
	ASITE_IF(EXPORT_KMALLOC_NODE_NOPROF,					\
		 F(kmalloc, __kmalloc_node_noprof, kmalloc, 1))			\
	ASITE_IF(EXPORT_KMALLOC_NODE_TRACK_CALLER_NOPROF,			\
		 F(kmalloc, __kmalloc_node_track_caller_noprof, kmalloc_node_track_caller, 1)) \
	ASITE_IF(EXPORT_KMALLOC_CACHE_NOPROF,					\
		 F(kmalloc, __kmalloc_cache_noprof, kmalloc_trace, 1))		\
	ASITE_IF(EXPORT_KMALLOC_CACHE_NODE_NOPROF,				\
		 F(kmalloc, __kmalloc_cache_node_noprof, kmalloc_node_trace, 1)) \
	ASITE_IF(EXPORT_KMALLOC_LARGE_NOPROF,					\
		 F(kmalloc, __kmalloc_large_noprof, kmalloc_large, 1))		\
	ASITE_IF(EXPORT_KMALLOC_LARGE_NODE_NOPROF,				\
		 F(kmalloc, __kmalloc_large_node_noprof, kmalloc_large, 1))	\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_NOPROF,				\
		 F(kmem_cache_alloc, kmem_cache_alloc_noprof, cache_alloc, 1))	\
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_LRU_NOPROF,				\
		 F(kmem_cache_alloc, kmem_cache_alloc_lru_noprof, cache_alloc, 1)) \
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_NODE_NOPROF,				\
		 F(kmem_cache_alloc, kmem_cache_alloc_node_noprof, cache_alloc, 1)) \
	ASITE_IF(EXPORT_KMEM_CACHE_ALLOC_BULK_NOPROF,				\
		 F(kmem_cache_alloc_bulk, kmem_cache_alloc_bulk_noprof, cache_alloc_bulk, 0)) \
	/* from 6.18; before, kvmalloc() called one of the above */		\
	ASITE_IF(SHEAVES,							\
		 F(kmalloc, __kvmalloc_node_noprof, kvmalloc, 1))		\
	ASITE_IF(EXPORT_KMALLOC_NOLOCK_NOPROF,					\
		 F(kmalloc_nolock, _kmalloc_nolock_noprof, kmalloc_nolock, 0))

/* ASITE_K_SLAB_EVENTS(F): F(event) for each tracepoint of an allocation. */
#define ASITE_K_SLAB_EVENTS(F)							\
	F(kmalloc)								\
	F(kmem_cache_alloc)							\
	ASITE_IF(TRACE_KMALLOC_NODE_EVENT, F(kmalloc_node) F(kmem_cache_alloc_node))

#endif /* COMPAT_SLAB_FUNCTIONS_H */
