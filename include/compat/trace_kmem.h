/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wraps trace/events/kmem.h: probes with the arguments that each kernel's events
 * have, which hand on what is the same everywhere.
 *
 * ASITE_K_PROBE_<event>(probe, on_event) defines a probe of that event, which calls
 *	on_event(call_site, object, bytes asked for, bytes it takes)	kmalloc, kmalloc_node
 *	on_event(call_site, object or NULL, cache, bytes it takes)
 *						kmem_cache_alloc, kmem_cache_alloc_node
 *	on_event(object)				kfree, kmem_cache_free
 * on_event may be a macro that does not use each of them.
 */
#ifndef COMPAT_TRACE_KMEM_H
#define COMPAT_TRACE_KMEM_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <trace/events/kmem.h>

#include <allocsite/caches.h>
#include <generated/allocsite-features.h>

#define ASITE_K_PROBE_ARGS	void *data, unsigned long call_site, const void *ptr

#if ASITE_HAVE_TRACE_KMALLOC_NODE
#define ASITE_K_KMALLOC_ARGS	size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags, int node
#elif ASITE_HAVE_TRACE_KMALLOC_CACHE
#define ASITE_K_KMALLOC_ARGS	struct kmem_cache *s, size_t bytes_req, size_t bytes_alloc, \
				gfp_t gfp_flags
#else
#define ASITE_K_KMALLOC_ARGS	size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags
#endif

#define ASITE_K_PROBE_kmalloc(probe, on_event)					\
static void notrace probe(ASITE_K_PROBE_ARGS, ASITE_K_KMALLOC_ARGS)		\
{										\
	on_event(call_site, ptr, bytes_req, bytes_alloc);			\
}

/* Until 5.19. */
#define ASITE_K_PROBE_kmalloc_node(probe, on_event)				\
static void notrace probe(ASITE_K_PROBE_ARGS, size_t bytes_req,		\
			  size_t bytes_alloc, gfp_t gfp_flags, int node)	\
{										\
	on_event(call_site, ptr, bytes_req, bytes_alloc);			\
}

#if ASITE_HAVE_TRACE_KMEM_CACHE_ALLOC_SIZES
/* Until 5.19 the event does not tell the cache; the object's page does. */
static __always_inline struct kmem_cache *asite_k_cache_of(const void *ptr)
{
	return ptr ? virt_to_head_page(ptr)->slab_cache : NULL;
}

#define ASITE_K_PROBE_kmem_cache_alloc(probe, on_event)				\
static void notrace probe(ASITE_K_PROBE_ARGS, size_t bytes_req,		\
			  size_t bytes_alloc, gfp_t gfp_flags)			\
{										\
	on_event(call_site, ptr, asite_k_cache_of(ptr), bytes_alloc);		\
}

#define ASITE_K_PROBE_kmem_cache_alloc_node(probe, on_event)			\
static void notrace probe(ASITE_K_PROBE_ARGS, size_t bytes_req,		\
			  size_t bytes_alloc, gfp_t gfp_flags, int node)	\
{										\
	on_event(call_site, ptr, asite_k_cache_of(ptr), bytes_alloc);		\
}
#else
#if ASITE_HAVE_TRACE_KMEM_CACHE_ALLOC_CACHE
#define ASITE_K_CACHE_ALLOC_ARGS	struct kmem_cache *s, gfp_t gfp_flags, int node
#else
#define ASITE_K_CACHE_ALLOC_ARGS	struct kmem_cache *s, size_t bytes_req,	\
					size_t bytes_alloc, gfp_t gfp_flags
#endif

#define ASITE_K_PROBE_kmem_cache_alloc(probe, on_event)				\
static void notrace probe(ASITE_K_PROBE_ARGS, ASITE_K_CACHE_ALLOC_ARGS)	\
{										\
	on_event(call_site, ptr, s, asite_caches_size(s));			\
}
#endif

#define ASITE_K_PROBE_kfree(probe, on_event)					\
static void notrace probe(ASITE_K_PROBE_ARGS)					\
{										\
	on_event(ptr);								\
}

/* Earlier forms come after the free, when another may own the object: not used. */
#define ASITE_K_PROBE_kmem_cache_free(probe, on_event)				\
static void notrace probe(ASITE_K_PROBE_ARGS, const struct kmem_cache *s)	\
{										\
	on_event(ptr);								\
}

#endif /* COMPAT_TRACE_KMEM_H */
