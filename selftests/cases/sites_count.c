// SPDX-License-Identifier: GPL-2.0-only
/* Site table: counters, their sums, reset. Events are counted as track.c does. */

static void count_alloc(struct asite_key *key, unsigned int requested)
{
	this_cpu_inc(key->counts->allocs);
	this_cpu_add(key->counts->requested, requested);
}

static void count_free(struct asite_sitetab *t, unsigned int slot)
{
	struct asite_counts __percpu *counts = asite_sites_counts(t, slot);

	this_cpu_inc(counts->frees);
}

static void sum_all(const struct asite_sitetab *t, struct asite_sum *all)
{
	struct asite_sum sum;
	unsigned int slot;

	memset(all, 0, sizeof(*all));
	for (slot = 0; slot < asite_sites_used(t); slot++) {
		asite_sites_sum(t, slot, &sum);
		expect(sum.allocs >= sum.frees + sum.untracked);
		all->allocs += sum.allocs;
		all->frees += sum.frees;
		all->untracked += sum.untracked;
		all->live += sum.live;
		all->requested += sum.requested;
	}
}

static int test_sites_sum(void)
{
	struct asite_key *key;
	struct asite_sum sum;
	unsigned int i;

	if (sites_init(100))
		return -ENOMEM;
	key = find_kmalloc(CASE_TEXT, 64);
	for (i = 0; i < 11; i++)
		count_alloc(key, 50 + i);
	for (i = 0; i < 5; i++)
		count_free(&sites_tab, slot_of(key));
	this_cpu_add(key->counts->untracked, 2);
	asite_sites_sum(&sites_tab, slot_of(key), &sum);
	expect(sum.allocs == 11 && sum.frees == 5 && sum.untracked == 2);
	expect_eq(sum.live, 4);
	expect_eq(sum.requested, 11 * 50 + 55);
	asite_sites_sum(&sites_tab, 0, &sum);
	expect(!sum.allocs && !sum.frees && !sum.live);
	return sites_end(0);
}

/* A retag takes an allocation back: for a moment there may be one too few. */
static int test_sites_sum_not_negative(void)
{
	struct asite_key *key;
	struct asite_sum sum;

	if (sites_init(100))
		return -ENOMEM;
	key = find_kmalloc(CASE_TEXT, 64);
	count_alloc(key, 50);
	count_free(&sites_tab, slot_of(key));
	this_cpu_inc(key->counts->untracked);
	asite_sites_sum(&sites_tab, slot_of(key), &sum);
	expect(sum.allocs == 1 && sum.frees == 1 && sum.untracked == 1);
	expect_eq(sum.live, 0);
	return sites_end(0);
}

/* Counters of every CPU are summed, not only this one's. */
static int test_sites_sum_all_cpus(void)
{
	struct asite_key *key;
	struct asite_sum sum;
	u64 n = 0, step = 1;
	int cpu;

	if (sites_init(100))
		return -ENOMEM;
	key = find_kmalloc(CASE_TEXT, 64);
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(key->counts, cpu)->allocs = step;
		per_cpu_ptr(key->counts, cpu)->requested = 7 * step;
		n += step;
		step *= 3;
	}
	/* All freed on one CPU, which may have allocated none of them. */
	this_cpu_add(key->counts->frees, n);
	asite_sites_sum(&sites_tab, slot_of(key), &sum);
	expect(sum.allocs == n && sum.frees == n && sum.requested == 7 * n);
	expect_eq(sum.live, 0);
	return sites_end(0);
}

/* Sites without room, objects without room: totals still hold every event. */
static int test_sites_totals_when_full(void)
{
	struct asite_sum all;
	struct asite_key *key;
	unsigned int i;

	if (sites_init(13))
		return -ENOMEM;
	for (i = 0; i < 101; i++) {
		key = find_kmalloc(CASE_TEXT + 5 * (i % 37), 64);
		count_alloc(key, 60);
		if (i % 2)
			count_free(&sites_tab, slot_of(key));
		else if (i % 4)
			this_cpu_inc(key->counts->untracked);
	}
	sum_all(&sites_tab, &all);
	expect_eq(all.allocs, 101);
	expect_eq(all.frees, 50);
	expect_eq(all.untracked, 25);
	expect_eq(all.live, 26);
	expect_eq(all.requested, 101 * 60);
	/* 24 of 37 keys have no slot: twice or three times each. */
	expect_eq(atomic_long_read(&sites_tab.full), 101 - 13 * 3);
	return sites_end(0);
}

/* An epoch: every site forgotten, the memory kept, nothing inherited. */
static int test_sites_reset(void)
{
	unsigned long caller = CASE_TEXT;
	struct asite_key *last;
	struct asite_sum all;
	u64 held;

	if (sites_init(700))
		return -ENOMEM;
	expect_eq(claim_all(700), 3);
	last = find_kmalloc(CASE_TEXT + 5 * 699, 64);
	count_alloc(find_kmalloc(caller, 64), 60);
	count_alloc(last, 60);
	count_alloc(&sites_tab.overflow, 60);
	this_cpu_inc(last->counts->untracked);
	expect_eq(asite_sites_retire(&sites_tab, match_caller, &caller), 1);
	sum_all(&sites_tab, &all);
	expect_eq(all.allocs, 3);
	held = asite_mem_used();
	asite_sites_reset(&sites_tab);
	expect_eq(asite_mem_used(), held);
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT);
	expect_eq(atomic_long_read(&sites_tab.full), 0);
	expect_eq(atomic_long_read(&sites_tab.late), 0);
	expect_eq(atomic_read(&sites_tab.dead_keys), 0);
	expect_eq(asite_sites_site(&sites_tab, 0)->kind, ASITE_OVERFLOW);
	expect(!asite_sites_site(&sites_tab, 1) && !asite_sites_site(&sites_tab, FIRST_SLOT));
	expect_eq(claim_many(0, 700), 0);
	expect_eq(claim_many(700, 2), 2);
	sum_all(&sites_tab, &all);
	expect(!all.allocs && !all.frees && !all.untracked && !all.requested);
	return sites_end(0);
}

static const struct case_entry sites_count_cases[] = {
	{ "sites_sum", test_sites_sum },
	{ "sites_sum_not_negative", test_sites_sum_not_negative },
	{ "sites_sum_all_cpus", test_sites_sum_all_cpus },
	{ "sites_totals_when_full", test_sites_totals_when_full },
	{ "sites_reset", test_sites_reset },
	{ }
};
