/* SPDX-License-Identifier: GPL-2.0-only */
#define ASITE_WRAPPERS(W) \
	W(__alloc_pages_nodemask, INTERNAL) W(__alloc_pages, INTERNAL) W(__alloc_pages_noprof, INTERNAL) \
	W(__alloc_frozen_pages_noprof, INTERNAL) W(alloc_frozen_pages_noprof, INTERNAL) \
	W(alloc_pages_current, INTERNAL) W(alloc_pages, INTERNAL) W(alloc_pages_noprof, INTERNAL) W(alloc_pages_mpol, INTERNAL) \
	W(alloc_pages_mpol_noprof, INTERNAL) W(alloc_pages_vma, INTERNAL) W(vma_alloc_folio, INTERNAL) W(vma_alloc_folio_noprof, INTERNAL) \
	W(alloc_page_interleave, INTERNAL) W(__folio_alloc, INTERNAL) W(__folio_alloc_noprof, INTERNAL) W(folio_alloc, INTERNAL) W(folio_alloc_noprof, INTERNAL) \
	W(folio_alloc_mpol_noprof, INTERNAL) W(filemap_alloc_folio, INTERNAL) W(filemap_alloc_folio_noprof, INTERNAL) \
	W(__get_free_pages, INTERNAL) W(get_free_pages_noprof, INTERNAL) W(get_zeroed_page, INTERNAL) W(get_zeroed_page_noprof, INTERNAL) \
	W(alloc_pages_exact, INTERNAL) W(alloc_pages_exact_noprof, INTERNAL) W(alloc_pages_bulk_noprof, INTERNAL) W(__alloc_pages_bulk, INTERNAL) \
	W(alloc_slab_page, SLAB_PAGES) W(allocate_slab, SLAB_PAGES) W(new_slab, SLAB_PAGES) W(___slab_alloc, SLAB_PAGES) \
	W(___kmalloc_large_node, LARGE_PAGES) W(__kmalloc_large_node, LARGE_PAGES) W(kmalloc_order, LARGE_PAGES) W(kmalloc_large_node, LARGE_PAGES) \
	W(__vmalloc_node_range, VMALLOC_PAGES) W(__vmalloc_node_range_noprof, VMALLOC_PAGES) W(__vmalloc_area_node, VMALLOC_PAGES) W(vm_area_alloc_pages, VMALLOC_PAGES) \
	W(__vmalloc_node, INTERNAL) W(__vmalloc_node_noprof, INTERNAL) W(vmalloc, INTERNAL) W(vmalloc_noprof, INTERNAL) W(vzalloc, INTERNAL) W(vzalloc_noprof, INTERNAL) \
	W(pcpu_populate_chunk, PERCPU_PAGES) W(pcpu_alloc_pages, PERCPU_PAGES) W(pcpu_alloc, INTERNAL) W(pcpu_alloc_noprof, INTERNAL) \
	W(__alloc_percpu, INTERNAL) W(__alloc_percpu_gfp, INTERNAL) \
	W(kvmalloc_node, INTERNAL) W(__kvmalloc_node_noprof, INTERNAL)
