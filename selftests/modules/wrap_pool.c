// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_wrap: wrappers that keep memory of their own: mempools, caches of page
 * fragments; and sk_buffs, whose site depends on what a tracker is told of
 * __alloc_skb().
 *
 * Each function calls one wrapper, is never inlined, and ends in a barrier, so
 * that the call is no tail call. Task context, under wrap_lock; rows of
 * per-CPU fragments all on CPU 0, and exact only while nothing else takes
 * fragments there.
 */
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "wrap.h"
#include "wrap_compat.h"

/* -- mempools -------------------------------------------------------------- */

#define WRAP_CACHE_NAME	"asite_wrap_cache"
#define WRAP_CACHE_SIZE	200
#define WRAP_RESERVE	3
#define WRAP_CREATED	2

static struct kmem_cache *wrap_cache;
static mempool_t *slab_pool, *kmalloc_pool, *page_pool;

static noinline __noclone void *wrap_mempool_alloc_slab(void)
{
	void *p = mempool_alloc(slab_pool, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_mempool_alloc_kmalloc(void)
{
	void *p = mempool_alloc(kmalloc_pool, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_mempool_alloc_pages(void)
{
	void *p = mempool_alloc(page_pool, GFP_KERNEL);

	barrier();
	return p;
}

/* The pool, the array of what it keeps, and what it keeps. */
static noinline __noclone void *wrap_mempool_create(void)
{
	void *p = mempool_create_slab_pool(WRAP_RESERVE, wrap_cache);

	barrier();
	return p;
}

static void put_slab_pool(void *p)
{
	mempool_free(p, slab_pool);
}

static void put_kmalloc_pool(void *p)
{
	mempool_free(p, kmalloc_pool);
}

static void put_page_pool(void *p)
{
	mempool_free(p, page_pool);
}

static void put_mempool(void *p)
{
	mempool_destroy(p);
}

/* -- fragments of pages ---------------------------------------------------- */

/* A block of fragments has 32 KiB; larger fragments than a page are refused when it is used up. */
#define WRAP_FRAG	PAGE_SIZE
#define WRAP_FRAG_BLOCK	(8 * PAGE_SIZE)
#define WRAP_FRAGS	16

/* A cache of this module's own, begun and ended with the row. */
static struct page_frag_cache frag_cache;

static noinline __noclone void *wrap_page_frag_alloc(void)
{
	void *p = page_frag_alloc(&frag_cache, WRAP_FRAG, GFP_KERNEL);

	barrier();
	return p;
}

static void put_frag(void *p)
{
	page_frag_free(p);
}

/* After the gets too: the rest of the last block goes back when its fragments do. */
static void drain_frags(void)
{
	asite_k_page_frag_cache_drain(&frag_cache);
}

static void *push_frags[WRAP_FRAGS];
static int push_nr;

static noinline __noclone void *push_frag(void)
{
	void *p = netdev_alloc_frag(WRAP_FRAG);

	barrier();
	return p;
}

/*
 * Leaves the CPU's cache with a block of push_frag() that is used up and still
 * referenced, so that the next call needs a block of its own and the caller's
 * last block is in the cache no longer.
 */
static void push_begin(void)
{
	struct page *first;
	int more = WRAP_FRAG_BLOCK / WRAP_FRAG - 1;

	push_nr = 0;
	do {
		push_frags[push_nr] = push_frag();
		if (!push_frags[push_nr])
			return;
		first = virt_to_head_page(push_frags[0]);
	} while (virt_to_head_page(push_frags[push_nr++]) == first &&
		 push_nr < ARRAY_SIZE(push_frags) - more);
	while (more-- > 0 && push_frags[push_nr - 1]) {
		push_frags[push_nr] = push_frag();
		push_nr++;
	}
}

static void push_end(void)
{
	while (push_nr)
		if (push_frags[--push_nr])
			page_frag_free(push_frags[push_nr]);
}

static noinline __noclone void *wrap_netdev_alloc_frag(void)
{
	void *p = netdev_alloc_frag(WRAP_FRAG);

	barrier();
	return p;
}

static noinline __noclone void *wrap_napi_alloc_frag(void)
{
	void *p;

	local_bh_disable();
	p = napi_alloc_frag(WRAP_FRAG);
	barrier();
	local_bh_enable();
	return p;
}

/* -- sk_buffs -------------------------------------------------------------- */

#define WRAP_SKB_DATA	3000

static struct sk_buff_head wrap_skbs;

static noinline __noclone struct sk_buff *wrap_alloc_skb(void)
{
	struct sk_buff *skb = alloc_skb(WRAP_SKB_DATA, GFP_KERNEL);

	barrier();
	return skb;
}

/* With these flags its data is not a fragment of a page. */
static noinline __noclone struct sk_buff *wrap_netdev_alloc_skb(void)
{
	struct sk_buff *skb = __netdev_alloc_skb(NULL, WRAP_SKB_DATA, GFP_KERNEL);

	barrier();
	return skb;
}

static int queue_skb(struct sk_buff *skb)
{
	if (!skb)
		return -ENOMEM;
	skb_queue_tail(&wrap_skbs, skb);
	return 0;
}

int wrap_skb_alloc(unsigned long nr)
{
	int err = 0;

	while (nr-- && !err)
		err = queue_skb(wrap_alloc_skb()) ?: queue_skb(wrap_netdev_alloc_skb());
	return err;
}

void wrap_skb_free(void)
{
	skb_queue_purge(&wrap_skbs);
}

void wrap_skb_status(struct seq_file *m)
{
	seq_printf(m, "skbs %u\n", skb_queue_len(&wrap_skbs));
}

/* -- the table ------------------------------------------------------------- */

static const struct wrap_site rows[] = {
	{ "wrap_mempool_alloc_slab", wrap_mempool_alloc_slab, put_slab_pool, 7,
	  .claims = { { "kmem_cache", WRAP_CACHE_NAME, WRAP_CACHE_SIZE } } },
	{ "wrap_mempool_alloc_kmalloc", wrap_mempool_alloc_kmalloc, put_kmalloc_pool, 5,
	  .claims = { { "kmalloc", NULL, 300 } } },
	{ "wrap_mempool_alloc_pages", wrap_mempool_alloc_pages, put_page_pool, 3,
	  .claims = { { "page", NULL, PAGE_SIZE << 1 } } },
	{ "wrap_mempool_create", wrap_mempool_create, put_mempool, WRAP_CREATED,
	  .claims = { { "kmalloc", NULL, sizeof(mempool_t) },
		      { "kmalloc", NULL, WRAP_RESERVE * sizeof(void *) },
		      { "kmem_cache", WRAP_CACHE_NAME, WRAP_CACHE_SIZE,
			WRAP_RESERVE * WRAP_CREATED } } },
	{ "wrap_page_frag_alloc", wrap_page_frag_alloc, put_frag, WRAP_FRAGS,
	  .after = drain_frags,
	  .claims = { { "page", NULL, WRAP_FRAG_BLOCK, 2 } } },
	{ "wrap_netdev_alloc_frag", wrap_netdev_alloc_frag, put_frag, WRAP_FRAGS, true,
	  push_begin, push_end,
	  .claims = { { "page", NULL, WRAP_FRAG_BLOCK, 2 } } },
	{ "wrap_napi_alloc_frag", wrap_napi_alloc_frag, put_frag, WRAP_FRAGS, true,
	  push_begin, push_end,
	  .claims = { { "page", NULL, WRAP_FRAG_BLOCK, 2 } } },
};

const struct wrap_table wrap_pool = { rows, ARRAY_SIZE(rows) };

/* -- init and exit --------------------------------------------------------- */

int wrap_pool_init(void)
{
	skb_queue_head_init(&wrap_skbs);
	/* With a region for user copies, so that it is merged with no other. */
	wrap_cache = kmem_cache_create_usercopy(WRAP_CACHE_NAME, WRAP_CACHE_SIZE, 8, 0, 0, 8,
						NULL);
	if (!wrap_cache)
		return -ENOMEM;
	slab_pool = mempool_create_slab_pool(1, wrap_cache);
	kmalloc_pool = mempool_create_kmalloc_pool(1, 300);
	page_pool = mempool_create_page_pool(1, 1);
	if (slab_pool && kmalloc_pool && page_pool)
		return 0;
	wrap_pool_exit();
	return -ENOMEM;
}

void wrap_pool_exit(void)
{
	mempool_destroy(page_pool);
	mempool_destroy(kmalloc_pool);
	mempool_destroy(slab_pool);
	kmem_cache_destroy(wrap_cache);
}
