/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of memory, and how a site's key tells them apart. The low three bits of asite_key.sub
 * are a tag: 0 for what the slab allocator gives, whose sizes and caches are multiples of 8.
 *
 *	tag			sub
 *	ASITE_TAG_SLAB		bytes allocated, or the struct kmem_cache's address
 *	ASITE_TAG_VMALLOC, _PERCPU	the tag alone: sizes have no bound, bytes are counted
 *	the others (pages)	bytes of a block, and the tag
 *
 * Backing is what an allocator takes for itself from another: it is shown, and kept out of
 * sums, since the objects in it are counted.
 */
#ifndef ALLOCSITE_KINDS_H
#define ALLOCSITE_KINDS_H

#include <linux/build_bug.h>
#include <linux/types.h>

enum asite_kind {
	ASITE_KMALLOC,
	ASITE_KMALLOC_LARGE,
	ASITE_KMEM_CACHE,
	ASITE_PAGE,
	ASITE_VMALLOC,
	ASITE_PERCPU,
	/* Backing from here on. */
	ASITE_SLAB_PAGES,
	ASITE_LARGE_PAGES,
	ASITE_VMALLOC_PAGES,
	ASITE_PERCPU_PAGES,
	ASITE_SLAB_EXT,		/* by tag it is slab memory */
	ASITE_OVERFLOW,
	ASITE_KIND_COUNT,
};

#define ASITE_FRAME_SHIFT	12	/* of x86-64, the only architecture served */

#define ASITE_TAG_SLAB		0UL
#define ASITE_TAG_PAGE		1UL
#define ASITE_TAG_VMALLOC	2UL
#define ASITE_TAG_PERCPU	3UL
#define ASITE_TAG_SLAB_PAGES	4UL
#define ASITE_TAG_LARGE_PAGES	5UL
#define ASITE_TAG_VMALLOC_PAGES	6UL
#define ASITE_TAG_PERCPU_PAGES	7UL
#define ASITE_TAG_MASK		7UL

static inline unsigned long asite_kind_tag(unsigned long sub)
{
	return sub & ASITE_TAG_MASK;
}

/* Bytes of a block of pages. */
static inline unsigned long asite_kind_block(unsigned long sub)
{
	return sub & ~ASITE_TAG_MASK;
}

static inline bool asite_kind_is_pages(unsigned long sub)
{
	return asite_kind_tag(sub) == ASITE_TAG_PAGE || asite_kind_tag(sub) >= ASITE_TAG_SLAB_PAGES;
}

static inline bool asite_kind_is_area(unsigned long sub)
{
	return asite_kind_tag(sub) == ASITE_TAG_VMALLOC || asite_kind_tag(sub) == ASITE_TAG_PERCPU;
}

/* Kept out of sums? */
static inline bool asite_kind_is_backing(enum asite_kind kind, unsigned long sub)
{
	return (kind >= ASITE_SLAB_PAGES && kind <= ASITE_SLAB_EXT) ||
	       asite_kind_tag(sub) >= ASITE_TAG_SLAB_PAGES;
}

/**
 * asite_kind_name() - a kind's name
 * @kind: the kind
 *
 * Context: any.
 * Return: a constant string.
 */
const char *asite_kind_name(enum asite_kind kind);

/**
 * asite_kind_by_name() - the kind that a name means
 * @name: the name
 *
 * Context: any.
 * Return: the kind, or -EINVAL.
 */
int asite_kind_by_name(const char *name);

#endif /* ALLOCSITE_KINDS_H */
