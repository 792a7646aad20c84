// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of updates for pages, vmalloc and percpu objects: slow paths. The fast ones and
 * their rules are in track_page.h.
 *
 * Contexts: any, NMI included.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include <allocsite/context.h>
#include <allocsite/stacks.h>
#include <allocsite/stats.h>
#include <allocsite/track_page.h>

static const enum asite_kind page_kinds[ASITE_TAG_MASK + 1] = {
	[ASITE_TAG_PAGE]		= ASITE_PAGE,
	[ASITE_TAG_SLAB_PAGES]		= ASITE_SLAB_PAGES,
	[ASITE_TAG_LARGE_PAGES]		= ASITE_LARGE_PAGES,
	[ASITE_TAG_VMALLOC_PAGES]	= ASITE_VMALLOC_PAGES,
	[ASITE_TAG_PERCPU_PAGES]	= ASITE_PERCPU_PAGES,
};

/* The end of a walk that began in the page allocator. */
static unsigned long page_tag(u32 class)
{
	return class <= ASITE_TAG_MASK && page_kinds[class] ? class : ASITE_TAG_PAGE;
}

static struct asite_key *find_page_site(const struct asite_at *from, unsigned long block)
{
	struct asite_at end = *from;
	struct asite_key *key;
	unsigned long tag;

	asite_walk_fast(&end);
	tag = page_tag(end.class);
	key = asite_sites_lookup(&asite_track.sites, end.address, block | tag);
	if (key)
		return key;
	end = *from;
	asite_walk_slow(&end, block | ASITE_TAG_PAGE);
	asite_walk_adopt_chain(from);
	tag = page_tag(end.class);
	return asite_sites_find(&asite_track.sites, end.address, block | tag, page_kinds[tag]);
}

/* Frames of one slot that are free now. */
static void count_freed(const struct asite_page_run *run)
{
	struct asite_counts __percpu *counts;

	counts = asite_sites_counts_at(&asite_track.sites, run->word & ASITE_PAGE_SLOT);
	/* Blocks first: whoever sees that frames are free shall not see more blocks. */
	if (run->heads && !(run->word & ASITE_PAGE_SLOT_0))
		this_cpu_add(counts->heads_freed, run->heads);
	this_cpu_add(counts->frees, run->frames);
}

static void count_untracked(struct asite_key *key, unsigned long frames)
{
	this_cpu_add(key->counts->untracked, frames);
	asite_stat_add(ASITE_STAT_UNTRACKED_PAGES, frames);
}

/* What is there already was freed without an event. */
static void drop_stale(unsigned long pfn, unsigned long frames)
{
	struct asite_page_run run;
	unsigned long done;

	for (done = 0; done < frames; done += run.frames) {
		asite_pagemap_take(&asite_track.pages, pfn + done, frames - done, &run);
		if (!asite_pagemap_used(run.word))
			continue;
		count_freed(&run);
		asite_stat_add(ASITE_STAT_STALE_PAGES, run.frames);
	}
}

/* What was there is dropped first; then the words, two at a time where they may be. */
static void publish_block(u32 *words, unsigned long pfn, unsigned long frames, u32 word)
{
	u64 *pairs = (u64 *)words, both = (u64)word << 32 | word;
	unsigned long i;

	if (frames == 1) {
		if (unlikely(READ_ONCE(*words)))
			drop_stale(pfn, 1);
		WRITE_ONCE(*words, word);
		return;
	}
	for (i = 0; i < frames / 2; i++) {
		if (unlikely(READ_ONCE(pairs[i])))
			drop_stale(pfn + 2 * i, 2);
		WRITE_ONCE(pairs[i], both);
	}
	WRITE_ONCE(*words, word | ASITE_PAGE_HEAD);
}

static void track_block(unsigned long pfn, unsigned long frames, struct asite_key *key)
{
	u32 *words = asite_pagemap_word(&asite_track.pages, pfn);

	this_cpu_add(key->counts->allocs, frames);
	if (words)
		publish_block(words, pfn, frames, asite_pagemap_bits(key->bits));
	else
		count_untracked(key, frames);
}

/*
 * The site of a block, if every step to it is known, nobody took its place in the index, and it is
 * not watched.
 */
static struct asite_key *known_site(unsigned long block, unsigned long address, unsigned long at)
{
	struct asite_at w = { .address = address, .at = at, .class = ASITE_CLASS_CALLER };
	unsigned long place = asite_walk_chain(address, at), sub = block | ASITE_TAG_PAGE;
	struct asite_key *key;

	if (place) {
		w.at = place;
		w.address = READ_ONCE_NOCHECK(*(unsigned long *)place);
		key = asite_sites_hidden(&asite_track.sites, w.address, sub);
		if (asite_sites_is(key, w.address, sub))
			return key;
	}
	asite_walk_fast(&w);
	sub = block | page_tag(w.class);
	key = asite_sites_hidden(&asite_track.sites, w.address, sub);
	return asite_sites_is(key, w.address, sub) ? key : NULL;
}

/* The key of a block's stack, or its site's; @watched: set if the block is to be recorded. */
static struct asite_key *slot_key(struct asite_key *site, const struct asite_at *w,
				  struct asite_key *own, bool *watched)
{
	*watched = asite_key_watched(site);
	return *watched ? asite_context_key(site, w, own) : asite_stacks_key(site, w, own);
}

/* A block of a site that is new, watched, or not where it is looked for first. */
static noinline void track_unknown(unsigned long pfn, unsigned long frames,
				   const struct asite_at *w)
{
	struct asite_key *site = find_page_site(w, frames << PAGE_SHIFT), *key, own;
	bool watched;

	key = slot_key(site, w, &own, &watched);
	if (watched)
		asite_context_record(site, asite_context_page(pfn), key->bits >> ASITE_GEN_BITS);
	track_block(pfn, frames, key);
}

void asite_track_pages_slow(struct page *page, unsigned int order, unsigned long address,
			    unsigned long at, unsigned long bp)
{
	struct asite_at w = {
		.address = address, .at = at, .bp = bp, .class = ASITE_CLASS_CALLER,
	};
	struct asite_key *key = known_site(PAGE_SIZE << order, address, at), own;

	if (key)
		track_block(page_to_pfn(page), 1UL << order, asite_stacks_key(key, &w, &own));
	else
		track_unknown(page_to_pfn(page), 1UL << order, &w);
}

/* A block that goes back as it came: all of its frames have one slot. */
static bool free_whole(unsigned long pfn, unsigned long frames)
{
	u32 *words = asite_pagemap_word(&asite_track.pages, pfn);
	struct asite_counts __percpu *counts;
	u64 *pairs = (u64 *)words, both;
	unsigned long i;
	u32 word;

	if (!words || frames < 2)
		return false;
	word = READ_ONCE(*words) & ~ASITE_PAGE_HEAD;
	both = (u64)word << 32 | word;
	if (word - 1 >= ASITE_PAGE_FLAGS - 1 || READ_ONCE(*pairs) != (both | ASITE_PAGE_HEAD))
		return false;
	for (i = 1; i < frames / 2; i++) {
		if (unlikely(READ_ONCE(pairs[i]) != both))
			return false;
	}
	for (i = 0; i < frames / 2; i++)
		WRITE_ONCE(pairs[i], 0);
	counts = asite_sites_counts_at(&asite_track.sites, word);
	/* As in count_freed(). */
	this_cpu_inc(counts->heads_freed);
	this_cpu_add(counts->frees, frames);
	return true;
}

void asite_track_pages_free_slow(struct page *page, unsigned int order)
{
	unsigned long done, frames = 1UL << order, pfn = page_to_pfn(page);
	struct asite_page_run run;

	if (free_whole(pfn, frames))
		return;
	for (done = 0; done < frames; done += run.frames) {
		asite_pagemap_take(&asite_track.pages, pfn + done, frames - done, &run);
		if (asite_pagemap_used(run.word))
			count_freed(&run);
		else if (run.word & ASITE_PAGE_MOVED)
			/* Memory that comes online was nobody's. */
			asite_stat_add(ASITE_STAT_MOVED_PAGES,
				       run.word & ASITE_PAGE_OLD ? 0 : run.frames);
		else if (asite_pagemap_word(&asite_track.pages, pfn + done))
			asite_stat_add(ASITE_STAT_UNKNOWN_PAGES, run.frames);
	}
}

void asite_track_pages_new(unsigned long pfn, unsigned long frames, const struct asite_at *w)
{
	struct asite_key *site = NULL, *key, own;
	bool watched;
	u32 *word;

	/* One block, as large as it is. */
	if (frames > 1 && PageCompound(pfn_to_page(pfn))) {
		track_unknown(pfn, frames, w);
		return;
	}
	for (; frames; frames--, pfn++) {
		word = asite_pagemap_word(&asite_track.pages, pfn);
		if (word && READ_ONCE(*word))
			continue;
		if (!site) {
			site = find_page_site(w, PAGE_SIZE);
			key = slot_key(site, w, &own, &watched);
		}
		if (watched)
			asite_context_record(site, asite_context_page(pfn),
					     key->bits >> ASITE_GEN_BITS);
		track_block(pfn, 1, key);
	}
}

void asite_track_pages_old(struct page *page)
{
	u32 *word = asite_pagemap_word(&asite_track.pages, page_to_pfn(page));

	if (word && !READ_ONCE(*word))
		WRITE_ONCE(*word, ASITE_PAGE_OLD);
}

void asite_track_pages_moved(struct page *to, struct page *from, unsigned long frames)
{
	unsigned long x = page_to_pfn(to), y = page_to_pfn(from);
	bool recorded = READ_ONCE(asite_contexts_on) && asite_context_move_begin(x, y, frames);

	asite_pagemap_swap(&asite_track.pages, x, y, frames);
	if (recorded)
		asite_context_move_end();
}

/* Areas. */

static const enum asite_kind area_kinds[] = {
	[ASITE_TAG_VMALLOC]	= ASITE_VMALLOC,
	[ASITE_TAG_PERCPU]	= ASITE_PERCPU,
};

static void count_area_freed(const struct asite_area *area)
{
	struct asite_counts __percpu *counts = asite_sites_counts(&asite_track.sites, area->slot);

	/* Slot 0 counts objects of all kinds: its other counters mean something else. */
	if (area->slot)
		this_cpu_add(counts->freed_bytes, area->bytes);
	this_cpu_inc(counts->frees);
}

/* It is freed at once, as far as its site is concerned. */
static void count_area_untracked(struct asite_key *key, u64 bytes)
{
	if (key->bits)
		this_cpu_add(key->counts->freed_bytes, bytes);
	this_cpu_inc(key->counts->frees);
	asite_stat_inc(ASITE_STAT_UNTRACKED_AREAS);
}

/* Its key, once it is recorded. */
static noinline struct asite_key *watched_area(const struct asite_key *site,
					       const struct asite_at *w, unsigned long object,
					       struct asite_key *own)
{
	struct asite_key *key = asite_context_key(site, w, own);

	asite_context_record(site, object, key->bits >> ASITE_GEN_BITS);
	return key;
}

void asite_track_area(unsigned long object, unsigned long tag, u64 bytes,
		      const struct asite_at *w)
{
	struct asite_at end = *w;
	struct asite_area old;
	struct asite_key *key, own;

	asite_walk_slow(&end, tag);
	key = asite_sites_find(&asite_track.sites, end.address, tag, area_kinds[tag]);
	key = unlikely(asite_key_watched(key)) ? watched_area(key, w, object, &own) :
	      asite_stacks_key(key, w, &own);
	this_cpu_add(key->counts->requested, bytes);
	this_cpu_inc(key->counts->allocs);
	switch (asite_areatab_insert(&asite_track.areas, object, key->bits >> ASITE_GEN_BITS,
				     bytes, &old)) {
	case 0:
		break;
	case 1:
		count_area_freed(&old);
		asite_stat_inc(ASITE_STAT_STALE);
		break;
	default:
		count_area_untracked(key, bytes);
	}
}

void asite_track_area_free(unsigned long object, unsigned long tag)
{
	struct asite_area old;

	if (asite_areatab_remove(&asite_track.areas, object, &old))
		count_area_freed(&old);
	else if (tag == ASITE_TAG_PERCPU)
		asite_stat_inc(ASITE_STAT_UNKNOWN_PERCPU);
}

void asite_track_area_resized(unsigned long object, u64 bytes)
{
	struct asite_counts __percpu *counts;
	struct asite_area old;

	if (!asite_areatab_resize(&asite_track.areas, object, bytes, &old))
		return;
	counts = asite_sites_counts(&asite_track.sites, old.slot);
	if (bytes > old.bytes)
		this_cpu_add(counts->requested, bytes - old.bytes);
	else if (old.slot)
		this_cpu_add(counts->freed_bytes, old.bytes - bytes);
}
