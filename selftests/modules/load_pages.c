// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: one function per call of the page allocator, and the table of
 * what a tracker must say about them.
 *
 * As load_calls.c, whose rules hold here: noinline, a barrier after the call,
 * no look at a tracker. A row's req is the size of a block, which is what is
 * asked for; an object is a block whose first frame is still live, and what is
 * left of its bytes may be less. vmalloc, per-CPU memory and pools are in
 * load_areas.c, blocks that go in parts step by step in load_parts.c.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "load.h"
#include "load_page_compat.h"

/* High orders: no complaint, no OOM killer, but reclaim and compaction. */
#define LOAD_GFP	(GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#define ORDER(n)	(PAGE_SIZE << (n))

/* -- the ways to give blocks back ---------------------------------------- */

static void drop_block(void *obj, size_t req)
{
	__free_pages(obj, get_order(req));
}

static void drop_address(void *obj, size_t req)
{
	free_pages((unsigned long)obj, get_order(req));
}

static void drop_reference(void *obj, size_t req)
{
	put_page(obj);
}

static void drop_folio(void *obj, size_t req)
{
	asite_k_folio_put(obj);
}

/* One by one, the last first; step 2 leaves every other out. */
static void free_frames(struct page *page, unsigned int from, unsigned int to, unsigned int step)
{
	unsigned int i;

	for (i = to; i >= from + step; i -= step)
		__free_page(page + i - step);
}

static unsigned int frames_of(size_t req)
{
	return req >> PAGE_SHIFT;
}

static void drop_frames(void *obj, size_t req)
{
	free_frames(obj, 0, frames_of(req), 1);
}

static void drop_front(void *obj, size_t req)
{
	free_frames(obj, 0, frames_of(req) / 2, 1);
}

static void drop_back(void *obj, size_t req)
{
	free_frames(obj, frames_of(req) / 2, frames_of(req), 1);
}

static void drop_even(void *obj, size_t req)
{
	free_frames(obj, 0, frames_of(req), 2);
}

/* -- one block a call ---------------------------------------------------- */

static noinline __noclone void *load_alloc_pages(size_t req)
{
	void *page = alloc_pages(LOAD_GFP, get_order(req));

	barrier();
	return page;
}

static noinline __noclone void *load_alloc_page(size_t req)
{
	void *page = alloc_page(GFP_KERNEL);

	barrier();
	return page;
}

static noinline __noclone void *load_page_atomic(size_t req)
{
	void *page = alloc_page(GFP_ATOMIC);

	barrier();
	return page;
}

static noinline __noclone void *load_page_remote(size_t req)
{
	void *page = alloc_pages(GFP_KERNEL, get_order(req));

	barrier();
	return page;
}

static noinline __noclone void *load_pages_node(size_t req)
{
	void *page = alloc_pages_node(numa_node_id(), LOAD_GFP, get_order(req));

	barrier();
	return page;
}

static noinline __noclone void *load_free_pages(size_t req)
{
	void *addr = (void *)__get_free_pages(LOAD_GFP, get_order(req));

	barrier();
	return addr;
}

static noinline __noclone void *load_zeroed_page(size_t req)
{
	void *addr = (void *)get_zeroed_page(GFP_KERNEL);

	barrier();
	return addr;
}

static noinline __noclone void *load_pages_nolock(size_t req)
{
	void *page = asite_k_alloc_pages_nolock(0);

	barrier();
	return page;
}

static noinline __noclone void *load_folio(size_t req)
{
	void *page = asite_k_folio_alloc(LOAD_GFP, get_order(req));

	barrier();
	return page;
}

/* A compound block: freed whole, by whoever drops the last reference. */
static noinline __noclone void *load_compound(size_t req)
{
	void *page = alloc_pages(LOAD_GFP | __GFP_COMP, get_order(req));

	barrier();
	return page;
}

/* __free_pages() of one that is held on to is no more than a put_page(). */
static noinline __noclone void *load_compound_held(size_t req)
{
	struct page *page = alloc_pages(LOAD_GFP | __GFP_COMP, get_order(req));

	barrier();
	if (page) {
		get_page(page);
		__free_pages(page, get_order(req));
	}
	return page;
}

/* -- blocks of which a part is free -------------------------------------- */

/* More than half of a block: what is above it goes back at once. */
static size_t exact_bytes(size_t req)
{
	return get_order(req) ? req / 2 + PAGE_SIZE : PAGE_SIZE;
}

#define EXACT_LEFT(n)	((n) ? ORDER(n) / 2 + PAGE_SIZE : PAGE_SIZE)

static noinline __noclone void *load_exact(size_t req)
{
	void *addr = alloc_pages_exact(exact_bytes(req), LOAD_GFP);

	barrier();
	return addr;
}

static void drop_exact(void *obj, size_t req)
{
	free_pages_exact(obj, exact_bytes(req));
}

/* Not compound and held on to: its tails are freed, the first page stays. */
static noinline __noclone void *load_tails(size_t req)
{
	struct page *page = alloc_pages(LOAD_GFP, get_order(req));

	barrier();
	if (page) {
		get_page(page);
		__free_pages(page, get_order(req));
	}
	return page;
}

static noinline __noclone void *load_split(size_t req)
{
	struct page *page = alloc_pages(LOAD_GFP, get_order(req));

	barrier();
	if (page)
		split_page(page, get_order(req));
	return page;
}

/* The back half is free: the first frame, and so the object, stays. */
static noinline __noclone void *load_split_front(size_t req)
{
	struct page *page = alloc_pages(LOAD_GFP, get_order(req));

	barrier();
	if (page) {
		split_page(page, get_order(req));
		drop_back(page, req);
	}
	return page;
}

static noinline __noclone void *load_split_back(size_t req)
{
	struct page *page = alloc_pages(LOAD_GFP, get_order(req));

	barrier();
	if (page) {
		split_page(page, get_order(req));
		drop_front(page, req);
	}
	return page;
}

/* Every other page is free, the last one among them. */
static noinline __noclone void *load_split_even(size_t req)
{
	struct page *page = alloc_pages(LOAD_GFP, get_order(req));

	barrier();
	if (page) {
		split_page(page, get_order(req));
		free_frames(page, 1, frames_of(req) + 1, 2);
	}
	return page;
}

/* -- bulk ---------------------------------------------------------------- */

#define LOAD_BULK_NR		227
#define LOAD_FILLED_NR		61
#define LOAD_PREFILLED_NR	7
#define LOAD_LISTED_NR		109

/* It gives what it has at hand, be it one page: asked until there are enough. */
static noinline __noclone int load_bulk_array(void **objs, unsigned int nr)
{
	struct page **pages = (struct page **)objs;
	unsigned long got = 0;
	int i;

	memset(objs, 0, nr * sizeof(*objs));
	for (i = 0; got < nr && i < nr; i++)
		got = asite_k_alloc_pages_bulk_array(GFP_KERNEL, nr, pages);
	barrier();
	return got == nr ? 0 : -ENOMEM;
}

/* Places of the array that are filled before the allocator gets it. */
#define LOAD_PREFILLED(i)	((i) % 11 == 0)

static void *load_prefilled[LOAD_PREFILLED_NR];

static noinline __noclone void *load_bulk_prefill(size_t req)
{
	void *page = alloc_page(GFP_KERNEL);

	barrier();
	return page;
}

static int take_prefilled(void **objs, unsigned int nr)
{
	memcpy(objs, load_prefilled, nr * sizeof(*objs));
	return 0;
}

static noinline __noclone int load_bulk_filled(void **objs, unsigned int nr)
{
	static struct page *pages[LOAD_FILLED_NR + LOAD_PREFILLED_NR];
	unsigned long got = 0;
	int i, tries;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = LOAD_PREFILLED(i) ? load_bulk_prefill(PAGE_SIZE) : NULL;
	for (tries = 0; got < ARRAY_SIZE(pages) && tries < nr; tries++)
		got = asite_k_alloc_pages_bulk_array(GFP_KERNEL, ARRAY_SIZE(pages), pages);
	barrier();
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		if (got < ARRAY_SIZE(pages) && pages[i])
			__free_page(pages[i]);
		else if (LOAD_PREFILLED(i))
			load_prefilled[i / 11] = pages[i];
		else
			*objs++ = pages[i];
	}
	return got < ARRAY_SIZE(pages) ? -ENOMEM : 0;
}

static noinline __noclone int load_bulk_list(void **objs, unsigned int nr)
{
	struct page *page, *next;
	unsigned int got = 0;
	LIST_HEAD(list);
	int i;

	for (i = 0; got < nr && i < nr; i++)
		got += asite_k_alloc_pages_bulk_list(GFP_KERNEL, nr - got, &list);
	barrier();
	list_for_each_entry_safe(page, next, &list, lru) {
		list_del(&page->lru);
		if (got < nr)
			__free_page(page);
		else
			*objs++ = page;
	}
	return got < nr ? -ENOMEM : 0;
}

/* -- contiguous ranges --------------------------------------------------- */

#define LOAD_PLACE_ORDER	10
#define LOAD_PLACE_TRIES	50

/* Times a place was looked for since mark. */
static unsigned long load_places;

/* Where so many free pages in a row have just been. */
static noinline __noclone unsigned long load_contig_place(void)
{
	struct page *page = alloc_pages(LOAD_GFP, LOAD_PLACE_ORDER);

	barrier();
	if (!page)
		return 0;
	load_places++;
	__free_pages(page, LOAD_PLACE_ORDER);
	return page_to_pfn(page);
}

static noinline __noclone int load_contig_range(void **objs, unsigned int nr)
{
	unsigned long pfn;
	int i, tries, err = -EBUSY;

	/* Somebody else may have been faster. */
	for (tries = 0; err && tries < LOAD_PLACE_TRIES; tries++) {
		pfn = load_contig_place();
		if (pfn)
			err = asite_k_alloc_contig_range(pfn, pfn + nr, GFP_KERNEL);
	}
	barrier();
	for (i = 0; !err && i < nr; i++)
		objs[i] = pfn_to_page(pfn + i);
	return err;
}

static noinline __noclone int load_contig_pages(void **objs, unsigned int nr)
{
	struct page *page = asite_k_alloc_contig_pages(nr, GFP_KERNEL);
	int i;

	barrier();
	for (i = 0; page && i < nr; i++)
		objs[i] = page + i;
	return page ? 0 : -ENOMEM;
}

/* -- fragments ----------------------------------------------------------- */

#define LOAD_FRAG_BLOCK		PAGE_FRAG_CACHE_MAX_SIZE
#define LOAD_FRAG_SIZE		(LOAD_FRAG_BLOCK / 4)

/* A block is held by its fragments alone, one of them gone already. */
static noinline __noclone void *load_page_frag(size_t req)
{
	struct page_frag_cache cache = {};
	void *frags[LOAD_FRAG_BLOCK / LOAD_FRAG_SIZE];
	int i;

	for (i = 0; i < ARRAY_SIZE(frags); i++)
		frags[i] = page_frag_alloc(&cache, LOAD_FRAG_SIZE, GFP_KERNEL);
	barrier();
	asite_k_page_frag_cache_drain(&cache);
	if (frags[0])
		page_frag_free(frags[0]);
	return frags[1] ? virt_to_head_page(frags[1]) : NULL;
}

static void drop_frags(void *obj, size_t req)
{
	char *addr = page_address(obj);
	int i;

	for (i = 1; i < LOAD_FRAG_BLOCK / LOAD_FRAG_SIZE; i++)
		page_frag_free(addr + i * LOAD_FRAG_SIZE);
}

/* -- the table ----------------------------------------------------------- */

/* LOAD_PAGES(function, order, nr, how they go back, more) */
#define LOAD_PAGES(fn, n, count, how, ...) \
	{ #fn, "page", "-", ORDER(n), ORDER(n), count, fn, .way = LOAD_DROP, .drop = how, \
	  __VA_ARGS__ }
#define LOAD_MANY_PAGES(fn, count, call, how, ...) \
	{ #fn, "page", "-", PAGE_SIZE, PAGE_SIZE, count, .many = call, .way = LOAD_DROP, \
	  .drop = how, __VA_ARGS__ }

/* Pages are freed under locks that sleep on RT: no hard interrupt there. */
#define LOAD_PAGE_IRQ	(IS_ENABLED(CONFIG_PREEMPT_RT) ? LOAD_SOFTIRQ : LOAD_HARDIRQ)

const struct load_site load_page_table[] = {
	LOAD_PAGES(load_alloc_pages, 0, 283, drop_block),
	LOAD_PAGES(load_alloc_pages, 1, 149, drop_block, .free_place = LOAD_SOFTIRQ),
	LOAD_PAGES(load_alloc_pages, 2, 71, drop_block, .free_place = LOAD_OTHER_CPU),
	LOAD_PAGES(load_alloc_pages, 3, 37, drop_block, .free_place = LOAD_PAGE_IRQ),
	LOAD_PAGES(load_alloc_pages, 4, 19, drop_block),
	LOAD_PAGES(load_alloc_pages, 5, 11, drop_block),
	LOAD_PAGES(load_alloc_pages, 6, 7, drop_block),
	LOAD_PAGES(load_alloc_pages, 7, 5, drop_block),
	LOAD_PAGES(load_alloc_pages, 8, 3, drop_block),
	LOAD_PAGES(load_alloc_pages, 9, 3, drop_block),
	LOAD_PAGES(load_alloc_pages, 10, 2, drop_block),
	LOAD_PAGES(load_alloc_page, 0, 293, drop_block, .free_place = LOAD_OTHER_CPU),
	LOAD_PAGES(load_page_atomic, 0, 53, drop_block, .alloc_place = LOAD_SOFTIRQ,
		   .free_place = LOAD_PAGE_IRQ),
	LOAD_PAGES(load_page_remote, 0, 157, drop_block, .alloc_place = LOAD_OTHER_CPU),
	LOAD_PAGES(load_page_remote, 2, 41, drop_block, .alloc_place = LOAD_OTHER_CPU),
	LOAD_PAGES(load_pages_node, 0, 163, drop_block),
	LOAD_PAGES(load_pages_node, 3, 17, drop_block),
	LOAD_PAGES(load_free_pages, 0, 167, drop_address, .free_place = LOAD_SOFTIRQ),
	LOAD_PAGES(load_free_pages, 3, 13, drop_address),
	LOAD_PAGES(load_free_pages, 9, 2, drop_address),
	LOAD_PAGES(load_zeroed_page, 0, 173, drop_address),
	LOAD_PAGES(load_pages_nolock, 0, 59, drop_block, .alloc_place = LOAD_STOPPED,
		   .absent = ASITE_K_NO_PAGES_NOLOCK),
	LOAD_PAGES(load_folio, 0, 179, drop_folio, .absent = ASITE_K_NO_FOLIO),
	LOAD_PAGES(load_folio, 3, 19, drop_folio, .absent = ASITE_K_NO_FOLIO),
	LOAD_PAGES(load_folio, 9, 2, drop_folio, .absent = ASITE_K_NO_FOLIO),

	LOAD_PAGES(load_compound, 3, 23, drop_reference, .free_place = LOAD_OTHER_CPU),
	LOAD_PAGES(load_compound, 9, 3, drop_reference),
	LOAD_PAGES(load_compound_held, 3, 29, drop_reference, .free_place = LOAD_SOFTIRQ),
	LOAD_PAGES(load_compound_held, 9, 2, drop_reference),

	LOAD_PAGES(load_exact, 0, 181, drop_exact, .left = EXACT_LEFT(0)),
	LOAD_PAGES(load_exact, 3, 31, drop_exact, .left = EXACT_LEFT(3)),
	LOAD_PAGES(load_exact, 9, 3, drop_exact, .left = EXACT_LEFT(9)),
	LOAD_PAGES(load_tails, 0, 191, drop_reference),
	LOAD_PAGES(load_tails, 3, 43, drop_reference, .left = PAGE_SIZE),
	LOAD_PAGES(load_tails, 9, 3, drop_reference, .left = PAGE_SIZE),
	LOAD_PAGES(load_split, 0, 193, drop_frames),
	LOAD_PAGES(load_split, 3, 47, drop_frames, .free_place = LOAD_SOFTIRQ),
	LOAD_PAGES(load_split, 9, 2, drop_frames),
	LOAD_PAGES(load_split_front, 3, 53, drop_front, .left = ORDER(3) / 2),
	LOAD_PAGES(load_split_front, 9, 3, drop_front, .left = ORDER(9) / 2),
	LOAD_PAGES(load_split_back, 3, 59, drop_back, .left = ORDER(3) / 2, .headless = true),
	LOAD_PAGES(load_split_back, 9, 5, drop_back, .left = ORDER(9) / 2, .headless = true),
	LOAD_PAGES(load_split_even, 3, 61, drop_even, .left = ORDER(3) / 2),
	LOAD_PAGES(load_split_even, 9, 3, drop_even, .left = ORDER(9) / 2),

	LOAD_MANY_PAGES(load_bulk_array, LOAD_BULK_NR, load_bulk_array, drop_block,
			.absent = ASITE_K_NO_BULK_ARRAY),
	LOAD_MANY_PAGES(load_bulk_filled, LOAD_FILLED_NR, load_bulk_filled, drop_block,
			.absent = ASITE_K_NO_BULK_ARRAY),
	LOAD_MANY_PAGES(load_bulk_prefill, LOAD_PREFILLED_NR, take_prefilled, drop_block,
			.absent = ASITE_K_NO_BULK_ARRAY),
	LOAD_MANY_PAGES(load_bulk_list, LOAD_LISTED_NR, load_bulk_list, drop_block,
			.absent = ASITE_K_NO_BULK_LIST),
	LOAD_MANY_PAGES(load_contig_range, 67, load_contig_range, drop_block),
	{ "load_contig_place", "page", "-", ORDER(LOAD_PLACE_ORDER), ORDER(LOAD_PLACE_ORDER),
	  .claim = LOAD_PASSING, .calls = &load_places },
	LOAD_MANY_PAGES(load_contig_pages, 73, load_contig_pages, drop_block,
			.absent = ASITE_K_NO_CONTIG_PAGES),

	LOAD_PAGES(load_page_frag, 3, 67, drop_frags),
};

const unsigned int load_page_table_rows = ARRAY_SIZE(load_page_table);

void load_pages_mark(void)
{
	load_places = 0;
}
