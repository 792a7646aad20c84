/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wrapper set as it is at load (see wrap.h): functions that are allocators, or only pass on
 * to one. Names of all kernels from 5.10 to 7.3 together; what a kernel does not have does no
 * harm. Compiler's suffixes (.isra.0, .cold) are no part of a name.
 *
 * Where code tagging wraps an API, a site here shall be the line that it names: every function
 * whose name ends in _noprof is in the set, and functions that are no part of a wrapped API
 * (pte_alloc_one, shmem_alloc_folio, alloc_migration_target, page_pool_alloc_pages,
 * __alloc_skb) are not. A function that the compiler put into its callers is not seen; where
 * that holds on all kernels looked at, its name is here for others.
 *
 * A function that ends in a jump to a wrapper is not on the stack: a wrapper that does so is
 * none the worse, and of another the caller is the site. scripts/tail-calls.sh lists them.
 */
#ifndef ASITE_WRAPPER_NAMES_H
#define ASITE_WRAPPER_NAMES_H

/*
 * Slab, by size. kmalloc_array and kzalloc are inline, and yet functions, in the kernel and
 * in modules, where the compiler chose so.
 */
#define ASITE_WRAPPERS_SLAB_SIZE(W)								\
	W(__kmalloc, INTERNAL) W(__kmalloc_node, INTERNAL) W(__kmalloc_track_caller, INTERNAL)	\
	W(__kmalloc_node_track_caller, INTERNAL) W(__kmem_cache_alloc_node, INTERNAL)		\
	W(kmalloc_order_trace, INTERNAL) W(kmalloc_trace, INTERNAL)				\
	W(kmalloc_node_trace, INTERNAL) W(__kmalloc_noprof, INTERNAL)				\
	W(__kmalloc_node_noprof, INTERNAL) W(__kmalloc_node_track_caller_noprof, INTERNAL)	\
	W(__kmalloc_cache_noprof, INTERNAL) W(__kmalloc_cache_node_noprof, INTERNAL)		\
	W(__kmalloc_flags_noprof, INTERNAL) W(_kmalloc_nolock_noprof, INTERNAL)			\
	W(__kmalloc_nolock_noprof, INTERNAL) W(kmalloc_array, INTERNAL) W(kzalloc, INTERNAL)	\
	W(kzalloc_node, INTERNAL) W(kmalloc_array_noprof, INTERNAL)				\
	W(kzalloc_noprof, INTERNAL) W(_kzalloc_noprof, INTERNAL)				\
	W(_kmalloc_array_noprof, INTERNAL)

/*
 * Slab, of a cache. __kmem_cache_alloc_bulk is the part of the bulk call that is a function
 * of its own on 5.10 and 7.3.
 */
#define ASITE_WRAPPERS_SLAB_CACHE(W)								\
	W(kmem_cache_alloc, INTERNAL) W(kmem_cache_alloc_lru, INTERNAL)				\
	W(kmem_cache_alloc_node, INTERNAL) W(kmem_cache_alloc_bulk, INTERNAL)			\
	W(__kmem_cache_alloc_bulk, INTERNAL) W(kmem_cache_alloc_trace, INTERNAL)		\
	W(kmem_cache_alloc_node_trace, INTERNAL) W(kmem_cache_alloc_noprof, INTERNAL)		\
	W(kmem_cache_alloc_lru_noprof, INTERNAL) W(kmem_cache_alloc_node_noprof, INTERNAL)	\
	W(kmem_cache_alloc_bulk_noprof, INTERNAL)						\
	W(kmem_cache_alloc_from_sheaf_noprof, INTERNAL)

/* Resizing, and slab or else vmalloc. vrealloc is with vmalloc. */
#define ASITE_WRAPPERS_RESIZE(W)								\
	W(krealloc, INTERNAL) W(krealloc_noprof, INTERNAL)					\
	W(krealloc_node_align_noprof, INTERNAL) W(__do_krealloc, INTERNAL)			\
	W(kvrealloc, INTERNAL) W(kvrealloc_noprof, INTERNAL)					\
	W(kvrealloc_node_align_noprof, INTERNAL) W(kvmalloc_node, INTERNAL)			\
	W(__kvmalloc_node_noprof, INTERNAL)

/*
 * Copies and formatted strings. Code tagging wraps kmemdup alone; for the others it names the
 * line in mm/util.c or lib/, here it is the caller on every kernel.
 */
#define ASITE_WRAPPERS_COPIES(W)								\
	W(kmemdup, INTERNAL) W(kmemdup_noprof, INTERNAL) W(kmemdup_nul, INTERNAL)		\
	W(kmemdup_array, INTERNAL) W(kvmemdup, INTERNAL) W(kstrdup, INTERNAL)			\
	W(kstrdup_const, INTERNAL) W(kstrndup, INTERNAL) W(kstrdup_and_replace, INTERNAL)	\
	W(kstrdup_quotable, INTERNAL) W(kstrdup_quotable_cmdline, INTERNAL)			\
	W(kstrdup_quotable_file, INTERNAL) W(memdup_user, INTERNAL)				\
	W(memdup_user_nul, INTERNAL) W(vmemdup_user, INTERNAL) W(strndup_user, INTERNAL)	\
	W(match_strdup, INTERNAL) W(nla_strdup, INTERNAL) W(kasprintf, INTERNAL)		\
	W(kvasprintf, INTERNAL) W(kvasprintf_const, INTERNAL) W(kasprintf_strarray, INTERNAL)	\
	W(bitmap_alloc, INTERNAL) W(bitmap_zalloc, INTERNAL) W(bitmap_alloc_node, INTERNAL)	\
	W(bitmap_zalloc_node, INTERNAL)

/*
 * Pages. The innermost function is __alloc_pages_nodemask on 5.10, __alloc_pages on 6.1,
 * __alloc_pages_noprof on 6.12 and __alloc_frozen_pages_noprof on 7.3.
 */
#define ASITE_WRAPPERS_PAGES(W)									\
	W(__alloc_pages_nodemask, INTERNAL) W(__alloc_pages, INTERNAL)				\
	W(__alloc_pages_noprof, INTERNAL) W(__alloc_frozen_pages_noprof, INTERNAL)		\
	W(alloc_pages_current, INTERNAL) W(alloc_pages, INTERNAL)				\
	W(alloc_pages_noprof, INTERNAL) W(alloc_frozen_pages_noprof, INTERNAL)			\
	W(alloc_pages_node_noprof, INTERNAL) W(alloc_pages_nolock_noprof, INTERNAL)		\
	W(alloc_frozen_pages_nolock_noprof, INTERNAL) W(alloc_pages_mpol, INTERNAL)		\
	W(alloc_pages_mpol_noprof, INTERNAL) W(alloc_page_interleave, INTERNAL)			\
	W(alloc_pages_preferred_many, INTERNAL) W(__get_free_pages, INTERNAL)			\
	W(get_free_pages_noprof, INTERNAL) W(get_zeroed_page, INTERNAL)				\
	W(get_zeroed_page_noprof, INTERNAL) W(alloc_pages_exact, INTERNAL)			\
	W(alloc_pages_exact_noprof, INTERNAL) W(alloc_pages_exact_nid, INTERNAL)		\
	W(alloc_pages_exact_nid_noprof, INTERNAL)

/* Folios: of page cache and user memory the site is in filemap.c, memory.c and so on. */
#define ASITE_WRAPPERS_FOLIOS(W)								\
	W(__folio_alloc, INTERNAL) W(__folio_alloc_noprof, INTERNAL) W(folio_alloc, INTERNAL)	\
	W(folio_alloc_noprof, INTERNAL) W(folio_alloc_mpol_noprof, INTERNAL)			\
	W(alloc_pages_vma, INTERNAL) W(vma_alloc_folio, INTERNAL)				\
	W(vma_alloc_folio_noprof, INTERNAL) W(__page_cache_alloc, INTERNAL)			\
	W(filemap_alloc_folio, INTERNAL) W(filemap_alloc_folio_noprof, INTERNAL)

/* Many pages at once, of which the bulk ones have no event. */
#define ASITE_WRAPPERS_MANY_PAGES(W)								\
	W(__alloc_pages_bulk, INTERNAL) W(alloc_pages_bulk_noprof, INTERNAL)			\
	W(alloc_pages_bulk_array_mempolicy, INTERNAL)						\
	W(alloc_pages_bulk_array_mempolicy_noprof, INTERNAL)					\
	W(alloc_pages_bulk_mempolicy_noprof, INTERNAL)						\
	W(alloc_pages_bulk_array_interleave, INTERNAL)						\
	W(alloc_pages_bulk_array_preferred_many, INTERNAL)					\
	W(alloc_pages_bulk_array_weighted_interleave, INTERNAL)					\
	W(alloc_pages_bulk_interleave, INTERNAL) W(alloc_pages_bulk_preferred_many, INTERNAL)	\
	W(alloc_pages_bulk_weighted_interleave, INTERNAL) W(alloc_contig_range, INTERNAL)	\
	W(alloc_contig_range_noprof, INTERNAL) W(alloc_contig_pages, INTERNAL)			\
	W(alloc_contig_pages_noprof, INTERNAL) W(__alloc_contig_pages, INTERNAL)		\
	W(alloc_contig_frozen_range_noprof, INTERNAL)						\
	W(alloc_contig_frozen_pages_noprof, INTERNAL)

/*
 * vmalloc. __vmalloc_node_range and what is below it is backing, see there; on 5.10 vmalloc()
 * and its like hold copies of it and call __vmalloc_area_node themselves.
 */
#define ASITE_WRAPPERS_VMALLOC(W)								\
	W(vmalloc, INTERNAL) W(vzalloc, INTERNAL) W(vmalloc_user, INTERNAL)			\
	W(vmalloc_node, INTERNAL) W(vzalloc_node, INTERNAL) W(vmalloc_32, INTERNAL)		\
	W(vmalloc_32_user, INTERNAL) W(vmalloc_huge, INTERNAL) W(__vmalloc, INTERNAL)		\
	W(__vmalloc_node, INTERNAL) W(vmalloc_array, INTERNAL) W(__vmalloc_array, INTERNAL)	\
	W(vcalloc, INTERNAL) W(__vcalloc, INTERNAL) W(vmalloc_noprof, INTERNAL)			\
	W(vzalloc_noprof, INTERNAL) W(vmalloc_user_noprof, INTERNAL)				\
	W(vmalloc_node_noprof, INTERNAL) W(vzalloc_node_noprof, INTERNAL)			\
	W(vmalloc_32_noprof, INTERNAL) W(vmalloc_32_user_noprof, INTERNAL)			\
	W(vmalloc_huge_noprof, INTERNAL) W(vmalloc_huge_node_noprof, INTERNAL)			\
	W(__vmalloc_noprof, INTERNAL) W(__vmalloc_node_noprof, INTERNAL)			\
	W(vmalloc_array_noprof, INTERNAL) W(__vmalloc_array_noprof, INTERNAL)			\
	W(vcalloc_noprof, INTERNAL) W(__vcalloc_noprof, INTERNAL) W(vrealloc_noprof, INTERNAL)	\
	W(vrealloc_node_align_noprof, INTERNAL)

/* Per-CPU memory. On 6.12 and 7.3 users call pcpu_alloc_noprof itself. */
#define ASITE_WRAPPERS_PERCPU(W)								\
	W(__alloc_percpu, INTERNAL) W(__alloc_percpu_gfp, INTERNAL)				\
	W(__alloc_reserved_percpu, INTERNAL) W(pcpu_alloc, INTERNAL)				\
	W(pcpu_alloc_noprof, INTERNAL)

/* Pools. Elements that mempool_init() allocates ahead are its caller's. */
#define ASITE_WRAPPERS_POOLS(W)									\
	W(mempool_alloc, INTERNAL) W(mempool_alloc_noprof, INTERNAL)				\
	W(mempool_alloc_bulk_noprof, INTERNAL) W(mempool_alloc_slab, INTERNAL)			\
	W(mempool_kmalloc, INTERNAL) W(mempool_kvmalloc, INTERNAL)				\
	W(mempool_alloc_pages, INTERNAL) W(mempool_alloc_pages_isa, INTERNAL)			\
	W(mempool_init, INTERNAL) W(mempool_init_noprof, INTERNAL)				\
	W(mempool_init_node, INTERNAL) W(mempool_create, INTERNAL)				\
	W(mempool_create_node, INTERNAL) W(mempool_create_node_noprof, INTERNAL)		\
	W(mempool_resize, INTERNAL)

/*
 * Page fragments and socket buffers. __alloc_skb and its like stay call sites (wrap
 * +__alloc_skb); skb_page_frag_refill() too, since code tagging names it.
 */
#define ASITE_WRAPPERS_FRAGMENTS(W)								\
	W(page_frag_alloc, INTERNAL) W(page_frag_alloc_align, INTERNAL)				\
	W(__page_frag_alloc_align, INTERNAL) W(__page_frag_cache_refill, INTERNAL)		\
	W(netdev_alloc_frag, INTERNAL) W(napi_alloc_frag, INTERNAL)				\
	W(__netdev_alloc_frag_align, INTERNAL) W(__napi_alloc_frag_align, INTERNAL)		\
	W(kmalloc_reserve, INTERNAL) W(kmalloc_pfmemalloc, INTERNAL)

/*
 * DMA: no part of it is wrapped by code tagging. Which functions lie between depends on the
 * device's way: direct, through the pool for atomic contexts, or an IOMMU.
 */
#define ASITE_WRAPPERS_DMA(W)									\
	W(dma_alloc_attrs, INTERNAL) W(dma_alloc_pages, INTERNAL)				\
	W(__dma_alloc_pages, INTERNAL) W(dma_alloc_noncontiguous, INTERNAL)			\
	W(dma_common_alloc_pages, INTERNAL) W(dma_alloc_contiguous, INTERNAL)			\
	W(dma_alloc_from_contiguous, INTERNAL) W(dma_direct_alloc, INTERNAL)			\
	W(dma_direct_alloc_pages, INTERNAL) W(__dma_direct_alloc_pages, INTERNAL)		\
	W(dma_direct_alloc_no_mapping, INTERNAL) W(dma_direct_alloc_from_pool, INTERNAL)	\
	W(intel_alloc_coherent, INTERNAL) W(gart_alloc_coherent, INTERNAL)			\
	W(xen_swiotlb_alloc_coherent, INTERNAL) W(iommu_dma_alloc, INTERNAL)			\
	W(iommu_dma_alloc_noncontiguous, INTERNAL)						\
	W(__iommu_dma_alloc_noncontiguous, INTERNAL) W(iommu_dma_alloc_remap, INTERNAL)		\
	W(__iommu_dma_alloc_pages, INTERNAL) W(iommu_dma_alloc_pages, INTERNAL)			\
	W(dmam_alloc_attrs, INTERNAL) W(dma_pool_alloc, INTERNAL) W(dma_pool_create, INTERNAL)	\
	W(dma_pool_create_node, INTERNAL) W(dmam_pool_create, INTERNAL)				\
	W(pool_alloc_page, INTERNAL)

/* Device-managed memory: the driver, where code tagging names devres.c. */
#define ASITE_WRAPPERS_DEVM(W)									\
	W(devm_kmalloc, INTERNAL) W(devm_krealloc, INTERNAL) W(devm_kmemdup, INTERNAL)		\
	W(devm_kmemdup_const, INTERNAL) W(devm_kstrdup, INTERNAL)				\
	W(devm_kstrdup_const, INTERNAL) W(devm_kasprintf, INTERNAL)				\
	W(devm_kvasprintf, INTERNAL) W(devm_kasprintf_strarray, INTERNAL)			\
	W(devm_bitmap_alloc, INTERNAL) W(devm_bitmap_zalloc, INTERNAL)				\
	W(devres_alloc_node, INTERNAL) W(__devres_alloc_node, INTERNAL) W(alloc_dr, INTERNAL)	\
	W(devm_get_free_pages, INTERNAL) W(__devm_alloc_percpu, INTERNAL)

/*
 * No allocators, but wrapped by code tagging, which charges whoever calls them; the last four
 * are inline in most builds. There a table that grows is charged to whoever made it, here to
 * who grows it; and what a work queue takes per CPU and node is charged to workqueue.c.
 */
#define ASITE_WRAPPERS_OTHERS(W)								\
	W(rhashtable_init, INTERNAL) W(rhashtable_init_noprof, INTERNAL)			\
	W(__rhashtable_init_noprof, INTERNAL) W(rhltable_init, INTERNAL)			\
	W(rhltable_init_noprof, INTERNAL) W(__rhltable_init_noprof, INTERNAL)			\
	W(bucket_table_alloc, INTERNAL) W(nested_bucket_table_alloc, INTERNAL)			\
	W(nested_table_alloc, INTERNAL) W(alloc_workqueue_noprof, INTERNAL)			\
	W(__alloc_workqueue, INTERNAL) W(alloc_workqueue_attrs_noprof, INTERNAL)		\
	W(devm_alloc_workqueue_noprof, INTERNAL)						\
	W(ptr_ring_resize_multiple_bh_noprof, INTERNAL) W(memdup_sockptr_noprof, INTERNAL)	\
	W(reqsk_alloc_noprof, INTERNAL) W(compaction_alloc_noprof, INTERNAL)

/* Backing: pages of slabs. allocate_slab is a function of its own on all four. */
#define ASITE_WRAPPERS_SLAB_BACKING(W)								\
	W(alloc_slab_page, SLAB_PAGES) W(allocate_slab, SLAB_PAGES) W(new_slab, SLAB_PAGES)	\
	W(___slab_alloc, SLAB_PAGES)

/*
 * Backing: pages of large objects. Those that ask for them: on 5.10 kmalloc_order and
 * kmalloc_large_node, on 6.1 __kmalloc_large_node, on 6.12 and 7.3 ___kmalloc_large_node.
 */
#define ASITE_WRAPPERS_LARGE_BACKING(W)								\
	W(kmalloc_order, LARGE_PAGES) W(kmalloc_large, LARGE_PAGES)				\
	W(kmalloc_large_node, LARGE_PAGES) W(__kmalloc_large_node, LARGE_PAGES)			\
	W(___kmalloc_large_node, LARGE_PAGES) W(__kmalloc_large_noprof, LARGE_PAGES)		\
	W(__kmalloc_large_node_noprof, LARGE_PAGES)

/*
 * Backing: pages of areas, with the inner functions' copies in __vmalloc_node_range on 6.1
 * and later. Their array of pages is no page: code tagging charges it to the caller.
 */
#define ASITE_WRAPPERS_VMALLOC_BACKING(W)							\
	W(__vmalloc_node_range, VMALLOC_PAGES) W(__vmalloc_node_range_noprof, VMALLOC_PAGES)	\
	W(__vmalloc_area_node, VMALLOC_PAGES) W(vm_area_alloc_pages, VMALLOC_PAGES)

/* Backing: pages of per-CPU chunks. */
#define ASITE_WRAPPERS_PERCPU_BACKING(W)							\
	W(pcpu_alloc_pages, PERCPU_PAGES) W(pcpu_populate_chunk, PERCPU_PAGES)			\
	W(pcpu_create_chunk, PERCPU_PAGES)

/* Backing: a slab's vector with an entry for each object. 5.10; 6.1; 6.12 and 7.3. */
#define ASITE_WRAPPERS_EXT_BACKING(W)								\
	W(memcg_alloc_page_obj_cgroups, SLAB_EXT) W(memcg_alloc_slab_cgroups, SLAB_EXT)		\
	W(alloc_slab_obj_exts, SLAB_EXT)

/* W(symbol, class): class as in enum asite_class without its prefix; no name stands twice. */
#define ASITE_WRAPPERS(W)									\
	ASITE_WRAPPERS_SLAB_SIZE(W) ASITE_WRAPPERS_SLAB_CACHE(W) ASITE_WRAPPERS_RESIZE(W)	\
	ASITE_WRAPPERS_COPIES(W) ASITE_WRAPPERS_PAGES(W) ASITE_WRAPPERS_FOLIOS(W)		\
	ASITE_WRAPPERS_MANY_PAGES(W) ASITE_WRAPPERS_VMALLOC(W) ASITE_WRAPPERS_PERCPU(W)		\
	ASITE_WRAPPERS_POOLS(W) ASITE_WRAPPERS_FRAGMENTS(W) ASITE_WRAPPERS_DMA(W)		\
	ASITE_WRAPPERS_DEVM(W) ASITE_WRAPPERS_OTHERS(W) ASITE_WRAPPERS_SLAB_BACKING(W)		\
	ASITE_WRAPPERS_LARGE_BACKING(W) ASITE_WRAPPERS_VMALLOC_BACKING(W)			\
	ASITE_WRAPPERS_PERCPU_BACKING(W) ASITE_WRAPPERS_EXT_BACKING(W)

#endif /* ASITE_WRAPPER_NAMES_H */
