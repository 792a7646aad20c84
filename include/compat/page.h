/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels in the functions that give, take and move pages: arguments, and
 * which of them are hooked by name. What each of them sees, and why together they see every
 * block once, is in module/README.md.
 */
#ifndef COMPAT_PAGE_H
#define COMPAT_PAGE_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include <compat/if.h>

#if ASITE_HAVE_HEADER_FOLIO_BATCH
#include <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif

#if ASITE_HAVE_EXPORT_ALLOC_FROZEN_PAGES_NOPROF
/* Exported, declared in mm/internal.h. */
struct page *__alloc_frozen_pages_noprof(gfp_t gfp, unsigned int order, int nid,
					 nodemask_t *nodemask, unsigned int alloc_flags);
#endif

/* Arguments of the bulk function, from 0: how many pages, and where to; 6.14 lost the list. */
#define ASITE_K_BULK_NR		3
#define ASITE_K_BULK_LIST	(ASITE_HAVE_BULK_LIST_NOPROF || ASITE_HAVE_BULK_LIST_OLD)

static inline struct page **asite_k_bulk_array(const unsigned long *args)
{
	return (struct page **)args[ASITE_K_BULK_LIST ? 5 : 4];
}

static inline struct list_head *asite_k_bulk_list(const unsigned long *args)
{
	return ASITE_K_BULK_LIST ? (struct list_head *)args[4] : NULL;
}

/* Migration: one function that each moved folio passes once, when nothing can fail any more. */
#if ASITE_HAVE_EXPORT_FOLIO_MIGRATE_FLAGS
#define ASITE_K_MIGRATE		folio_migrate_flags
#else
#define ASITE_K_MIGRATE		migrate_page_states
#endif

/*
 * vmalloc(): one function that each area passes. Until 5.12 the one with the size is part of its
 * callers; what takes the pages of the area is not.
 */
#if ASITE_HAVE_EXPORT_ALLOC_PAGES_NODEMASK
#define ASITE_K_VMALLOC		__vmalloc_area_node
#elif ASITE_HAVE_EXPORT_VMALLOC_NOPROF
#define ASITE_K_VMALLOC		__vmalloc_node_range_noprof
#else
#define ASITE_K_VMALLOC		__vmalloc_node_range
#endif

/* Bytes of the area, from that function's first argument. */
static inline unsigned long asite_k_vmalloc_bytes(unsigned long arg)
{
#if ASITE_HAVE_EXPORT_ALLOC_PAGES_NODEMASK
	const struct vm_struct *area = (const struct vm_struct *)arg;

	return get_vm_area_size(area);
#else
	return PAGE_ALIGN(arg);
#endif
}

/*
 * Functions in which a block's free event fires. Some jump to another, which would see the block
 * again: a flag among the arguments tells.
 */
#define ASITE_K_FPI_TO_TAIL	2UL
#define ASITE_K_FPI_PREPARED	8UL

typedef void (*asite_k_free_t)(struct page *page, unsigned int order);

/* Each block of the batch that a function was given to free. */
static __always_inline void asite_k_free_folios(unsigned long batch, asite_k_free_t free)
{
#if ASITE_HAVE_EXPORT_ALLOC_FROZEN_PAGES_NOPROF || ASITE_HAVE_EXPORT_ALLOC_PAGES_NOPROF
	const struct folio_batch *b = (const struct folio_batch *)batch;
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		free(&b->folios[i]->page, folio_order(b->folios[i]));
#endif
}

#endif /* COMPAT_PAGE_H */
