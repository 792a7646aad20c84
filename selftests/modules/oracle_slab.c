// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_oracle: what it must know of slabs, whose structs are private: the name of a
 * cache, the cache of an object, and which live objects code tagging counts nothing
 * of: those in caches without object extensions, and sheaves of kmalloc caches.
 *
 * Contexts: oracle_slab_init() is a task's, the rest runs in any context, NMI included.
 * A held object's entry is written by the object's owner only: whoever allocates it
 * claims an entry by cmpxchg(), whoever frees it empties that.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "oracle.h"

/* -- private structs ----------------------------------------------------- */

#define PROBE_NAME	"asite_oracle_probe"
#define LOOK_BYTES	512
/* Caches of KMALLOC_NO_OBJ_EXT. */
#define NO_EXT_PREFIX	"kmalloc-no-objext-"

/* Of the name in struct kmem_cache; of the cache in the struct of a slab's first page. */
static unsigned int name_offset;
#define CACHE_OFFSET	sizeof(unsigned long)
/* Of the cache in struct slab_sheaf, after a union as large as struct rcu_head. */
#define SHEAF_CACHE_OFFSET	sizeof(struct rcu_head)

static void construct(void *object)
{
}

static const struct kmem_cache *cache_of(const void *ptr)
{
	return *(const struct kmem_cache **)((char *)virt_to_head_page(ptr) + CACHE_OFFSET);
}

static bool is_probe_name(const struct kmem_cache *s, unsigned int at)
{
	char copy[sizeof(PROBE_NAME)];
	void *from;

	return !copy_from_kernel_nofault(&from, (void *)s + at, sizeof(from)) &&
	       !copy_from_kernel_nofault(copy, from, sizeof(copy)) &&
	       !memcmp(copy, PROBE_NAME, sizeof(copy));
}

static int find_name(const struct kmem_cache *s)
{
	for (name_offset = 0; name_offset < LOOK_BYTES; name_offset += sizeof(void *))
		if (is_probe_name(s, name_offset))
			return 0;
	return -EOPNOTSUPP;
}

static int check_cache_of(struct kmem_cache *s)
{
	void *ptr = kmem_cache_alloc(s, GFP_KERNEL);
	int err = ptr ? 0 : -ENOMEM;

	if (ptr && cache_of(ptr) != s)
		err = -EOPNOTSUPP;
	if (ptr)
		kmem_cache_free(s, ptr);
	return err;
}

int oracle_slab_init(void)
{
	/* The constructor keeps it from being merged with others. */
	struct kmem_cache *s = kmem_cache_create(PROBE_NAME, 48, 0, 0, construct);
	int err;

	if (!s)
		return -ENOMEM;
	err = find_name(s) ?: check_cache_of(s);
	kmem_cache_destroy(s);
	return err;
}

static const char *name_of(const struct kmem_cache *s)
{
	return *(const char **)((const char *)s + name_offset) ?: "";
}

const char *oracle_slab_name(const struct kmem_cache *s)
{
	return s ? name_of(s) : "-";
}

bool oracle_slab_has_no_ext(const void *ptr)
{
	return strstarts(name_of(cache_of(ptr)), NO_EXT_PREFIX);
}

/* -- objects that are held ----------------------------------------------- */

#define HELD_BUCKET_BITS	11
#define HELD_PER_BUCKET		8

static struct oracle_held held[1U << HELD_BUCKET_BITS][HELD_PER_BUCKET];

static struct oracle_held *bucket_of(const void *ptr)
{
	return held[hash_ptr((void *)ptr, HELD_BUCKET_BITS)];
}

static void count(const struct oracle_held *h, long sign)
{
	if (h->extra != ORACLE_EXTRA_COUNT)
		oracle_table_extra(oracle_table_at(h->tag), h->extra, sign, sign * (long)h->bytes);
}

void oracle_slab_hold(const void *ptr, struct oracle_tag *tag, unsigned int bytes,
		      enum oracle_extra extra)
{
	struct oracle_held *h = bucket_of(ptr);
	int i;

	if (oracle_slab_drop(ptr))
		atomic_long_inc(&oracle_lost);
	for (i = 0; i < HELD_PER_BUCKET; i++, h++) {
		if (READ_ONCE(h->ptr) || cmpxchg(&h->ptr, 0, (unsigned long)ptr))
			continue;
		h->tag = oracle_table_index(tag);
		h->bytes = bytes;
		WRITE_ONCE(h->extra, extra);
		count(h, 1);
		return;
	}
	atomic_long_inc(&oracle_lost);
}

bool oracle_slab_drop(const void *ptr)
{
	struct oracle_held *h = bucket_of(ptr);
	int i;

	for (i = 0; i < HELD_PER_BUCKET; i++, h++) {
		if (READ_ONCE(h->ptr) != (unsigned long)ptr)
			continue;
		count(h, -1);
		/* No sheaf, until it is known what the next one is. */
		WRITE_ONCE(h->extra, ORACLE_UNCOUNTED);
		/* After that; pairs with the cmpxchg() of the next owner of the entry. */
		smp_store_release(&h->ptr, 0);
		return true;
	}
	return false;
}

/* Names of caches with SLAB_KMALLOC; any step may fail, as the sheaf may be gone by now. */
static bool is_sheaf_of_kmalloc(unsigned long sheaf)
{
	char start[sizeof("dma-kmalloc-")];
	unsigned long s;
	void *name;

	if (copy_from_kernel_nofault(&s, (void *)(sheaf + SHEAF_CACHE_OFFSET), sizeof(s)) ||
	    copy_from_kernel_nofault(&name, (void *)(s + name_offset), sizeof(name)) ||
	    copy_from_kernel_nofault(start, name, sizeof(start)))
		return false;
	start[sizeof(start) - 1] = '\0';
	return strstarts(start, "kmalloc-") || strstarts(start, "dma-kmalloc-");
}

bool oracle_slab_next_sheaf(unsigned int *at, unsigned int *tag, unsigned int *bytes)
{
	const struct oracle_held *h;
	unsigned long ptr;

	while (*at < ARRAY_SIZE(held) * HELD_PER_BUCKET) {
		h = &held[*at / HELD_PER_BUCKET][*at % HELD_PER_BUCKET];
		(*at)++;
		ptr = READ_ONCE(h->ptr);
		if (!ptr || READ_ONCE(h->extra) != ORACLE_EXTRA_COUNT || !is_sheaf_of_kmalloc(ptr))
			continue;
		*tag = h->tag;
		*bytes = h->bytes;
		return true;
	}
	return false;
}
