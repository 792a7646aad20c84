/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slab tracepoints in the forms of each kernel, reduced to one each for
 * kmalloc, kmem_cache_alloc, kfree and kmem_cache_free. Whoever includes this
 * defines the four count_on_*() and may use asite_k_trace_attach() and _detach().
 */
#ifndef ASITE_COUNT_TRACE_H
#define ASITE_COUNT_TRACE_H

#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

#include <generated/allocsite-features.h>

static void count_on_kmalloc(struct tracepoint *tp, unsigned long call_site, const void *ptr,
			     size_t bytes_alloc);
static void count_on_cache_alloc(struct tracepoint *tp, const void *ptr);
static void count_on_kfree(struct tracepoint *tp, const void *ptr);
static void count_on_cache_free(struct tracepoint *tp, const void *ptr);

/* -- probes: what stands behind the object differs --------------------------- */

#if ASITE_HAVE_TRACE_KMALLOC_NODE
static void on_trace_kmalloc(void *data, unsigned long call_site, const void *ptr,
			     size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	count_on_kmalloc(&__tracepoint_kmalloc, call_site, ptr, bytes_alloc);
}
#elif ASITE_HAVE_TRACE_KMALLOC_PLAIN
static void on_trace_kmalloc(void *data, unsigned long call_site, const void *ptr,
			     size_t bytes_req, size_t bytes_alloc, gfp_t gfp)
{
	count_on_kmalloc(&__tracepoint_kmalloc, call_site, ptr, bytes_alloc);
}
#else
#error "tracepoint kmem:kmalloc: no known form of it"
#endif

#if ASITE_HAVE_TRACE_KMEM_CACHE_ALLOC_CACHE
static void on_trace_cache_alloc(void *data, unsigned long call_site, const void *ptr,
				 struct kmem_cache *s, gfp_t gfp, int node)
{
	count_on_cache_alloc(&__tracepoint_kmem_cache_alloc, ptr);
}
#elif ASITE_HAVE_TRACE_KMEM_CACHE_ALLOC_SIZES
static void on_trace_cache_alloc(void *data, unsigned long call_site, const void *ptr,
				 size_t bytes_req, size_t bytes_alloc, gfp_t gfp)
{
	count_on_cache_alloc(&__tracepoint_kmem_cache_alloc, ptr);
}
#else
#error "tracepoint kmem:kmem_cache_alloc: no known form of it"
#endif

static void on_trace_kfree(void *data, unsigned long call_site, const void *ptr)
{
	count_on_kfree(&__tracepoint_kfree, ptr);
}

/*
 * ASITE_K_CACHE_FREE_TP: the tracepoint that a tracker is attached to while it sees
 * kmem_cache_free(). Until 5.11 that event comes after the free, when another may own
 * the object, and so is of no use to it: its probe on kfree is about as good, but not
 * attached in the same moment, and so the two counts may differ a little.
 */
#if ASITE_HAVE_TRACE_KMEM_CACHE_FREE_CACHE
#define ASITE_K_CACHE_FREE_TP		(&__tracepoint_kmem_cache_free)
#define ASITE_K_CACHE_FREE_EXACT	1

static void on_trace_cache_free(void *data, unsigned long call_site, const void *ptr,
				const struct kmem_cache *s)
{
	count_on_cache_free(ASITE_K_CACHE_FREE_TP, ptr);
}
#elif ASITE_HAVE_TRACE_KMEM_CACHE_FREE_PLAIN
#define ASITE_K_CACHE_FREE_TP		(&__tracepoint_kfree)
#define ASITE_K_CACHE_FREE_EXACT	0

static void on_trace_cache_free(void *data, unsigned long call_site, const void *ptr)
{
	count_on_cache_free(ASITE_K_CACHE_FREE_TP, ptr);
}
#else
#error "tracepoint kmem:kmem_cache_free: no known form of it"
#endif

/* -- until 5.19 the _node calls have events of their own --------------------- */

#if ASITE_HAVE_TRACE_KMALLOC_NODE_EVENT
static void on_trace_kmalloc_node(void *data, unsigned long call_site, const void *ptr,
				  size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	count_on_kmalloc(&__tracepoint_kmalloc_node, call_site, ptr, bytes_alloc);
}

static void on_trace_cache_alloc_node(void *data, unsigned long call_site, const void *ptr,
				      size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	count_on_cache_alloc(&__tracepoint_kmem_cache_alloc_node, ptr);
}

static inline int asite_k_trace_attach_node(void)
{
	int err = register_trace_kmalloc_node(on_trace_kmalloc_node, NULL);

	return err ? err : register_trace_kmem_cache_alloc_node(on_trace_cache_alloc_node, NULL);
}

static inline void asite_k_trace_detach_node(void)
{
	unregister_trace_kmalloc_node(on_trace_kmalloc_node, NULL);
	unregister_trace_kmem_cache_alloc_node(on_trace_cache_alloc_node, NULL);
}
#else
static inline int asite_k_trace_attach_node(void)
{
	return 0;
}

static inline void asite_k_trace_detach_node(void)
{
}
#endif

/* -- all of them ------------------------------------------------------------- */

/* Detaches what is attached; another is not an error. Waits for the probes. */
static inline void asite_k_trace_detach(void)
{
	unregister_trace_kmalloc(on_trace_kmalloc, NULL);
	unregister_trace_kmem_cache_alloc(on_trace_cache_alloc, NULL);
	asite_k_trace_detach_node();
	unregister_trace_kfree(on_trace_kfree, NULL);
	unregister_trace_kmem_cache_free(on_trace_cache_free, NULL);
	tracepoint_synchronize_unregister();
}

/* 0 or a negative errno; some may be attached then. */
static inline int asite_k_trace_attach(void)
{
	int err = register_trace_kmalloc(on_trace_kmalloc, NULL);

	if (!err)
		err = register_trace_kmem_cache_alloc(on_trace_cache_alloc, NULL);
	if (!err)
		err = asite_k_trace_attach_node();
	if (!err)
		err = register_trace_kfree(on_trace_kfree, NULL);
	if (!err)
		err = register_trace_kmem_cache_free(on_trace_cache_free, NULL);
	return err;
}

#endif /* ASITE_COUNT_TRACE_H */
