/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/slab.h: what a cache is called and what an object of it takes. */
#ifndef COMPAT_SLAB_H
#define COMPAT_SLAB_H

#include <linux/slab.h>
#include <linux/string.h>

#include <generated/allocsite-features.h>

#include <compat/slub_def.h>

#if !ASITE_HAVE_KMEM_CACHE_PUBLIC
#error "struct kmem_cache: this kernel keeps it private; its size and name are not found yet"
#endif

static inline unsigned int asite_k_cache_size(const struct kmem_cache *s)
{
	return s->size;
}

static inline unsigned int asite_k_cache_object_size(const struct kmem_cache *s)
{
	return s->object_size;
}

static inline void asite_k_cache_name(const struct kmem_cache *s, char *name, size_t len)
{
	strscpy(name, s->name ?: "", len);
}

/*
 * From 6.11 on __kmalloc_large_node_noprof() has an event of its own, before that
 * of the function which called it.
 */
static inline bool asite_k_large_reports_twice(void)
{
	return ASITE_HAVE_EXPORT_KMALLOC_LARGE_NODE_NOPROF;
}

/* Bytes that an object of kmalloc(size) takes; size is not zero or large. */
static inline unsigned int asite_k_kmalloc_size(size_t size)
{
	struct kmem_cache *s = kmalloc_caches[KMALLOC_NORMAL][__kmalloc_index(size, false)];

	return s ? s->size : 0;
}

#endif /* COMPAT_SLAB_H */
