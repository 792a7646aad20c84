/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a struct kmem_cache says of itself. From 6.8 on the struct is private to the
 * allocator, and ksize() does not always give the size of a slot; so the places of
 * the fields are looked up at load, on every kernel alike, in two caches of our own.
 *
 * Lifetime: asite_caches_init() before the first use of anything here; the places
 * are constant after it.
 */
#ifndef ALLOCSITE_CACHES_H
#define ALLOCSITE_CACHES_H

#include <linux/cache.h>
#include <linux/types.h>

struct kmem_cache;

/**
 * struct asite_cache_layout - where fields of struct kmem_cache are
 * @size: bytes from its start to "unsigned int size"; object_size stands behind it
 * @name: bytes from its start to "const char *name"
 */
struct asite_cache_layout {
	unsigned int size;
	unsigned int name;
};

extern struct asite_cache_layout asite_cache_layout;

/* A cache that nobody else allocates from; objects of ASITE_PROBE_BYTES. */
extern struct kmem_cache *asite_probe_cache;

#define ASITE_PROBE_BYTES	32

/**
 * asite_caches_init() - find the fields, make the probe cache
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or -EOPNOTSUPP where the fields are not found; the log says so.
 */
int asite_caches_init(void);

/**
 * asite_caches_exit() - give the probe cache back
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_caches_exit(void);

/**
 * asite_caches_name() - copy a cache's name
 * @s: the cache
 * @name: where to
 * @len: bytes there
 *
 * Context: any, NMI included; the cache may not go away meanwhile.
 */
void asite_caches_name(const struct kmem_cache *s, char *name, size_t len);

/**
 * asite_caches_size() - bytes that an object takes
 * @s: the cache
 *
 * Context: any, NMI included.
 * Return: bytes.
 */
static __always_inline unsigned int asite_caches_size(const struct kmem_cache *s)
{
	return *(const unsigned int *)((const char *)s + asite_cache_layout.size);
}

#endif /* ALLOCSITE_CACHES_H */
