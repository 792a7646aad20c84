// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page, vmalloc and percpu families: rows of the hook table and the handlers that decode
 * them. No counters and no locks here: handlers call track_page.h.
 *
 * None of these events tells a call site that means something: each handler hands over where
 * it was called from, and the walk (walk.h) goes on from there.
 *
 * Contexts: handlers run in any context, NMI included, under any lock.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include <allocsite/families.h>
#include <allocsite/hooks.h>
#include <allocsite/page_memory.h>
#include <allocsite/stats.h>
#include <allocsite/track_page.h>
#include <allocsite/tramp.h>
#include <compat/entry.h>
#include <compat/if.h>
#include <compat/page.h>
#include <compat/page_functions.h>
#include <compat/trace_page.h>

/*
 * A handler's own frame: the return address into the function that fired the event, where it
 * stands, and that function's frame pointer register, which the handler's frame saved.
 */
#define FRAME()		((const unsigned long *)__builtin_frame_address(0))
#define FRAME_BP(frame)		((frame)[0])
#define FRAME_ADDRESS(frame)	((frame)[1])
#define FRAME_AT(frame)		((unsigned long)((frame) + 1))

/* A function's caller, as the backends tell it. */
static __always_inline struct asite_at at_caller(unsigned long caller, unsigned long at)
{
	return (struct asite_at){ .address = caller, .at = at, .class = ASITE_CLASS_CALLER };
}

/* Tracepoints: not exported, found by name. */

struct search {
	const char *name;
	struct tracepoint *found;
};

static void match_name(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct tracepoint *find_tracepoint(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(match_name, &search);
	return search.found;
}

static int register_by_name(const char *name, void *probe)
{
	struct tracepoint *tp = find_tracepoint(name);

	return tp ? tracepoint_probe_register(tp, probe, NULL) : -ENOENT;
}

static void unregister_by_name(const char *name, void *probe)
{
	tracepoint_probe_unregister(find_tracepoint(name), probe, NULL);
}

#define TRACEPOINT(event)						\
static int register_##event(void)					\
{									\
	check_trace_callback_type_##event(on_##event);			\
	return register_by_name(#event, on_##event);			\
}									\
static void unregister_##event(void)					\
{									\
	unregister_by_name(#event, on_##event);				\
}

static void notrace on_mm_page_alloc(void *data, ASITE_K_MM_PAGE_ALLOC_ARGS)
{
	const unsigned long *frame = FRAME();

	if (likely(page))
		asite_track_pages(page, order, FRAME_ADDRESS(frame), FRAME_AT(frame),
				  FRAME_BP(frame));
}

static void notrace on_mm_page_free(void *data, ASITE_K_MM_PAGE_FREE_ARGS)
{
	asite_track_pages_free(page, order);
}

/* Of each CPU's copy the same. A failed allocation has no such event. */
static u64 percpu_bytes(size_t size)
{
	return (u64)ALIGN(size, PCPU_MIN_ALLOC_SIZE) * num_possible_cpus();
}

static void notrace on_percpu_alloc_percpu(void *data, ASITE_K_PERCPU_ALLOC_ARGS)
{
	const unsigned long *frame = FRAME();
	struct asite_at here = at_caller(FRAME_ADDRESS(frame), FRAME_AT(frame));

	here.bp = FRAME_BP(frame);
	asite_track_area((__force unsigned long)ptr, ASITE_TAG_PERCPU, percpu_bytes(size), &here);
}

static void notrace on_percpu_free_percpu(void *data, ASITE_K_PERCPU_FREE_ARGS)
{
	asite_track_area_free((__force unsigned long)ptr, ASITE_TAG_PERCPU);
}

TRACEPOINT(mm_page_alloc)
TRACEPOINT(mm_page_free)
TRACEPOINT(percpu_alloc_percpu)
TRACEPOINT(percpu_free_percpu)

/* Results of functions: args are the first six arguments. */

void asite_on_pages(unsigned long caller, unsigned long result, const unsigned long *args,
		    unsigned long at)
{
	if (result)
		asite_track_pages((struct page *)result, args[1], caller, at, 0);
}

/* Pages that came into a list: at its head. */
static void track_list(const struct list_head *list, unsigned long nr, const struct asite_at *w)
{
	struct page *page;

	list_for_each_entry(page, list, lru) {
		if (!nr--)
			return;
		asite_track_pages_new(page_to_pfn(page), 1, w);
	}
}

/* Some of the entries may have been there before: those have a word by now. */
void asite_on_bulk(unsigned long caller, unsigned long result, const unsigned long *args,
		   unsigned long at)
{
	struct asite_at w = at_caller(caller, at);
	struct page **pages = asite_k_bulk_array(args);
	int i, nr = args[ASITE_K_BULK_NR];

	for (i = 0; pages && i < nr; i++) {
		if (pages[i])
			asite_track_pages_new(page_to_pfn(pages[i]), 1, &w);
	}
	if (asite_k_bulk_list(args))
		track_list(asite_k_bulk_list(args), result, &w);
}

/* Returns 0 or a negative errno. Its pages were isolated: on_isolate() saw them. */
static void on_contig_range(unsigned long caller, unsigned long result,
			    const unsigned long *args, unsigned long at)
{
	unsigned long frames = args[1] - args[0];
	struct asite_at w = at_caller(caller, at);

	if ((int)result)
		return;
	asite_track_pages_new(args[0], frames, &w);
	asite_stat_add(ASITE_STAT_ISOLATED_BACK, frames);
}

/*
 * (page, order), returns the number of pages, an int. Each will be freed with an event, itself or
 * what was moved there from, unless it is put back or part of a contiguous range.
 */
static void on_isolate(unsigned long caller, unsigned long result, const unsigned long *args,
		       unsigned long at)
{
	asite_stat_add(ASITE_STAT_ISOLATED, (unsigned int)result);
}

void asite_on_percpu(unsigned long caller, unsigned long result, const unsigned long *args,
		     unsigned long at)
{
	struct asite_at w = at_caller(caller, at);

	if (result)
		asite_track_area(result, ASITE_TAG_PERCPU, percpu_bytes(args[0]), &w);
}

/* vmalloc() and its kin; what it takes beyond the size asked for is backing. */
static void on_vmalloc(unsigned long caller, unsigned long result, const unsigned long *args,
		       unsigned long at)
{
	struct asite_at w = at_caller(caller, at);

	if (result)
		asite_track_area(result, ASITE_TAG_VMALLOC, asite_k_vmalloc_bytes(args[0]), &w);
}

/* Entries of functions. */

static bool has_free_event(void);

static void __maybe_unused on_bulk_entry(const unsigned long *args)
{
	struct page **pages = asite_k_bulk_array(args);
	int i, nr = args[ASITE_K_BULK_NR];

	for (i = 0; pages && i < nr; i++) {
		if (pages[i])
			asite_track_pages_old(pages[i]);
	}
}

/* (page, order) */
static void __maybe_unused on_free_pages(const unsigned long *args)
{
	asite_track_pages_free((struct page *)args[0], args[1]);
}

/* (page, order, flags): the others come from a function that is hooked, too. */
static void on_free_pages_ok(const unsigned long *args)
{
	if (ASITE_K_FREE_PAGES_OK_IS_ALONE || args[2] & ASITE_K_FPI_TO_TAIL)
		asite_track_pages_free((struct page *)args[0], args[1]);
}

/* The same; some of the pages may have been prepared, which fired their event. */
static void __maybe_unused on_free_frozen(const unsigned long *args)
{
	if (!(args[2] & ASITE_K_FPI_PREPARED))
		asite_track_pages_free((struct page *)args[0], args[1]);
}

/* The function moves entries about: read at entry. */
static void __maybe_unused on_free_folios(const unsigned long *args)
{
	asite_k_free_folios(args[0], asite_track_pages_free);
}

/* (page), of order 0 */
static void __maybe_unused on_free_page(const unsigned long *args)
{
	asite_track_pages_free((struct page *)args[0], 0);
}

static void on_remove_vm_area(const unsigned long *args)
{
	asite_track_area_free(args[0], ASITE_TAG_VMALLOC);
}

/* (area, first page, end): of all pages when it is freed, of the last ones when it is cut. */
static void __maybe_unused on_area_free_pages(const unsigned long *args)
{
	const struct vm_struct *area = (const struct vm_struct *)args[0];

	if (args[1])
		asite_track_area_resized((unsigned long)area->addr, args[1] << PAGE_SHIFT);
}

static void on_free_percpu(const unsigned long *args)
{
	if (args[0])
		asite_track_area_free(args[0], ASITE_TAG_PERCPU);
}

/* (page, order, migrate type) */
static void on_put_back(const unsigned long *args)
{
	asite_stat_add(ASITE_STAT_ISOLATED_BACK, 1UL << args[1]);
}

/* (folio, data): the kernel keeps it isolated, if nobody else looks at it. */
static void __maybe_unused on_compaction_free(const unsigned long *args)
{
	struct page *page = (struct page *)args[0];

	if (page_ref_count(page) == 1 && (!ASITE_K_COMPACTION_FREE_IS_EVENT || has_free_event()))
		asite_stat_add(ASITE_STAT_ISOLATED_KEPT, compound_nr(page));
}

static void on_migrate(const unsigned long *args)
{
	struct page *to = (struct page *)args[0], *from = (struct page *)args[1];

	asite_track_pages_moved(to, from, compound_nr(to));
}

/* Rows. */

#define TRACEPOINT_ROW(event_, system, free, sentence) {			\
	.event = #event_, .symbol = system ":" #event_,				\
	.is_free = free, .required = true, .not_seen = sentence,		\
	.tp_register = register_##event_, .tp_unregister = unregister_##event_ },

/* A trampoline calls it by name. */
#define FUNCTION_ROW(event_, function, handler, need) {				\
	.event = #event_, .symbol = #function, .address = (unsigned long)function, \
	.required = need, .not_seen = "what " #function "() allocates is not seen", \
	.tramp = asite_tramp_##function, .on_result = asite_on_##handler },

/* Not exported, or with more arguments than a trampoline hands on. */
#define BY_NAME_ROW(event_, function, handler) BY_NAME_ROW_(event_, function, handler)
#define BY_NAME_ROW_(event_, function, handler) {				\
	.event = #event_, .symbol = #function, .by_name = true,			\
	.not_seen = "what " #function "() allocates is not seen", .on_result = handler },

#define ENTRY_ROW(event_, function, handler, need, sentence)			\
	ENTRY_ROW_(event_, function, handler, need, sentence)
#define ENTRY_ROW_(event_, function, handler, need, sentence) {			\
	.event = #event_, .symbol = #function, .look_up = true, .is_free = true, \
	.required = need, .not_seen = sentence, .on_entry = handler },

#define ISOLATE_NOT_SEEN	"unknown freed pages and the residual have isolated ones in them"
#define COMPACTION_FREE_ROW(function)						\
	ENTRY_ROW_(isolate, function, on_compaction_free, false, ISOLATE_NOT_SEEN)

#define FREE_ROW(function, handler)						\
	ENTRY_ROW_(mm_page_free, function, handler, true, "freed pages would stay live")
#define BULK_OLD_ROW(event_, function, handler, need)				\
	ENTRY_ROW_(alloc_pages_bulk_old, function, on_bulk_entry, false,	\
		   "pages from before 'on' may be taken for allocated in bulk")

static struct asite_hook page_hooks[] = {
	TRACEPOINT_ROW(mm_page_alloc, "kmem", false, "pages are not seen")
	ASITE_K_PAGE_ALLOC(FUNCTION_ROW)
	ASITE_K_BULK(FUNCTION_ROW)
	ASITE_K_BULK(BULK_OLD_ROW)
	ASITE_K_CONTIG(BY_NAME_ROW)
	TRACEPOINT_ROW(mm_page_free, "kmem", true, "freed pages would stay live")
	ASITE_K_PAGE_FREE(FREE_ROW)
	ENTRY_ROW(migrate, ASITE_K_MIGRATE, on_migrate, false,
		  "pages that are migrated are charged to who migrates them")
	{
		.event = "isolate", .symbol = "__isolate_free_page", .by_name = true,
		.not_seen = ISOLATE_NOT_SEEN, .on_result = on_isolate,
	},
	ENTRY_ROW(isolate, __putback_isolated_page, on_put_back, false, ISOLATE_NOT_SEEN)
	ASITE_K_COMPACTION_FREE(COMPACTION_FREE_ROW)
};

static bool has_free_event(void)
{
	const struct asite_hook *hook;

	for (hook = page_hooks; hook < page_hooks + ARRAY_SIZE(page_hooks); hook++) {
		if (hook->tp_register == register_mm_page_free)
			return hook->state == ASITE_HOOK_ATTACHED;
	}
	return false;
}

static struct asite_hook vmalloc_hooks[] = {
	BY_NAME_ROW(vmalloc, ASITE_K_VMALLOC, on_vmalloc)
	ENTRY_ROW(vfree, remove_vm_area, on_remove_vm_area, false,
		  "areas given to vfree() stay live")
	ASITE_IF(EXPORT_VREALLOC_NODE_ALIGN_NOPROF,
		 ENTRY_ROW(vrealloc, vm_area_free_pages, on_area_free_pages, false,
			   "areas that vrealloc() makes smaller keep their size"))
};

static struct asite_hook percpu_hooks[] = {
	TRACEPOINT_ROW(percpu_alloc_percpu, "percpu", false, "per-CPU objects are not seen")
	ASITE_K_PERCPU(FUNCTION_ROW)
	ASITE_K_PERCPU_STATIC(BY_NAME_ROW)
	TRACEPOINT_ROW(percpu_free_percpu, "percpu", true,
		       "per-CPU objects that were freed would stay live")
	ENTRY_ROW(percpu_free_percpu, free_percpu, on_free_percpu, true,
		  "per-CPU objects that were freed would stay live")
};

/* Handlers of entries, by ftrace: its rows are few, and none of them is hot. */

static bool entry_of(const struct asite_family *family, unsigned long ip,
		     const unsigned long *args)
{
	const struct asite_hook *hook;

	for (hook = family->hooks; hook < family->hooks + family->nr; hook++) {
		if (!hook->on_entry || !hook->address || !ASITE_K_IS_ENTRY(ip, hook->address))
			continue;
		hook->on_entry(args);
		return true;
	}
	return false;
}

void asite_page_ftrace_entry(unsigned long ip, const unsigned long *args)
{
	if (!entry_of(&asite_page_family, ip, args) && !entry_of(&asite_vmalloc_family, ip, args))
		entry_of(&asite_percpu_family, ip, args);
}

/* Do the hooks notice? */

static bool follows_page(const struct page *page)
{
	const u32 *word = asite_pagemap_word(&asite_track.pages, page_to_pfn(page));

	return word && asite_pagemap_used(READ_ONCE(*word));
}

static u64 named_losses(void)
{
	return asite_stats_sum(ASITE_STAT_UNTRACKED_PAGES) +
	       asite_stats_sum(ASITE_STAT_UNTRACKED_AREAS) + asite_hooks_missed();
}

/* Freed, the page may be somebody else's at once: only what is allocated is looked at. */
static const char *page_deaf(void)
{
	u64 losses = named_losses();
	struct page *page;
	bool heard;

	asite_walk_typical(true);
	page = alloc_page(ASITE_GFP_LOOK);
	asite_walk_typical(false);
	heard = !page || follows_page(page);
	if (page)
		__free_page(page);
	return heard || named_losses() != losses ? NULL : "mm_page_alloc";
}

static const char *vmalloc_deaf(void)
{
	u64 losses = named_losses();
	void *area = __vmalloc(PAGE_SIZE, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	bool heard = !area || asite_areatab_follows(&asite_track.areas, (unsigned long)area);

	vfree(area);
	heard |= !asite_families_hooked(&asite_vmalloc_family, "vmalloc");
	return heard || named_losses() != losses ? NULL : "vmalloc";
}

static const char *percpu_deaf(void)
{
	u64 losses = named_losses();
	u64 __percpu *object = alloc_percpu_gfp(u64, ASITE_GFP_LOOK);
	bool heard = !object || asite_areatab_follows(&asite_track.areas,
						      (__force unsigned long)object);

	free_percpu(object);
	heard |= !asite_families_hooked(&asite_percpu_family, "percpu_alloc_percpu");
	return heard || named_losses() != losses ? NULL : "percpu_alloc_percpu";
}

struct asite_family asite_page_family = {
	.name	= "page",
	.hooks	= page_hooks,
	.nr	= ARRAY_SIZE(page_hooks),
	.init	= asite_page_memory_init,
	.exit	= asite_page_memory_exit,
	.deaf	= page_deaf,
};

struct asite_family asite_vmalloc_family = {
	.name	= "vmalloc",
	.hooks	= vmalloc_hooks,
	.nr	= ARRAY_SIZE(vmalloc_hooks),
	.init	= asite_track_areas_init,
	.deaf	= vmalloc_deaf,
};

struct asite_family asite_percpu_family = {
	.name	= "percpu",
	.hooks	= percpu_hooks,
	.nr	= ARRAY_SIZE(percpu_hooks),
	.init	= asite_track_areas_init,
	.deaf	= percpu_deaf,
};
