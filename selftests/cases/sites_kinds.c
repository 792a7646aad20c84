// SPDX-License-Identifier: GPL-2.0-only
/*
 * Site table: sites of pages, vmalloc and percpu, which count frames or bytes in the
 * counters that slab sites have for something else; and looking a key up.
 */

static struct asite_key *find_pages(unsigned long caller, unsigned int order, unsigned long tag)
{
	return asite_sites_find(&sites_tab, caller, 4096UL << order | tag, ASITE_PAGE);
}

static void expect_sum(const struct asite_key *key, u64 allocs, u64 frees, u64 untracked, u64 live)
{
	struct asite_sum sum;

	asite_sites_sum(&sites_tab, slot_of(key), &sum);
	expect_eq(sum.allocs, allocs);
	expect_eq(sum.frees, frees);
	expect_eq(sum.untracked, untracked);
	expect_eq(sum.live, live);
}

static void expect_bytes(const struct asite_key *key, u64 live_bytes, u64 requested)
{
	struct asite_sum sum;

	asite_sites_sum(&sites_tab, slot_of(key), &sum);
	expect_eq(sum.live_bytes, live_bytes);
	expect_eq(sum.requested, requested);
}

/* Seven blocks: one is freed whole, of one the head, of one a tail, one is not followed. */
static int test_sites_sum_pages(void)
{
	static const unsigned long tags[] = { ASITE_TAG_PAGE, ASITE_TAG_SLAB_PAGES,
					      ASITE_TAG_LARGE_PAGES, ASITE_TAG_VMALLOC_PAGES,
					      ASITE_TAG_PERCPU_PAGES };
	unsigned int i, order;
	struct asite_key *key;
	u64 frames;

	if (sites_init(100))
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(tags); i++) {
		for (order = 1; order <= 10; order++) {
			frames = 1UL << order;
			key = find_pages(CASE_TEXT, order, tags[i]);
			this_cpu_add(key->counts->allocs, 7 * frames);
			expect_sum(key, 7, 0, 0, 7);
			expect_bytes(key, 7 * frames * 4096, 7 * frames * 4096);
			this_cpu_add(key->counts->frees, frames);
			this_cpu_inc(key->counts->heads_freed);
			this_cpu_inc(key->counts->frees);
			this_cpu_inc(key->counts->heads_freed);
			this_cpu_inc(key->counts->frees);
			expect_sum(key, 7, 2, 0, 5);
			this_cpu_add(key->counts->untracked, frames);
			expect_sum(key, 7, 2, 1, 4);
			expect_bytes(key, (5 * frames - 2) * 4096, 7 * frames * 4096);
		}
	}
	return sites_end(0);
}

/* Single frames have no head: frames are blocks. */
static int test_sites_sum_single_pages(void)
{
	struct asite_key *key;

	if (sites_init(100))
		return -ENOMEM;
	key = find_pages(CASE_TEXT, 0, ASITE_TAG_PAGE);
	this_cpu_add(key->counts->allocs, 11);
	this_cpu_add(key->counts->frees, 4);
	this_cpu_add(key->counts->untracked, 2);
	expect_sum(key, 11, 4, 2, 5);
	expect_bytes(key, 5 * 4096, 11 * 4096);
	/* Where the reader comes between two counters: not negative. */
	this_cpu_add(key->counts->frees, 9);
	expect_sum(key, 11, 13, 2, 0);
	expect_bytes(key, 0, 11 * 4096);
	return sites_end(0);
}

/* Bytes asked for, and bytes freed where others count what is not followed. */
static int test_sites_sum_areas(void)
{
	static const unsigned long tags[] = { ASITE_TAG_VMALLOC, ASITE_TAG_PERCPU };
	struct asite_key *key;
	unsigned int i;

	if (sites_init(100))
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(tags); i++) {
		key = asite_sites_find(&sites_tab, CASE_TEXT, tags[i], ASITE_VMALLOC);
		this_cpu_add(key->counts->allocs, 3);
		this_cpu_add(key->counts->requested, 5 * 4096 + 8);
		expect_sum(key, 3, 0, 0, 3);
		expect_bytes(key, 5 * 4096 + 8, 5 * 4096 + 8);
		this_cpu_inc(key->counts->frees);
		this_cpu_add(key->counts->freed_bytes, 3 * 4096);
		expect_sum(key, 3, 1, 0, 2);
		expect_bytes(key, 2 * 4096 + 8, 5 * 4096 + 8);
		/* Made smaller, then freed on another CPU before its allocation is seen. */
		this_cpu_add(key->counts->freed_bytes, 2 * 4096 + 9);
		expect_sum(key, 3, 1, 0, 2);
		expect_bytes(key, 0, 5 * 4096 + 8);
	}
	return sites_end(0);
}

/* As ever: objects times size, also of a slot that nobody has. */
static int test_sites_sum_slab_bytes(void)
{
	struct asite_key *key;
	struct asite_sum sum;

	if (sites_init(100))
		return -ENOMEM;
	key = asite_sites_find(&sites_tab, CASE_TEXT, CASE_CACHE, ASITE_KMEM_CACHE);
	this_cpu_add(key->counts->allocs, 5);
	this_cpu_add(key->counts->frees, 2);
	expect_sum(key, 5, 2, 0, 3);
	expect_bytes(key, 3 * 192, 0);
	asite_sites_sum(&sites_tab, slot_of(key) + 1, &sum);
	expect(!sum.allocs && !sum.frees && !sum.live && !sum.live_bytes && !sum.requested);
	return sites_end(0);
}

/* One caller, each tag and order: sites of their own, before and after there is no slot. */
static int test_sites_kinds_do_not_meet(void)
{
	struct asite_key *keys[2 * 8], *key;
	unsigned int i, j, full;

	for (full = 0; full < 2; full++) {
		if (sites_init(full ? 1 : 100))
			return -ENOMEM;
		find_kmalloc(CASE_TEXT + 5, 64);
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			keys[i] = asite_sites_find(&sites_tab, CASE_TEXT, 4096UL << i / 8 | i % 8,
						   ASITE_PAGE);
			expect_eq(overflowed(keys[i]), full);
			for (j = 0; j < i; j++)
				expect(keys[j] != keys[i]);
			key = asite_sites_find(&sites_tab, CASE_TEXT + full,
					       4096UL << i / 8 | i % 8, ASITE_PAGE);
			expect(key == keys[i]);
		}
		sites_end(0);
	}
	return 0;
}

/* Pages and areas without a slot: their overflow sites sum as theirs do. */
static int test_sites_overflow_of_kinds(void)
{
	struct asite_key *pages, *area;
	struct asite_site *site;

	if (sites_init(1))
		return -ENOMEM;
	find_kmalloc(CASE_TEXT, 64);
	pages = find_pages(CASE_TEXT, 3, ASITE_TAG_PAGE);
	area = asite_sites_find(&sites_tab, CASE_TEXT, ASITE_TAG_PERCPU, ASITE_PERCPU);
	expect(overflowed(pages) && slot_of(pages) && overflowed(area) && slot_of(area));
	site = asite_sites_site(&sites_tab, slot_of(pages));
	expect(site && site->kind == ASITE_OVERFLOW && site->size == 8 * 4096);
	expect_eq(site->sub, 8 * 4096 | ASITE_TAG_PAGE);
	site = asite_sites_site(&sites_tab, slot_of(area));
	expect(site && site->kind == ASITE_OVERFLOW && !site->size);
	this_cpu_add(pages->counts->allocs, 16);
	this_cpu_inc(pages->counts->frees);
	expect_sum(pages, 2, 0, 0, 2);
	expect_bytes(pages, 15 * 4096, 16 * 4096);
	this_cpu_inc(area->counts->allocs);
	this_cpu_add(area->counts->requested, 64);
	expect_bytes(area, 64, 64);
	return sites_end(0);
}

static int test_sites_kinds_told_by_tag(void)
{
	unsigned long sub;

	for (sub = 4096; sub < 4104; sub++) {
		expect_eq(asite_kind_block(sub), 4096);
		expect_eq(asite_kind_is_area(sub), sub == 4098 || sub == 4099);
		expect_eq(asite_kind_is_pages(sub), sub == 4097 || sub >= 4100);
		expect_eq(asite_kind_is_backing(ASITE_OVERFLOW, sub), sub >= 4100);
	}
	expect(asite_kind_is_backing(ASITE_SLAB_EXT, 64));
	expect(!asite_kind_is_backing(ASITE_KMALLOC, 64));
	return 0;
}

/* Another size whose search starts where that of 64 does. */
static unsigned long same_start_size(unsigned long caller)
{
	unsigned long size = 64;

	do
		size += 8;
	while (asite_sites_first(&sites_tab, caller, size) !=
	       asite_sites_first(&sites_tab, caller, 64));
	return size;
}

/* A lookup finds what was claimed, wherever it stands, and claims nothing. */
static int test_sites_lookup(void)
{
	unsigned long caller, first = CASE_TEXT;
	struct asite_key *keys[5];
	unsigned int i;

	if (sites_init(100))
		return -ENOMEM;
	expect(!asite_sites_lookup(&sites_tab, first, 64));
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		caller = same_start(first, i);
		expect(!asite_sites_lookup(&sites_tab, caller, 64));
		keys[i] = find_kmalloc(caller, 64);
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		expect(asite_sites_lookup(&sites_tab, same_start(first, i), 64) == keys[i]);
	expect(!asite_sites_lookup(&sites_tab, first, same_start_size(first)));
	expect(!asite_sites_lookup(&sites_tab, same_start(first, 5), 64));
	/* What is retired is not found, what stands behind it is. */
	caller = same_start(first, 1);
	expect_eq(asite_sites_retire(&sites_tab, match_caller, &caller), 1);
	expect(!asite_sites_lookup(&sites_tab, caller, 64));
	expect(asite_sites_lookup(&sites_tab, same_start(first, 4), 64) == keys[4]);
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + 5);
	return sites_end(0);
}

/* The last place that a search looks at, and an index that is full there. */
static int test_sites_lookup_last_probe(void)
{
	unsigned long caller;
	struct asite_key *key;
	unsigned int i;

	if (sites_init(100))
		return -ENOMEM;
	for (i = 0; i < PROBES_MAX; i++)
		key = find_kmalloc(same_start(CASE_TEXT, i), 64);
	expect(!overflowed(key));
	expect(asite_sites_lookup(&sites_tab, same_start(CASE_TEXT, PROBES_MAX - 1), 64) == key);
	caller = same_start(CASE_TEXT, PROBES_MAX);
	expect(overflowed(find_kmalloc(caller, 64)));
	expect(!asite_sites_lookup(&sites_tab, caller, 64));
	return sites_end(0);
}

static const struct case_entry sites_kinds_cases[] = {
	{ "sites_sum_pages", test_sites_sum_pages },
	{ "sites_sum_single_pages", test_sites_sum_single_pages },
	{ "sites_sum_areas", test_sites_sum_areas },
	{ "sites_sum_slab_bytes", test_sites_sum_slab_bytes },
	{ "sites_kinds_do_not_meet", test_sites_kinds_do_not_meet },
	{ "sites_overflow_of_kinds", test_sites_overflow_of_kinds },
	{ "sites_kinds_told_by_tag", test_sites_kinds_told_by_tag },
	{ "sites_lookup", test_sites_lookup },
	{ "sites_lookup_last_probe", test_sites_lookup_last_probe },
	{ }
};
