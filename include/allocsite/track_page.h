/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of updates for pages, and for vmalloc and percpu objects: as track.h has it for
 * slab objects. Pages are followed in the page map, the others in the area table.
 *
 * Contexts: handlers' functions run in any, NMI included: no lock, no shared cache line written
 * but that of the frame's word, nothing that sleeps or allocates.
 */
#ifndef ALLOCSITE_TRACK_PAGE_H
#define ALLOCSITE_TRACK_PAGE_H

#include <linux/mm.h>

#include <allocsite/track.h>
#include <allocsite/walk.h>

/**
 * asite_track_pages_slow() - as asite_track_pages(), of any block, where nothing is known yet
 * @page: first page of the block
 * @order: log2 of how many
 * @address: a return address in the allocator
 * @at: where it stands on the stack
 * @bp: the frame pointer register there, or 0; see struct asite_at
 *
 * Context: any, NMI included.
 */
void asite_track_pages_slow(struct page *page, unsigned int order, unsigned long address,
			    unsigned long at, unsigned long bp);

/**
 * asite_track_pages_free_slow() - as asite_track_pages_free(), of any block
 * @page: first page
 * @order: log2 of how many
 *
 * Context: any, NMI included.
 */
void asite_track_pages_free_slow(struct page *page, unsigned int order);

/**
 * asite_track_pages_new() - count pages that are not followed yet, one by one
 * @pfn: first frame
 * @frames: how many; one compound page, or each a block of its own
 * @w: a return address in the allocator
 *
 * For what one call gives many pages of, some of which another event may have told of.
 *
 * Context: any, NMI included.
 */
void asite_track_pages_new(unsigned long pfn, unsigned long frames, const struct asite_at *w);

/**
 * asite_track_pages_old() - a page was there before a call that gives pages
 * @page: the page
 *
 * So it is not taken for one that the call gave, even if it was allocated before "on".
 *
 * Context: any, NMI included.
 */
void asite_track_pages_old(struct page *page);

/**
 * asite_track_pages_moved() - contents moved from pages to others
 * @to: first page of where to
 * @from: first page of where from
 * @frames: how many
 *
 * Context: any; the caller owns both.
 */
void asite_track_pages_moved(struct page *to, struct page *from, unsigned long frames);

/**
 * asite_track_area() - count an object of vmalloc() or of the per-CPU allocator
 * @object: its address
 * @tag: ASITE_TAG_VMALLOC or ASITE_TAG_PERCPU
 * @bytes: bytes it takes
 * @w: a return address in the allocator
 *
 * Context: any, NMI included.
 */
void asite_track_area(unsigned long object, unsigned long tag, u64 bytes,
		      const struct asite_at *w);

/**
 * asite_track_area_free() - the same goes back
 * @object: its address; one that is not followed is ignored
 * @tag: as when it was allocated
 *
 * Context: any, NMI included.
 */
void asite_track_area_free(unsigned long object, unsigned long tag);

/**
 * asite_track_area_resized() - it takes more or fewer bytes, in place
 * @object: its address; one that is not followed is ignored
 * @bytes: bytes it takes now
 *
 * Context: any, NMI included.
 */
void asite_track_area_resized(unsigned long object, u64 bytes);

/* Count one page, then publish its word; false if there is no place for it, or something there. */
static __always_inline bool asite_track_page_found(struct page *page, struct asite_key *key)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned long leaf = asite_pagemap_leaf(&asite_track.pages, pfn);
	u32 *word;

	if (unlikely(!leaf))
		return false;
	word = asite_pagemap_at(leaf, pfn);
	if (unlikely(READ_ONCE(*word)))
		return false;
	this_cpu_inc(key->counts->allocs);
	/* Keys that are found have no slot 0. */
	WRITE_ONCE(*word, (u32)key->bits);
	return true;
}

/**
 * asite_track_pages() - a block came from the page allocator
 * @page: its first page, not NULL
 * @order: log2 of how many
 * @address: a return address in the allocator
 * @at: where it stands on the stack
 * @bp: the frame pointer register there, or 0
 *
 * An address in a wrapper has no key, so what has one is the call site: it is looked for after
 * the two steps that most walks begin with, and nothing else is asked then.
 *
 * Context: any, NMI included.
 */
static __always_inline void asite_track_pages(struct page *page, unsigned int order,
					      unsigned long address, unsigned long at,
					      unsigned long bp)
{
	unsigned long place, caller;
	struct asite_key *key;

	if (unlikely(order))
		goto slow;
	place = asite_walk_chain(address, at);
	if (unlikely(!place))
		goto slow;
	caller = READ_ONCE_NOCHECK(*(unsigned long *)place);
	key = asite_sites_first(&asite_track.sites, caller, PAGE_SIZE | ASITE_TAG_PAGE);
	if (likely(asite_sites_is(key, caller, PAGE_SIZE | ASITE_TAG_PAGE)) &&
	    likely(asite_track_page_found(page, key)))
		return;
slow:
	asite_track_pages_slow(page, order, address, at, bp);
}

/**
 * asite_track_pages_free() - a block goes back to the page allocator
 * @page: its first page
 * @order: log2 of how many
 *
 * Context: any, NMI included; before the allocator has it back.
 */
static __always_inline void asite_track_pages_free(struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned long leaf = asite_pagemap_leaf(&asite_track.pages, pfn);
	u32 *place, word;

	if (unlikely(order || !leaf))
		goto slow;
	place = asite_pagemap_at(leaf, pfn);
	word = READ_ONCE(*place);
	if (unlikely(word - 1 >= ASITE_PAGE_FLAGS - 1))
		goto slow;
	WRITE_ONCE(*place, 0);
	/* A plain frame's word is where its slot's counters are found. */
	this_cpu_inc(asite_sites_counts_at(&asite_track.sites, word)->frees);
	return;
slow:
	asite_track_pages_free_slow(page, order);
}

#endif /* ALLOCSITE_TRACK_PAGE_H */
