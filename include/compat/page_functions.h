/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the page, vmalloc and percpu allocators as each kernel has them. Adding a kernel
 * is adding its lines here and their questions to features.tbl.
 */
#ifndef COMPAT_PAGE_FUNCTIONS_H
#define COMPAT_PAGE_FUNCTIONS_H

#include <linux/list.h>
#include <linux/mm.h>

#include <allocsite/track_page.h>
#include <compat/if.h>

/* Wraps one line of a table: ROW(event, function, ...) with the function this kernel has. */
#if ASITE_HAVE_EXPORT_ALLOC_PAGES_BULK_NOPROF
#define ASITE_K_BULK(ROW, event, ...)	ROW(event, alloc_pages_bulk_noprof, __VA_ARGS__)
#elif ASITE_HAVE_EXPORT___ALLOC_PAGES_BULK
#define ASITE_K_BULK(ROW, event, ...)	ROW(event, __alloc_pages_bulk, __VA_ARGS__)
#else
#define ASITE_K_BULK(ROW, event, ...)
#endif

#if ASITE_HAVE_EXPORT_ALLOC_CONTIG_FROZEN_RANGE_NOPROF
#define ASITE_K_CONTIG(ROW, event, ...)	ROW(event, alloc_contig_frozen_range_noprof, __VA_ARGS__)
#elif ASITE_HAVE_EXPORT_ALLOC_CONTIG_RANGE_NOPROF
#define ASITE_K_CONTIG(ROW, event, ...)	ROW(event, alloc_contig_range_noprof, __VA_ARGS__)
#else
#define ASITE_K_CONTIG(ROW, event, ...)	ROW(event, alloc_contig_range, __VA_ARGS__)
#endif

#if ASITE_HAVE_EXPORT_FOLIO_MIGRATE_FLAGS
#define ASITE_K_MIGRATE(ROW, event, ...)	ROW(event, folio_migrate_flags, __VA_ARGS__)
#else
#define ASITE_K_MIGRATE(ROW, event, ...)	ROW(event, migrate_page_states, __VA_ARGS__)
#endif

#if ASITE_HAVE_EXPORT_VMALLOC_NOPROF
#define ASITE_K_VMALLOC(ROW, event, ...)	ROW(event, __vmalloc_node_range_noprof, __VA_ARGS__)
#else
#define ASITE_K_VMALLOC(ROW, event, ...)	ROW(event, __vmalloc_node_range, __VA_ARGS__)
#endif

/* Arguments of the bulk function; 6.14 lost the list. */
#define ASITE_K_BULK_LIST	(ASITE_HAVE_BULK_LIST_NOPROF || ASITE_HAVE_BULK_LIST_OLD)
#define ASITE_K_BULK_NR		3

static inline struct page **asite_k_bulk_array(const unsigned long *args)
{
	return (struct page **)args[ASITE_K_BULK_LIST ? 5 : 4];
}

/* Pages that came into the list: at its head, @nr of them. */
static inline void asite_k_bulk_list(const unsigned long *args, unsigned long nr,
				     const struct asite_at *w)
{
	struct list_head *list = ASITE_K_BULK_LIST ? (struct list_head *)args[4] : NULL;
	struct page *page;

	if (!list)
		return;
	list_for_each_entry(page, list, lru) {
		if (!nr--)
			return;
		asite_track_pages_new(page_to_pfn(page), 1, w);
	}
}

#endif /* COMPAT_PAGE_FUNCTIONS_H */
