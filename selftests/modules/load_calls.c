// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: one function per allocator call, and the table of what a
 * tracker must say about them.
 *
 * What is done with the table is in load_sites.c, the ways to free are in
 * load_free.c. The functions run in task context under load_lock, or where
 * their row says. They are noinline and end in a barrier, so that no call to
 * the allocator is a tail call and the return address lies in the function of
 * that name. Invariant: a row says what the code does, and nothing here looks
 * at a tracker's output.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "load.h"
#include "load_compat.h"

struct kmem_cache *load_caches[LOAD_CACHE_COUNT];
static struct list_lru load_lru;
/* A kmem_buckets, on kernels that have them. */
static void *load_buckets;

/* Where kmemdup copies from. */
static const char load_bytes[3 * 4096];
static const char load_string[] = "thirteen char";

/* Functions whose names appear as sites: never inlined, never cloned. */

/* -- kmalloc, constant sizes --------------------------------------------- */

static noinline __noclone void *load_kmalloc_8(size_t req)
{
	void *p = kmalloc(8, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmalloc_64(size_t req)
{
	void *p = kmalloc(64, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmalloc_96(size_t req)
{
	void *p = kmalloc(90, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmalloc_1024(size_t req)
{
	void *p = kmalloc(1024, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kzalloc_256(size_t req)
{
	void *p = kzalloc(256, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kcalloc_2048(size_t req)
{
	void *p = kcalloc(16, 128, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmalloc_node_128(size_t req)
{
	void *p = kmalloc_node(128, GFP_KERNEL, numa_node_id());

	barrier();
	return p;
}

/* -- kmalloc, sizes known at run time ------------------------------------ */

static noinline __noclone void *load_kmalloc_variable(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmalloc_array_512(size_t req)
{
	void *p = kmalloc_array(req / 4, 4, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmalloc_node_variable(size_t req)
{
	void *p = kmalloc_node(req, GFP_KERNEL, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_atomic_32(size_t req)
{
	void *p = kmalloc(req, GFP_ATOMIC);

	barrier();
	return p;
}

static noinline __noclone void *load_remote_128(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_sensitive_64(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_rcu_head_96(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_rcu_headless_128(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_hardirq_free_256(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

/* -- helpers that name their caller -------------------------------------- */

static noinline __noclone void *load_kstrdup_16(size_t req)
{
	void *p = kstrdup(load_string, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_kmemdup_4096(size_t req)
{
	void *p = kmemdup(load_bytes, 4096, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *helper_track_caller(size_t req)
{
	void *p = kmalloc_track_caller(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_track_caller_32(size_t req)
{
	void *p = helper_track_caller(req);

	barrier();
	return p;
}

static noinline __noclone void *helper_node_track_caller(size_t req)
{
	void *p = kmalloc_node_track_caller(req, GFP_KERNEL, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_node_track_caller_64(size_t req)
{
	void *p = helper_node_track_caller(req);

	barrier();
	return p;
}

/* -- large kmalloc ------------------------------------------------------- */

static noinline __noclone void *load_large_16384(size_t req)
{
	void *p = kmalloc(4 * 4096, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_large_variable(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_large_node(size_t req)
{
	void *p = kmalloc_node(req, GFP_KERNEL, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_large_track_caller(size_t req)
{
	void *p = helper_track_caller(req);

	barrier();
	return p;
}

static noinline __noclone void *load_large_kzalloc(size_t req)
{
	void *p = kzalloc(9 * 1024, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_large_node_const(size_t req)
{
	void *p = kmalloc_node(9 * 1024, GFP_KERNEL, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_large_node_track_caller(size_t req)
{
	void *p = helper_node_track_caller(req);

	barrier();
	return p;
}

static noinline __noclone void *load_large_kmemdup(size_t req)
{
	void *p = kmemdup(load_bytes, sizeof(load_bytes), GFP_KERNEL);

	barrier();
	return p;
}

/* -- krealloc ------------------------------------------------------------ */

/* In place means no event. KFENCE, whose objects have no room to grow, takes none of this size. */
static noinline __noclone void *load_krealloc_in_place(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);
	void *q = p ? krealloc(p, 8192, GFP_KERNEL) : NULL;

	barrier();
	WARN_ON_ONCE(p != q);
	return q;
}

static noinline __noclone void *load_krealloc_shrunk(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);
	void *q = p ? krealloc(p, req - 20, GFP_KERNEL) : NULL;

	barrier();
	WARN_ON_ONCE(p != q);
	return q;
}

static noinline __noclone void *load_krealloc_large_in_place(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);
	void *q = p ? krealloc(p, 16384, GFP_KERNEL) : NULL;

	barrier();
	WARN_ON_ONCE(p != q);
	return q;
}

static noinline __noclone void *load_krealloc_null(size_t req)
{
	void *p = krealloc(NULL, req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_krealloc_first(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_krealloc_moved(size_t req)
{
	void *p = load_krealloc_first(100);
	void *q = p ? krealloc(p, req, GFP_KERNEL) : NULL;

	barrier();
	if (!q)
		kfree(p);
	return q;
}

static noinline __noclone void *load_krealloc_small(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_krealloc_to_large(size_t req)
{
	void *p = load_krealloc_small(300);
	void *q = p ? krealloc(p, req, GFP_KERNEL) : NULL;

	barrier();
	if (!q)
		kfree(p);
	return q;
}

/* -- kvmalloc ------------------------------------------------------------ */

static noinline __noclone void *load_kvmalloc_32(size_t req)
{
	void *p = kvmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

/* Larger than the page allocator gives: the slab side fails, quietly. */
static noinline __noclone void *load_kvmalloc_fallback(size_t req)
{
	void *p = kvmalloc(req, GFP_KERNEL);

	barrier();
	WARN_ON_ONCE(p && !is_vmalloc_addr(p));
	return p;
}

/* -- kmem_buckets -------------------------------------------------------- */

static noinline __noclone void *load_buckets_96(size_t req)
{
	void *p = asite_k_kmem_buckets_alloc(load_buckets, req);

	barrier();
	return p;
}

/* -- kmalloc_nolock ------------------------------------------------------ */

/*
 * Where a lock is held it takes the next larger class, or gives up. Rows want
 * exact sizes, so it is called where none is: LOAD_STOPPED.
 */
static noinline __noclone void *load_nolock(size_t req)
{
	void *p = asite_k_kmalloc_nolock(req);

	barrier();
	return p;
}

/* -- caches -------------------------------------------------------------- */

static noinline __noclone void *load_cache_alloc(size_t req)
{
	void *p = kmem_cache_alloc(load_caches[LOAD_CACHE_ODD], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_cache_zalloc(size_t req)
{
	void *p = kmem_cache_zalloc(load_caches[LOAD_CACHE_ODD], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_cache_lru(size_t req)
{
	void *p = asite_k_kmem_cache_alloc_lru(load_caches[LOAD_CACHE_ODD], &load_lru,
					       GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_cache_node(size_t req)
{
	void *p = kmem_cache_alloc_node(load_caches[LOAD_CACHE_ODD], GFP_KERNEL,
					numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *load_cache_rcu(size_t req)
{
	void *p = kmem_cache_alloc(load_caches[LOAD_CACHE_RCU], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_cache_merge_a(size_t req)
{
	void *p = kmem_cache_alloc(load_caches[LOAD_CACHE_MERGE_A], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_cache_merge_b(size_t req)
{
	void *p = kmem_cache_alloc(load_caches[LOAD_CACHE_MERGE_B], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone int load_cache_bulk(void **objs, unsigned int nr)
{
	int got = kmem_cache_alloc_bulk(load_caches[LOAD_CACHE_ODD], GFP_KERNEL,
					nr, objs);

	barrier();
	return got ? 0 : -ENOMEM;
}

/* More than fill a few per-CPU sheaves, where there are such. */
static noinline __noclone void *load_cache_kfree_rcu(size_t req)
{
	void *p = kmem_cache_alloc(load_caches[LOAD_CACHE_ODD], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone int load_cache_bulk_kfree(void **objs, unsigned int nr)
{
	int got = kmem_cache_alloc_bulk(load_caches[LOAD_CACHE_ODD], GFP_KERNEL,
					nr, objs);

	barrier();
	return got ? 0 : -ENOMEM;
}

/* -- objects from before a tracker is loaded ----------------------------- */

static noinline __noclone void *load_pre_kmalloc(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

/* -- the table ----------------------------------------------------------- */

#define LOAD_ODD_SIZE		181
#define LOAD_RCU_SIZE		200
#define LOAD_MERGE_SIZE		1528
#define LOAD_FALLBACK_SIZE	(5UL << 20)
#define LOAD_FALLBACK_ROUNDED	(8UL << 20)

#define LOAD_ODD_NAME		"asite_load_odd"
#define LOAD_RCU_NAME		"asite_load_rcu"
#define LOAD_MERGE_A_NAME	"asite_load_merge_a"

/*
 * Bytes per object as allocated: rounded to words, and a word more where the
 * free pointer may not lie in a free object (SLAB_TYPESAFE_BY_RCU).
 */
#define LOAD_ODD_ALLOCATED	ALIGN(LOAD_ODD_SIZE, sizeof(void *))
#define LOAD_RCU_ALLOCATED	(ALIGN(LOAD_RCU_SIZE, sizeof(void *)) + sizeof(void *))

const struct load_site load_table[] = {
	{ "load_kmalloc_8", "kmalloc", "-", 8, 8, 101, load_kmalloc_8 },
	{ "load_kmalloc_64", "kmalloc", "-", 64, 64, 103, load_kmalloc_64,
	  .free_place = LOAD_OTHER_CPU },
	{ "load_kmalloc_96", "kmalloc", "-", 96, 90, 107, load_kmalloc_96,
	  .free_place = LOAD_SOFTIRQ },
	{ "load_kmalloc_1024", "kmalloc", "-", 1024, 1024, 109, load_kmalloc_1024,
	  .way = LOAD_KFREE_BULK },
	{ "load_kzalloc_256", "kmalloc", "-", 256, 256, 113, load_kzalloc_256 },
	{ "load_kcalloc_2048", "kmalloc", "-", 2048, 2048, 17, load_kcalloc_2048 },
	{ "load_kmalloc_node_128", "kmalloc", "-", 128, 128, 127, load_kmalloc_node_128 },

	/* One function, several sizes: one row for each. */
	{ "load_kmalloc_variable", "kmalloc", "-", 32, 24, 131, load_kmalloc_variable },
	{ "load_kmalloc_variable", "kmalloc", "-", 192, 130, 137, load_kmalloc_variable,
	  .free_place = LOAD_SOFTIRQ },
	{ "load_kmalloc_variable", "kmalloc", "-", 512, 500, 139, load_kmalloc_variable },
	{ "load_kmalloc_variable", "kmalloc", "-", 8192, 5000, 13, load_kmalloc_variable },
	{ "load_kmalloc_array_512", "kmalloc", "-", 512, 400, 149, load_kmalloc_array_512 },
	{ "load_kmalloc_node_variable", "kmalloc", "-", 192, 150, 151,
	  load_kmalloc_node_variable },
	{ "load_atomic_32", "kmalloc", "-", 32, 20, 157, load_atomic_32,
	  .alloc_place = LOAD_SOFTIRQ },
	{ "load_remote_128", "kmalloc", "-", 128, 100, 163, load_remote_128,
	  .alloc_place = LOAD_OTHER_CPU },
	{ "load_sensitive_64", "kmalloc", "-", 64, 48, 167, load_sensitive_64,
	  .way = LOAD_KFREE_SENSITIVE },
	/* More than one page of pointers, so that whole batches are freed. */
	{ "load_rcu_head_96", "kmalloc", "-", 96, 80, 1009, load_rcu_head_96,
	  .way = LOAD_KFREE_RCU },
	{ "load_rcu_headless_128", "kmalloc", "-", 128, 120, 173, load_rcu_headless_128,
	  .way = LOAD_KVFREE_RCU },
	{ "load_hardirq_free_256", "kmalloc", "-", 256, 200, 179, load_hardirq_free_256,
	  .free_place = LOAD_HARDIRQ },

	{ "load_kstrdup_16", "kmalloc", "-", 16, sizeof(load_string), 181, load_kstrdup_16 },
	{ "load_kmemdup_4096", "kmalloc", "-", 4096, 4096, 19, load_kmemdup_4096 },
	{ "load_track_caller_32", "kmalloc", "-", 32, 30, 191, load_track_caller_32 },
	{ "load_node_track_caller_64", "kmalloc", "-", 64, 50, 193,
	  load_node_track_caller_64 },

	/* Reported more than once by some kernels: each counts once. */
	{ "load_large_16384", "kmalloc_large", "-", 16384, 16384, 7, load_large_16384 },
	{ "load_large_variable", "kmalloc_large", "-", 65536, 40000, 5, load_large_variable,
	  .free_place = LOAD_OTHER_CPU },
	{ "load_large_node", "kmalloc_large", "-", 32768, 20000, 3, load_large_node,
	  .way = LOAD_KFREE_BULK },
	{ "load_large_track_caller", "kmalloc_large", "-", 16384, 9000, 11,
	  load_large_track_caller, .way = LOAD_KVFREE, .absent = ASITE_K_NO_LARGE_TRACK_CALLER },
	{ "load_large_kzalloc", "kmalloc_large", "-", 16384, 9216, 23, load_large_kzalloc },
	{ "load_large_node_const", "kmalloc_large", "-", 16384, 9216, 37, load_large_node_const },
	{ "load_large_node_track_caller", "kmalloc_large", "-", 16384, 10000, 41,
	  load_large_node_track_caller, .way = LOAD_KFREE_RCU },
	{ "load_large_kmemdup", "kmalloc_large", "-", 16384, sizeof(load_bytes), 43,
	  load_large_kmemdup },

	{ "load_krealloc_in_place", "kmalloc", "-", 8192, 5000, 47, load_krealloc_in_place },
	{ "load_krealloc_shrunk", "kmalloc", "-", 64, 60, 197, load_krealloc_shrunk,
	  .way = LOAD_KREALLOC_ZERO },
	{ "load_krealloc_large_in_place", "kmalloc_large", "-", 16384, 9000, 29,
	  load_krealloc_large_in_place },
	{ "load_krealloc_null", "kmalloc", "-", 1024, 600, 211, load_krealloc_null },
	{ "load_krealloc_moved", "kmalloc", "-", 512, 500, 199, load_krealloc_moved },
	{ "load_krealloc_first", "kmalloc", "-", 128, 100, 199, .claim = LOAD_PASSING },
	{ "load_krealloc_to_large", "kmalloc_large", "-", 16384, 12000, 31,
	  load_krealloc_to_large },
	{ "load_krealloc_small", "kmalloc", "-", 512, 300, 31, .claim = LOAD_PASSING },

	/* The allocator is called from inside kvmalloc_node(): a wrapper. */
	{ "load_kvmalloc_32", "kmalloc", "-", 32, 17, 251, load_kvmalloc_32,
	  .way = LOAD_KVFREE },
	{ "load_kvmalloc_fallback", "kmalloc_large", "-", LOAD_FALLBACK_ROUNDED,
	  LOAD_FALLBACK_SIZE, 2, load_kvmalloc_fallback, .way = LOAD_KVFREE, .claim = LOAD_ABSENT },

	{ "load_buckets_96", "kmalloc", "-", 96, 80, 257, load_buckets_96,
	  .absent = ASITE_K_NO_BUCKETS },

	{ "load_nolock", "kmalloc", "-", 96, 90, 263, load_nolock,
	  .alloc_place = LOAD_STOPPED, .way = LOAD_KFREE_NOLOCK, .absent = ASITE_K_NO_NOLOCK },
	{ "load_nolock", "kmalloc", "-", 256, 200, 269, load_nolock,
	  .alloc_place = LOAD_STOPPED, .free_place = LOAD_OTHER_CPU,
	  .absent = ASITE_K_NO_NOLOCK },
	{ "load_nolock", "kmalloc", "-", 512, 400, 271, load_nolock,
	  .alloc_place = LOAD_STOPPED, .way = LOAD_KFREE_NOLOCK, .free_place = LOAD_HARDIRQ,
	  .absent = ASITE_K_NO_NOLOCK },
	{ "load_nolock", "kmalloc", "-", 128, 128, 277, load_nolock,
	  .alloc_place = LOAD_STOPPED, .way = LOAD_KFREE_RCU_NOLOCK,
	  .absent = ASITE_K_NO_RCU_NOLOCK },

	{ "load_cache_alloc", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  223, load_cache_alloc, .way = LOAD_CACHE_FREE },
	{ "load_cache_zalloc", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  227, load_cache_zalloc, .way = LOAD_CACHE_FREE, .free_place = LOAD_OTHER_CPU },
	{ "load_cache_lru", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  229, load_cache_lru, .way = LOAD_CACHE_FREE, .free_place = LOAD_SOFTIRQ,
	  .absent = ASITE_K_NO_CACHE_ALLOC_LRU },
	{ "load_cache_node", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  233, load_cache_node, .way = LOAD_CACHE_FREE_BULK },
	{ "load_cache_bulk", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  239, .many = load_cache_bulk, .way = LOAD_CACHE_FREE_BULK },
	/* As kfree() may, kfree_bulk() and kfree_rcu() take objects of any cache. */
	{ "load_cache_bulk_kfree", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED,
	  LOAD_ODD_SIZE, 281, .many = load_cache_bulk_kfree, .way = LOAD_KFREE_BULK },
	{ "load_cache_kfree_rcu", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED,
	  LOAD_ODD_SIZE, 1013, load_cache_kfree_rcu, .way = LOAD_KFREE_RCU },
	{ "load_cache_rcu", "kmem_cache", LOAD_RCU_NAME, LOAD_RCU_ALLOCATED, LOAD_RCU_SIZE,
	  241, load_cache_rcu, .way = LOAD_CACHE_FREE, .cache = LOAD_CACHE_RCU },
	{ "load_cache_merge_a", "kmem_cache", LOAD_MERGE_A_NAME, LOAD_MERGE_SIZE,
	  LOAD_MERGE_SIZE, 73, load_cache_merge_a, .way = LOAD_CACHE_FREE,
	  .cache = LOAD_CACHE_MERGE_A },
	/* Merged: the name is the one of the first. */
	{ "load_cache_merge_b", "kmem_cache", LOAD_MERGE_A_NAME, LOAD_MERGE_SIZE,
	  LOAD_MERGE_SIZE, 79, load_cache_merge_b, .way = LOAD_CACHE_FREE,
	  .cache = LOAD_CACHE_MERGE_B },
};

const unsigned int load_table_rows = ARRAY_SIZE(load_table);

const struct load_site load_pre_table[] = {
	{ "load_pre_kmalloc", "kmalloc", "-", 64, 64, 53, load_pre_kmalloc },
	{ "load_pre_kmalloc", "kmalloc", "-", 128, 128, 59, load_pre_kmalloc,
	  .way = LOAD_KFREE_BULK },
	{ "load_pre_kmalloc", "kmalloc", "-", 96, 96, 61, load_pre_kmalloc,
	  .way = LOAD_KFREE_RCU },
	{ "load_pre_kmalloc", "kmalloc_large", "-", 16384, 16384, 7, load_pre_kmalloc },
	{ "load_cache_alloc", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  67, load_cache_alloc, .way = LOAD_CACHE_FREE },
	{ "load_cache_bulk", "kmem_cache", LOAD_ODD_NAME, LOAD_ODD_ALLOCATED, LOAD_ODD_SIZE,
	  71, .many = load_cache_bulk, .way = LOAD_CACHE_FREE_BULK },
};

const unsigned int load_pre_table_rows = ARRAY_SIZE(load_pre_table);

/* -- caches: init and exit ----------------------------------------------- */

static int make_caches(void)
{
	/* A region for user copies keeps a cache from being merged. */
	load_caches[LOAD_CACHE_ODD] =
		kmem_cache_create_usercopy(LOAD_ODD_NAME, LOAD_ODD_SIZE, 0, 0, 0, 8, NULL);
	load_caches[LOAD_CACHE_RCU] =
		kmem_cache_create(LOAD_RCU_NAME, LOAD_RCU_SIZE, 0,
				  SLAB_TYPESAFE_BY_RCU, NULL);
	load_caches[LOAD_CACHE_MERGE_A] =
		kmem_cache_create(LOAD_MERGE_A_NAME, LOAD_MERGE_SIZE, 0, 0, NULL);
	load_caches[LOAD_CACHE_MERGE_B] =
		kmem_cache_create(LOAD_MERGE_B_NAME, LOAD_MERGE_SIZE, 0, 0, NULL);
	load_buckets = asite_k_kmem_buckets_create("asite_load_bucket");
	if (load_caches[LOAD_CACHE_ODD] && load_caches[LOAD_CACHE_RCU] &&
	    load_caches[LOAD_CACHE_MERGE_A] && load_caches[LOAD_CACHE_MERGE_B] && load_buckets)
		return 0;
	return -ENOMEM;
}

static void destroy_caches(void)
{
	int i;

	for (i = 0; i < LOAD_CACHE_COUNT; i++)
		kmem_cache_destroy(load_caches[i]);
	asite_k_kmem_buckets_destroy(load_buckets);
}

int load_calls_init(void)
{
	int err = list_lru_init(&load_lru);

	if (err)
		return err;
	err = make_caches();
	if (err) {
		destroy_caches();
		list_lru_destroy(&load_lru);
	}
	return err;
}

void load_calls_exit(void)
{
	destroy_caches();
	list_lru_destroy(&load_lru);
}

bool load_calls_merged(void)
{
	return load_caches[LOAD_CACHE_MERGE_A] == load_caches[LOAD_CACHE_MERGE_B];
}

int load_calls_destroy_merged(void)
{
	if (!load_calls_merged())
		return -ENOENT;
	/* One reference fewer: the cache and its objects stay. */
	kmem_cache_destroy(load_caches[LOAD_CACHE_MERGE_B]);
	load_caches[LOAD_CACHE_MERGE_B] = kmem_cache_create(LOAD_MERGE_B_NAME,
							    LOAD_MERGE_SIZE, 0, 0, NULL);
	if (load_caches[LOAD_CACHE_MERGE_B])
		return 0;
	load_caches[LOAD_CACHE_MERGE_B] = load_caches[LOAD_CACHE_MERGE_A];
	return -ENOMEM;
}
