// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: one function per call for vmalloc, per-CPU and DMA memory and for
 * memory pools, and the table of what a tracker must say about them.
 *
 * As load_calls.c, whose rules hold here: noinline, a barrier after the call,
 * no look at a tracker. Rows of vmalloc and per-CPU memory have no size: one
 * for each function. Areas count in whole pages, also as asked for, per-CPU
 * objects in whole units for each CPU that may be there. The platform device,
 * the cache and the pools are this file's. Pools are made by the first
 * allocation from them and go after their objects, which stand before them in
 * the table.
 */
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "load.h"
#include "load_page_compat.h"

static struct platform_device *load_device;

/* -- the ways to give areas back ----------------------------------------- */

static void drop_vfree(void *obj, size_t req)
{
	vfree(obj);
}

static void drop_kvfree(void *obj, size_t req)
{
	kvfree(obj);
}

static void drop_percpu(void *obj, size_t req)
{
	free_percpu((void __percpu *)(__force uintptr_t)obj);
}

/* -- vmalloc ------------------------------------------------------------- */

static noinline __noclone void *load_vmalloc(size_t req)
{
	void *p = vmalloc(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vmalloc_remote(size_t req)
{
	void *p = vmalloc(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vzalloc(size_t req)
{
	void *p = vzalloc(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vmalloc_user(size_t req)
{
	void *p = vmalloc_user(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vmalloc_node(size_t req)
{
	void *p = vmalloc_node(req, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_vzalloc_node(size_t req)
{
	void *p = vzalloc_node(req, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_vmalloc_32(size_t req)
{
	void *p = vmalloc_32(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vmalloc_flags(size_t req)
{
	void *p = __vmalloc(req, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);

	barrier();
	return p;
}

/* So many pages that the array of them takes an area too, with an array of its own. */
static noinline __noclone void *load_vmalloc_big(size_t req)
{
	void *p = vmalloc(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vmalloc_huge(size_t req)
{
	void *p = asite_k_vmalloc_huge(req);

	barrier();
	return p;
}

/* -- vrealloc ------------------------------------------------------------ */

static noinline __noclone void *load_vrealloc_null(size_t req)
{
	void *p = asite_k_vrealloc(NULL, req);

	barrier();
	return p;
}

static noinline __noclone void *load_vrealloc_first(size_t req)
{
	void *p = vmalloc(req);

	barrier();
	return p;
}

static noinline __noclone void *load_vrealloc_grown(size_t req)
{
	void *p = load_vrealloc_first(5000);
	void *q = p ? asite_k_vrealloc(p, req) : NULL;

	barrier();
	if (!q)
		vfree(p);
	return q;
}

/* In place: no event, but the pages behind what is left are free. */
static noinline __noclone void *load_vrealloc_shrunk(size_t req)
{
	void *p = vmalloc(req);
	void *q = p ? asite_k_vrealloc(p, 5000) : NULL;

	barrier();
	WARN_ON_ONCE(p != q);
	return q;
}

/* -- vmap: the pages are somebody's, the mapping is no memory ------------- */

#define LOAD_MAPPED	5

static noinline __noclone struct page *load_vmap_page(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	barrier();
	return page;
}

static noinline __noclone struct page *load_vmap_put_page(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	barrier();
	return page;
}

/* They are kept if one of them cannot be had: that fails the test, not more. */
static int get_pages(struct page **pages, struct page *(*get)(void))
{
	int i;

	for (i = 0; i < LOAD_MAPPED; i++) {
		pages[i] = get();
		if (!pages[i])
			return -ENOMEM;
	}
	return 0;
}

static noinline __noclone void *load_vmap(size_t req)
{
	struct page *pages[LOAD_MAPPED];
	void *p = NULL;

	if (!get_pages(pages, load_vmap_page))
		p = vmap(pages, LOAD_MAPPED, VM_MAP, PAGE_KERNEL);
	barrier();
	return p;
}

static void drop_vmap(void *obj, size_t req)
{
	struct page *pages[LOAD_MAPPED];
	int i;

	for (i = 0; i < LOAD_MAPPED; i++)
		pages[i] = vmalloc_to_page(obj + i * PAGE_SIZE);
	vunmap(obj);
	for (i = 0; i < LOAD_MAPPED; i++)
		__free_page(pages[i]);
}

/* vfree() frees these pages, and the array. */
static noinline __noclone void *load_vmap_put(size_t req)
{
	struct page **pages = kmalloc_array(LOAD_MAPPED, sizeof(*pages), GFP_KERNEL);
	void *p = NULL;

	barrier();
	if (pages && !get_pages(pages, load_vmap_put_page))
		p = vmap(pages, LOAD_MAPPED, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	return p;
}

/* -- per-CPU memory ------------------------------------------------------ */

struct load_percpu_24 {
	u64 words[3];
};

static noinline __noclone void *load_percpu_type(size_t req)
{
	void *p = (void *)(__force uintptr_t)alloc_percpu(struct load_percpu_24);

	barrier();
	return p;
}

static noinline __noclone void *load_percpu_1(size_t req)
{
	void *p = (void *)(__force uintptr_t)__alloc_percpu(req, 1);

	barrier();
	return p;
}

static noinline __noclone void *load_percpu_200(size_t req)
{
	void *p = (void *)(__force uintptr_t)__alloc_percpu(req, 8);

	barrier();
	return p;
}

static noinline __noclone void *load_percpu_4096(size_t req)
{
	void *p = (void *)(__force uintptr_t)__alloc_percpu(req, 64);

	barrier();
	return p;
}

static noinline __noclone void *load_percpu_gfp(size_t req)
{
	void *p = (void *)(__force uintptr_t)__alloc_percpu_gfp(req, 8, GFP_KERNEL | __GFP_NOWARN);

	barrier();
	return p;
}

/* -- DMA memory ---------------------------------------------------------- */

/* Less than whole pages is asked for; its address for the device is kept in it. */
#define LOAD_DMA_LESS	1000

static noinline __noclone void *load_dma_coherent(size_t req)
{
	dma_addr_t handle;
	dma_addr_t *p = dma_alloc_coherent(&load_device->dev, req - LOAD_DMA_LESS, &handle,
					   GFP_KERNEL);

	barrier();
	if (p)
		*p = handle;
	return p;
}

static void drop_dma(void *obj, size_t req)
{
	dma_free_coherent(&load_device->dev, req - LOAD_DMA_LESS, obj, *(dma_addr_t *)obj);
}

/* -- memory pools -------------------------------------------------------- */

#define LOAD_POOL_PAGES		29
#define LOAD_POOL_OBJECTS	37
#define LOAD_POOL_CHUNKS	23
#define LOAD_POOL_OBJECT	211
#define LOAD_POOL_CHUNK		700
#define LOAD_POOL_CACHE_NAME	"asite_load_pool"

static struct kmem_cache *load_pool_cache;
static mempool_t pool_of_pages, pool_of_objects, pool_of_chunks;

static noinline __noclone int load_mempool_init_pages(void)
{
	int err = mempool_init_page_pool(&pool_of_pages, LOAD_POOL_PAGES, 1);

	barrier();
	return err;
}

static noinline __noclone int load_mempool_init_cache(void)
{
	int err = mempool_init_slab_pool(&pool_of_objects, LOAD_POOL_OBJECTS, load_pool_cache);

	barrier();
	return err;
}

static noinline __noclone int load_mempool_init_kmalloc(void)
{
	int err = mempool_init_kmalloc_pool(&pool_of_chunks, LOAD_POOL_CHUNKS, LOAD_POOL_CHUNK);

	barrier();
	return err;
}

static noinline __noclone void *load_mempool_page(size_t req)
{
	void *p = NULL;

	if (pool_of_pages.elements || !load_mempool_init_pages())
		p = mempool_alloc(&pool_of_pages, GFP_KERNEL);
	barrier();
	return p;
}

static noinline __noclone void *load_mempool_object(size_t req)
{
	void *p = NULL;

	if (pool_of_objects.elements || !load_mempool_init_cache())
		p = mempool_alloc(&pool_of_objects, GFP_KERNEL);
	barrier();
	return p;
}

static noinline __noclone void *load_mempool_chunk(size_t req)
{
	void *p = NULL;

	if (pool_of_chunks.elements || !load_mempool_init_kmalloc())
		p = mempool_alloc(&pool_of_chunks, GFP_KERNEL);
	barrier();
	return p;
}

/* The pools are full: what goes back to them is freed. */
static void drop_to_pages(void *obj, size_t req)
{
	mempool_free(obj, &pool_of_pages);
}

static void drop_to_objects(void *obj, size_t req)
{
	mempool_free(obj, &pool_of_objects);
}

static void drop_to_chunks(void *obj, size_t req)
{
	mempool_free(obj, &pool_of_chunks);
}

/* -- the table ----------------------------------------------------------- */

/* LOAD_AREAS(function, bytes, nr, how they go back, more) */
#define LOAD_AREAS(fn, bytes, count, how, ...) \
	{ #fn, "vmalloc", "-", 0, bytes, count, fn, .way = LOAD_DROP, .drop = how, \
	  .align = PAGE_SIZE, __VA_ARGS__ }
/* What else that function has, made by the row before. */
#define LOAD_ALSO(fn, kind, cache, size, req, count, ...) \
	{ #fn, kind, cache, size, req, count, __VA_ARGS__ }
#define LOAD_PERCPU(fn, bytes, count, ...) \
	{ #fn, "percpu", "-", 0, bytes, count, fn, .way = LOAD_DROP, .drop = drop_percpu, \
	  .align = PCPU_MIN_ALLOC_SIZE, .each_cpu = true, __VA_ARGS__ }
#define LOAD_BLOCKS(fn, size, count, how) \
	{ #fn, "page", "-", size, size, count, fn, .way = LOAD_DROP, .drop = how }

/* An area's array of pages is the caller's; LOAD_ARRAY(function, size, pages, nr, absent, more). */
#define LOAD_ARRAY(fn, size, pages, count, why, ...) \
	LOAD_ALSO(fn, "kmalloc", "-", size, (pages) * sizeof(struct page *), count, \
		  .absent = why, __VA_ARGS__)
/* The same where it is so large that it takes an area. */
#define LOAD_ARRAY_AREA(fn, pages, count, why) \
	LOAD_ALSO(fn, "vmalloc", "-", 0, (pages) * sizeof(struct page *), count, \
		  .align = PAGE_SIZE, .absent = why)

#define LOAD_BIG	(5UL << 19)
#define LOAD_HUGE	(4UL << 20)
/* Of load_calls.c. */
#define LOAD_FALLBACK	(5UL << 20)

const struct load_site load_area_table[] = {
	LOAD_AREAS(load_vmalloc, 100, 103, drop_vfree),
	LOAD_AREAS(load_vmalloc_remote, 12345, 23, drop_vfree, .alloc_place = LOAD_OTHER_CPU,
		   .free_place = LOAD_OTHER_CPU),
	LOAD_AREAS(load_vzalloc, 3 * PAGE_SIZE + 1, 29, drop_vfree, .free_place = LOAD_SOFTIRQ),
	LOAD_AREAS(load_vmalloc_user, 2 * PAGE_SIZE, 31, drop_vfree, .free_place = LOAD_HARDIRQ),
	LOAD_AREAS(load_vmalloc_node, 70000, 13, drop_vfree),
	LOAD_AREAS(load_vzalloc_node, 4096, 37, drop_kvfree),
	LOAD_AREAS(load_vmalloc_32, 9000, 41, drop_vfree),
	LOAD_AREAS(load_vmalloc_flags, 300000, 7, drop_kvfree),
	LOAD_AREAS(load_vmalloc_big, LOAD_BIG, 3, drop_vfree),
	LOAD_AREAS(load_vmalloc_huge, LOAD_HUGE, 2, drop_vfree, .absent = ASITE_K_NO_VMALLOC_HUGE),
	/* Made by the row of that name in load_calls.c. */
	LOAD_ALSO(load_kvmalloc_fallback, "vmalloc", "-", 0, LOAD_FALLBACK, 2),

	LOAD_AREAS(load_vrealloc_null, 8000, 11, drop_vfree, .absent = ASITE_K_NO_VREALLOC),
	LOAD_AREAS(load_vrealloc_grown, 50000, 17, drop_vfree, .absent = ASITE_K_NO_VREALLOC),
	LOAD_ALSO(load_vrealloc_first, "vmalloc", "-", 0, 5000, 17, .claim = LOAD_PASSING,
		  .align = PAGE_SIZE, .absent = ASITE_K_NO_VREALLOC),
	LOAD_AREAS(load_vrealloc_shrunk, 60000, 19, drop_vfree, .left = 5000,
		   .absent = ASITE_K_NO_VREALLOC),

	LOAD_ARRAY_AREA(load_vmalloc_big, LOAD_BIG >> PAGE_SHIFT, 3, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY_AREA(load_vmalloc_huge, LOAD_HUGE >> PAGE_SHIFT, 2, ASITE_K_NO_VMALLOC_HUGE),
	LOAD_ARRAY_AREA(load_kvmalloc_fallback, LOAD_FALLBACK >> PAGE_SHIFT, 2,
			ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc, 8, 1, 103, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_remote, 32, 4, 23, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vzalloc, 32, 4, 29, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_user, 16, 2, 31, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_node, 192, 18, 13, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vzalloc_node, 8, 1, 37, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_32, 32, 3, 41, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_flags, 1024, 74, 7, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_big, 16, 2, 3, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vmalloc_huge, 16, 2, 2, ASITE_K_NO_VMALLOC_HUGE),
	LOAD_ARRAY(load_kvmalloc_fallback, 32, 3, 2, ASITE_K_NO_PAGE_ARRAY),
	LOAD_ARRAY(load_vrealloc_null, 16, 2, 11, ASITE_K_NO_VREALLOC),
	LOAD_ARRAY(load_vrealloc_grown, 128, 13, 17, ASITE_K_NO_VREALLOC),
	LOAD_ARRAY(load_vrealloc_first, 16, 2, 17, ASITE_K_NO_VREALLOC, .claim = LOAD_PASSING),
	LOAD_ARRAY(load_vrealloc_shrunk, 128, 15, 19, ASITE_K_NO_VREALLOC),

	LOAD_AREAS(load_vmap, LOAD_MAPPED * PAGE_SIZE, 13, drop_vmap, .claim = LOAD_ABSENT),
	LOAD_ALSO(load_vmap_page, "page", "-", PAGE_SIZE, PAGE_SIZE, 13 * LOAD_MAPPED),
	{ "load_vmap_put", "kmalloc", "-", 64, LOAD_MAPPED * sizeof(void *), 11, load_vmap_put,
	  .way = LOAD_DROP, .drop = drop_vfree },
	LOAD_ALSO(load_vmap_put_page, "page", "-", PAGE_SIZE, PAGE_SIZE, 11 * LOAD_MAPPED),

	LOAD_PERCPU(load_percpu_type, sizeof(struct load_percpu_24), 101),
	LOAD_PERCPU(load_percpu_1, 1, 211, .free_place = LOAD_SOFTIRQ),
	LOAD_PERCPU(load_percpu_200, 200, 47, .free_place = LOAD_OTHER_CPU),
	LOAD_PERCPU(load_percpu_4096, 4096, 5),
	LOAD_PERCPU(load_percpu_gfp, 68, 53, .alloc_place = LOAD_OTHER_CPU),

	LOAD_BLOCKS(load_dma_coherent, PAGE_SIZE, 43, drop_dma),
	LOAD_BLOCKS(load_dma_coherent, 4 * PAGE_SIZE, 13, drop_dma),

	LOAD_BLOCKS(load_mempool_page, 2 * PAGE_SIZE, 31, drop_to_pages),
	LOAD_ALSO(load_mempool_init_pages, "page", "-", 2 * PAGE_SIZE, 2 * PAGE_SIZE,
		  LOAD_POOL_PAGES),
	LOAD_ALSO(load_mempool_init_pages, "kmalloc", "-", 256,
		  LOAD_POOL_PAGES * sizeof(void *), 1),
	{ "load_mempool_object", "kmem_cache", LOAD_POOL_CACHE_NAME,
	  ALIGN(LOAD_POOL_OBJECT, sizeof(void *)), LOAD_POOL_OBJECT, 83, load_mempool_object,
	  .way = LOAD_DROP, .drop = drop_to_objects },
	LOAD_ALSO(load_mempool_init_cache, "kmem_cache", LOAD_POOL_CACHE_NAME,
		  ALIGN(LOAD_POOL_OBJECT, sizeof(void *)), LOAD_POOL_OBJECT, LOAD_POOL_OBJECTS),
	LOAD_ALSO(load_mempool_init_cache, "kmalloc", "-", 512,
		  LOAD_POOL_OBJECTS * sizeof(void *), 1),
	{ "load_mempool_chunk", "kmalloc", "-", 1024, LOAD_POOL_CHUNK, 19, load_mempool_chunk,
	  .way = LOAD_DROP, .drop = drop_to_chunks },
	LOAD_ALSO(load_mempool_init_kmalloc, "kmalloc", "-", 1024, LOAD_POOL_CHUNK,
		  LOAD_POOL_CHUNKS),
	LOAD_ALSO(load_mempool_init_kmalloc, "kmalloc", "-", 192,
		  LOAD_POOL_CHUNKS * sizeof(void *), 1),
};

const unsigned int load_area_table_rows = ARRAY_SIZE(load_area_table);

/* After the objects of all rows: what no row frees. */
void load_areas_free_rest(void)
{
	mempool_exit(&pool_of_pages);
	mempool_exit(&pool_of_objects);
	mempool_exit(&pool_of_chunks);
}

/* -- init and exit ------------------------------------------------------- */

int load_areas_init(void)
{
	int err;

	/* A region for user copies keeps a cache from being merged. */
	load_pool_cache = kmem_cache_create_usercopy(LOAD_POOL_CACHE_NAME, LOAD_POOL_OBJECT, 0, 0,
						     0, 8, NULL);
	if (!load_pool_cache)
		return -ENOMEM;
	load_device = platform_device_register_simple("asite_load", PLATFORM_DEVID_NONE, NULL, 0);
	err = PTR_ERR_OR_ZERO(load_device);
	if (err)
		goto no_device;
	err = dma_coerce_mask_and_coherent(&load_device->dev, DMA_BIT_MASK(64));
	if (!err)
		return 0;
	platform_device_unregister(load_device);
no_device:
	kmem_cache_destroy(load_pool_cache);
	return err;
}

void load_areas_exit(void)
{
	platform_device_unregister(load_device);
	kmem_cache_destroy(load_pool_cache);
}
