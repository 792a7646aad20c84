/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the page, vmalloc and fragment allocators that not every kernel
 * has, as load_compat.h has those of slab: NULL where one is missing, and
 * ASITE_K_NO_<CALL> says why. Inlined: the call site stays their caller.
 */
#ifndef ASITE_LOAD_PAGE_COMPAT_H
#define ASITE_LOAD_PAGE_COMPAT_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include <generated/allocsite-features.h>

#if ASITE_HAVE_LOAD_PAGE_FRAG_HEADER
#include <linux/page_frag_cache.h>
#endif

/* -- folios -------------------------------------------------------------- */

#if ASITE_HAVE_LOAD_FOLIO_ALLOC || ASITE_HAVE_LOAD_FOLIO_ALLOC_NOPROF
#define ASITE_K_NO_FOLIO	NULL
static __always_inline struct page *asite_k_folio_alloc(gfp_t gfp, unsigned int order)
{
	struct folio *folio = folio_alloc(gfp, order);

	return folio ? folio_page(folio, 0) : NULL;
}

static inline void asite_k_folio_put(struct page *page)
{
	folio_put(page_folio(page));
}
#else
#define ASITE_K_NO_FOLIO	"folio_alloc() came with 5.16"
static __always_inline struct page *asite_k_folio_alloc(gfp_t gfp, unsigned int order)
{
	return NULL;
}

static inline void asite_k_folio_put(struct page *page)
{
}
#endif

/* -- bulk ---------------------------------------------------------------- */

/* A macro from 6.10 on, and of another name from 6.14 on. */
#if defined(alloc_pages_bulk)
#define ASITE_K_NO_BULK_ARRAY	NULL
#define asite_k_alloc_pages_bulk_array(gfp, nr, pages)	alloc_pages_bulk(gfp, nr, pages)
#elif defined(alloc_pages_bulk_array) || ASITE_HAVE_LOAD_BULK_ARRAY
#define ASITE_K_NO_BULK_ARRAY	NULL
#define asite_k_alloc_pages_bulk_array(gfp, nr, pages)	alloc_pages_bulk_array(gfp, nr, pages)
#else
#define ASITE_K_NO_BULK_ARRAY	"alloc_pages_bulk_array() came with 5.13"
#define asite_k_alloc_pages_bulk_array(gfp, nr, pages)	((void)(pages), 0UL)
#endif

#if defined(alloc_pages_bulk_list) || ASITE_HAVE_LOAD_BULK_LIST
#define ASITE_K_NO_BULK_LIST	NULL
#define asite_k_alloc_pages_bulk_list(gfp, nr, list)	alloc_pages_bulk_list(gfp, nr, list)
#else
#define ASITE_K_NO_BULK_LIST	"alloc_pages_bulk_list() was there from 5.13 to 6.13"
#define asite_k_alloc_pages_bulk_list(gfp, nr, list)	((void)(list), 0UL)
#endif

/* -- contiguous ranges, nolock ------------------------------------------- */

/* The third argument was the type of the page blocks until 6.15. */
#ifdef ACR_FLAGS_NONE
#define asite_k_alloc_contig_range(from, to, gfp) \
	alloc_contig_range(from, to, ACR_FLAGS_NONE, gfp)
#else
#define asite_k_alloc_contig_range(from, to, gfp) \
	alloc_contig_range(from, to, MIGRATE_MOVABLE, gfp)
#endif

#if ASITE_HAVE_LOAD_CONTIG_PAGES
#define ASITE_K_NO_CONTIG_PAGES	NULL
#define asite_k_alloc_contig_pages(nr, gfp)	alloc_contig_pages(nr, gfp, numa_node_id(), NULL)
#else
#define ASITE_K_NO_CONTIG_PAGES	"alloc_contig_pages() is not exported"
#define asite_k_alloc_contig_pages(nr, gfp)	((struct page *)NULL)
#endif

#if ASITE_HAVE_LOAD_PAGES_NOLOCK
#define ASITE_K_NO_PAGES_NOLOCK	NULL
#define asite_k_alloc_pages_nolock(order)	alloc_pages_nolock(0, NUMA_NO_NODE, order)
#else
#define ASITE_K_NO_PAGES_NOLOCK	"alloc_pages_nolock() came with 6.15"
#define asite_k_alloc_pages_nolock(order)	((struct page *)NULL)
#endif

/* -- fragments ----------------------------------------------------------- */

static inline void asite_k_page_frag_cache_drain(struct page_frag_cache *nc)
{
#if ASITE_HAVE_LOAD_PAGE_FRAG_DRAIN
	page_frag_cache_drain(nc);
#else
	if (nc->va)
		__page_frag_cache_drain(virt_to_head_page(nc->va), nc->pagecnt_bias);
	nc->va = NULL;
#endif
}

/* -- vmalloc ------------------------------------------------------------- */

#if ASITE_HAVE_VMALLOC_HUGE || ASITE_HAVE_VMALLOC_HUGE_NOPROF || ASITE_HAVE_VMALLOC_HUGE_NODE
#define ASITE_K_NO_VMALLOC_HUGE	NULL
#define asite_k_vmalloc_huge(size)	vmalloc_huge(size, GFP_KERNEL)
#else
#define ASITE_K_NO_VMALLOC_HUGE	"vmalloc_huge() came with 5.18"
#define asite_k_vmalloc_huge(size)	NULL
#endif

/*
 * An area's array of pages is asked for under the function that return probes serve: the unwinder
 * sees whose it is from 5.15 on.
 */
#if ASITE_HAVE_KRETPROBE_RETADDR
#define ASITE_K_NO_PAGE_ARRAY	NULL
#else
#define ASITE_K_NO_PAGE_ARRAY	"before 5.15 no unwinder sees through a return probe"
#endif

#if ASITE_HAVE_EXPORT_VREALLOC_NODE_ALIGN_NOPROF
#define ASITE_K_NO_VREALLOC	NULL
#define asite_k_vrealloc(p, size)	vrealloc(p, size, GFP_KERNEL)
#else
#define ASITE_K_NO_VREALLOC	"vrealloc() is not exported"
#define asite_k_vrealloc(p, size)	NULL
#endif

#endif /* ASITE_LOAD_PAGE_COMPAT_H */
