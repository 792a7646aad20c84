/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the page, vmalloc and percpu allocators as each kernel has them; read by C and
 * assembly. Adding a kernel is adding its lines here and their questions to features.tbl.
 */
#ifndef COMPAT_PAGE_FUNCTIONS_H
#define COMPAT_PAGE_FUNCTIONS_H

#include <compat/if.h>

/*
 * ASITE_K_PAGE_ALLOC(F), ASITE_K_BULK(F), ASITE_K_PERCPU(F): F(event, function, handler, need) for
 * a function that a trampoline can call; arguments as in slab_functions.h.
 */

/* Each block passes it, and mm_page_alloc fires in it. */
#define ASITE_K_PAGE_ALLOC(F)							\
	/* to 5.12 */								\
	ASITE_IF(EXPORT_ALLOC_PAGES_NODEMASK,					\
		 F(mm_page_alloc, __alloc_pages_nodemask, pages, 1))		\
	/* to 6.9 */								\
	ASITE_IF(EXPORT_ALLOC_PAGES, F(mm_page_alloc, __alloc_pages, pages, 1))	\
	/* to 6.13 */								\
	ASITE_IF(EXPORT_ALLOC_PAGES_NOPROF,					\
		 F(mm_page_alloc, __alloc_pages_noprof, pages, 1))		\
	ASITE_IF(EXPORT_ALLOC_FROZEN_PAGES_NOPROF,				\
		 F(mm_page_alloc, __alloc_frozen_pages_noprof, pages, 1))

/* From 5.13 on. */
#define ASITE_K_BULK(F)								\
	ASITE_IF(EXPORT_ALLOC_PAGES_BULK,					\
		 F(alloc_pages_bulk, __alloc_pages_bulk, bulk, 0))		\
	ASITE_IF(EXPORT_ALLOC_PAGES_BULK_NOPROF,				\
		 F(alloc_pages_bulk, alloc_pages_bulk_noprof, bulk, 0))

/*
 * A contiguous range, by name: ASITE_K_CONTIG(F) is F(event, function, handler) of the function
 * that the others call. It is rare: a trampoline would let each "off" wait once more.
 */
#if ASITE_HAVE_EXPORT_ALLOC_CONTIG_FROZEN_RANGE_NOPROF
#define ASITE_K_CONTIG(F)							\
	F(alloc_contig_range, alloc_contig_frozen_range_noprof, on_contig_range)
#elif ASITE_HAVE_EXPORT_ALLOC_CONTIG_RANGE_NOPROF
#define ASITE_K_CONTIG(F)							\
	F(alloc_contig_range, alloc_contig_range_noprof, on_contig_range)
#else
#define ASITE_K_CONTIG(F)							\
	F(alloc_contig_range, alloc_contig_range, on_contig_range)
#endif

/* Before 6.10 it is static. */
#define ASITE_K_PERCPU(F)							\
	ASITE_IF(EXPORT_PCPU_ALLOC_NOPROF,					\
		 F(percpu_alloc_percpu, pcpu_alloc_noprof, percpu, 1))

/* That one, by name: F(event, function, handler). */
#if ASITE_HAVE_EXPORT_PCPU_ALLOC_NOPROF
#define ASITE_K_PERCPU_STATIC(F)
#else
#define ASITE_K_PERCPU_STATIC(F)	F(percpu_alloc_percpu, pcpu_alloc, asite_on_percpu)
#endif

/*
 * ASITE_K_PAGE_FREE(F): F(function, handler) for each function in which the free event of a block
 * fires, by its arguments. Together they see each block once.
 */
#if ASITE_HAVE_EXPORT_ALLOC_FROZEN_PAGES_NOPROF		/* from 6.14 */
#define ASITE_K_PAGE_FREE(F)							\
	F(__free_frozen_pages, on_free_frozen)					\
	F(free_unref_folios, on_free_folios)					\
	F(__free_pages_ok, on_free_pages_ok)					\
	F(free_pages_prepare, on_free_pages)
#elif ASITE_HAVE_EXPORT_ALLOC_PAGES_NOPROF		/* from 6.10 */
#define ASITE_K_PAGE_FREE(F)							\
	F(free_unref_page, on_free_pages)					\
	F(free_unref_folios, on_free_folios)					\
	F(__free_pages_ok, on_free_pages_ok)
#elif ASITE_HAVE_EXPORT_ALLOC_PAGES
#define ASITE_K_PAGE_FREE(F)							\
	F(free_pcp_prepare, on_free_pages)					\
	F(__free_pages_ok, on_free_pages_ok)
#else							/* to 5.12 */
#define ASITE_K_PAGE_FREE(F)							\
	F(free_pcp_prepare, on_free_page)					\
	F(__free_pages_ok, on_free_pages_ok)
#endif
/*
 * ASITE_K_COMPACTION_FREE(F): from 6.10 on compaction takes back a page that it moved nothing to
 * by a free. From 6.14 on a function that is hooked above sees that, before only its event does.
 */
#define ASITE_K_COMPACTION_FREE(F)						\
	ASITE_IF(EXPORT_ALLOC_PAGES_NOPROF, F(compaction_free))			\
	ASITE_IF(EXPORT_ALLOC_FROZEN_PAGES_NOPROF, F(compaction_free))
#define ASITE_K_COMPACTION_FREE_IS_EVENT	!ASITE_HAVE_EXPORT_ALLOC_FROZEN_PAGES_NOPROF
/* Nobody else whose free is seen calls __free_pages_ok(). */
#define ASITE_K_FREE_PAGES_OK_IS_ALONE	(!ASITE_HAVE_EXPORT_ALLOC_PAGES_NOPROF &&	\
					 !ASITE_HAVE_EXPORT_ALLOC_FROZEN_PAGES_NOPROF)

/* All of them. */
#define ASITE_K_PAGE_FUNCTIONS(F)						\
	ASITE_K_PAGE_ALLOC(F)							\
	ASITE_K_BULK(F)								\
	ASITE_K_PERCPU(F)

#endif /* COMPAT_PAGE_FUNCTIONS_H */
