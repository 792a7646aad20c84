// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack depot: eviction. The user's counters are played by depot_live: objects that name a
 * record; released records are marked there until they are found again.
 */

#define CASE_RELEASED	(~0U)

static u32 depot_live[4096];
static unsigned int depot_releases;

static bool depot_idle(const struct asite_depot *d, u32 handle, void *data)
{
	return !READ_ONCE(depot_live[handle]);
}

static void depot_release(const struct asite_depot *d, u32 handle, void *data)
{
	expect(!depot_live[handle]);
	expect(!asite_depot_indexed(d, handle));
	depot_releases++;
}

static unsigned int begin_eviction(struct asite_depot *d, unsigned int want)
{
	return asite_depot_evict_begin(d, want, depot_idle, NULL);
}

static unsigned int end_eviction(struct asite_depot *d)
{
	return asite_depot_evict_end(d, depot_idle, depot_release, NULL);
}

static unsigned int evict(struct asite_depot *d, unsigned int want)
{
	unsigned int begun = begin_eviction(d, want), given = end_eviction(d);

	expect(given <= begun);
	return given;
}

/* A pool of slots of 7 frames, all taken. */
static int depot_init_used_up(void)
{
	memset(depot_live, 0, sizeof(depot_live));
	depot_releases = 0;
	if (depot_init_7(512))
		return -ENOMEM;
	expect_eq(insert_many(0, 512, 6), 0);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(insert_many(512, 513, 6), 1);
	return 0;
}

/* A full depot records fresh stacks again, in the records of the ones evicted. */
static int test_depot_evict_makes_room(void)
{
	struct asite_depot_stack stack;
	unsigned int n;

	if (depot_init_used_up())
		return -ENOMEM;
	expect(asite_depot_evict_wanted(&depot));
	expect_eq(evict(&depot, 100), 100);
	expect_eq(depot_releases, 100);
	expect_eq(count_records(&depot), 412);
	expect(!asite_depot_evict_wanted(&depot) || 100 <= RING_LOW);
	for (n = 1000; n < 1100; n++) {
		make_stack(&stack, 300, n, 5);
		expect_record(&depot, find_stack(&depot, &stack, 5), &stack, 5);
	}
	expect_eq(insert_many(1100, 1101, 6), 1);
	expect_eq(count_records(&depot), 512);
	expect_eq(insert_many(100, 512, 6), 0);
	expect_eq(depot_stat(&depot, inserts), 612);
	check_depot(&depot);
	return depot_end(0);
}

/* What live objects name is not evicted, and found as before. */
static int test_depot_evict_not_live(void)
{
	static long handle[512];
	unsigned int n;

	if (depot_init_used_up())
		return -ENOMEM;
	for (n = 0; n < 512; n++) {
		handle[n] = find_nth(&depot, 300, n, 6);
		depot_live[handle[n]] = n % 2;
	}
	expect_eq(evict(&depot, 512), 256);
	expect_eq(evict(&depot, 512), 0);
	for (n = 1; n < 512; n += 2)
		expect_eq(find_nth(&depot, 300, n, 6), handle[n]);
	expect_eq(insert_many(0, 512, 6), 0);
	check_depot(&depot);
	return depot_end(0);
}

/* In use again before the end: stays, unlinked, readable; evicted when it is idle again. */
static int test_depot_evict_used_meanwhile(void)
{
	struct asite_depot_stack stack;
	long handle, again;

	if (depot_init_used_up())
		return -ENOMEM;
	handle = find_nth(&depot, 300, 0, 6);
	expect_eq(begin_eviction(&depot, 3), 3);
	expect(!asite_depot_indexed(&depot, handle));
	depot_live[handle] = 1;
	expect_eq(end_eviction(&depot), 2);
	expect_eq(depot.evict.kept, 1);
	make_stack(&stack, 300, 0, 6);
	expect_record(&depot, handle, &stack, 6);
	again = find_stack(&depot, &stack, 6);
	expect(again >= 0 && again != handle);
	expect_record(&depot, handle, &stack, 6);
	depot_live[handle] = 0;
	depot_live[again] = 1;
	while (evict(&depot, 512))
		;
	expect_eq(count_records(&depot), 1);
	expect_eq(find_stack(&depot, &stack, 6), again);
	return depot_end(0);
}

/* An insert that is underway at the beginning and done before the end is left alone. */
static int test_depot_evict_insert_underway(void)
{
	struct asite_depot_stack stack;
	unsigned int i;
	long handle;
	u64 first;

	memset(depot_live, 0, sizeof(depot_live));
	if (depot_init_7(512))
		return -ENOMEM;
	/* Published; lost meanwhile; lost before. */
	for (i = 0; i < 3; i++) {
		make_stack(&stack, 300, i, 7);
		handle = take_record(&depot, 7);
		fill_record(&depot, handle, &stack, 7);
		first = asite_depot_first(&depot, hash_of(&depot, handle));
		if (i == 2)
			lose_record(&depot, handle);
		expect_eq(begin_eviction(&depot, 10), 1);
		if (i == 1)
			lose_record(&depot, handle);
		if (!i)
			expect(publish(&depot, place_at(&depot, first, 0), 0, first, handle));
		expect_eq(end_eviction(&depot), !!i);
		expect_eq(depot.evict.regained, i);
		expect_eq(find_stack(&depot, &stack, 7) == handle, !i);
		evict(&depot, 10);
		expect_eq(count_records(&depot), 0);
	}
	check_depot(&depot);
	return depot_end(0);
}

/* Retired records are given back too, when the last object is gone. */
static int test_depot_evict_retired(void)
{
	u32 owner = 300;
	long handle;

	if (depot_init_used_up())
		return -ENOMEM;
	handle = find_nth(&depot, 300, 7, 6);
	depot_live[handle] = 1;
	expect_eq(asite_depot_retire(&depot, match_owner, &owner), 512);
	expect_eq(evict(&depot, 1000), 511);
	expect_eq(count_records(&depot), 1);
	depot_live[handle] = 0;
	expect_eq(evict(&depot, 1000), 1);
	expect_eq(insert_many(1000, 1512, 6), 0);
	expect_eq(depot_stat(&depot, full), 1);
	check_depot(&depot);
	return depot_end(0);
}

/* The hand goes round: each record has its turn before one has a second. */
static int test_depot_evict_goes_on(void)
{
	unsigned int i, n;

	if (depot_init_used_up())
		return -ENOMEM;
	for (i = 0; i < 8; i++) {
		expect_eq(evict(&depot, 64), 64);
		/* Handed out in the order in which they were given back. */
		for (n = 64 * i; n < 64 * (i + 1); n++)
			expect_eq(find_nth(&depot, 300, 9000 + n, 3), n);
	}
	for (n = 0; n < 512; n++)
		expect_eq(find_nth(&depot, 300, 9000 + n, 3), n);
	return depot_end(0);
}

/* No more than the ring of a class holds; other classes have their turn all the same. */
static int test_depot_evict_full_ring(void)
{
	static const u16 two[] = { 3, 11 };
	unsigned int n, rounds;

	memset(depot_live, 0, sizeof(depot_live));
	if (depot_init_with(two, 2, 4096, 1 << 20))
		return -ENOMEM;
	for (n = 0; n < 3000; n++) {
		expect(find_nth(&depot, 300, n, 3) >= 0);
		asite_depot_grow(&depot);
	}
	expect_eq(insert_many(0, 100, 9), 0);
	for (rounds = 0; evict(&depot, ~0U) && rounds < 20; rounds++)
		;
	expect(rounds < 20);
	expect_eq(ring_count(&depot.classes[0].ring), ASITE_DEPOT_RING);
	/* And the first of the others, which came before their pool. */
	expect_eq(ring_count(&depot.classes[1].ring), 101);
	expect_eq(count_records(&depot), 2999 - ASITE_DEPOT_RING);
	check_depot(&depot);
	return depot_end(0);
}

/* A larger class serves the smaller one, which has no record and gets none: it is what is short. */
static int test_depot_evict_larger_class(void)
{
	static const u16 two[] = { 3, 7 };
	unsigned int n, kicks;

	memset(depot_live, 0, sizeof(depot_live));
	if (depot_init_with(two, 2, 512, 1 << 20))
		return -ENOMEM;
	expect_eq(insert_many(0, 1, 3), 0);
	asite_depot_grow(&depot);
	expect_eq(insert_many(1, 512 - RING_LOW - 1, 3), 0);
	expect(!asite_depot_evict_wanted(&depot));
	expect(!asite_depot_evict_wants(&depot, 0));
	kicks = depot_kicks;
	expect_eq(insert_many(1000, 1001 + RING_LOW, 3), 0);
	expect_eq(insert_many(2000, 2001, 3), 1);
	expect(depot_kicks > kicks + RING_LOW);
	expect(asite_depot_evict_wanted(&depot));
	expect(asite_depot_evict_wants(&depot, 0));
	expect_eq(evict(&depot, 200), 200);
	expect(!asite_depot_evict_wants(&depot, 0));
	for (n = 0; n < 200; n++)
		expect(find_nth(&depot, 300, 3000 + n, 3) >= 0);
	/* Whoever makes room asks for peace. */
	depot.evict.rests = true;
	kicks = depot_kicks;
	expect_eq(insert_many(4000, 4010, 3), 10);
	expect_eq(depot_kicks, kicks);
	return depot_end(0);
}

/* Many times what it holds, some live for a time: each fresh stack is recorded at once. */
static int test_depot_evict_storm(void)
{
	static long recent[200];
	unsigned int n, at;

	if (depot_init_used_up())
		return -ENOMEM;
	evict(&depot, 256);
	for (n = 1000; n < 1000 + CASE_STACKS; n++) {
		at = n % ARRAY_SIZE(recent);
		if (n >= 1000 + ARRAY_SIZE(recent))
			depot_live[recent[at]]--;
		recent[at] = find_nth(&depot, 300, n, 1 + n % 7);
		if (!expect(recent[at] >= 0))
			break;
		depot_live[recent[at]]++;
		if (asite_depot_evict_wanted(&depot))
			evict(&depot, 128);
	}
	expect_eq(depot_stat(&depot, far), 0);
	expect(depot_stat(&depot, dead) > 100);
	check_depot(&depot);
	return depot_end(0);
}

/* Reset forgets what was given back, which is handed out from the start again. */
static int test_depot_evict_reset(void)
{
	if (depot_init_used_up())
		return -ENOMEM;
	evict(&depot, 300);
	asite_depot_reset(&depot);
	expect_eq(depot.evict.evicted, 0);
	expect_eq(insert_many(0, 512, 6), 0);
	expect_eq(count_records(&depot), 512);
	expect_eq(insert_many(512, 513, 6), 1);
	expect_eq(evict(&depot, 5), 5);
	expect_eq(count_records(&depot), 507);
	return depot_end(0);
}

static const struct case_entry depot_evict_cases[] = {
	{ "depot_evict_makes_room", test_depot_evict_makes_room },
	{ "depot_evict_not_live", test_depot_evict_not_live },
	{ "depot_evict_used_meanwhile", test_depot_evict_used_meanwhile },
	{ "depot_evict_insert_underway", test_depot_evict_insert_underway },
	{ "depot_evict_retired", test_depot_evict_retired },
	{ "depot_evict_goes_on", test_depot_evict_goes_on },
	{ "depot_evict_larger_class", test_depot_evict_larger_class },
	{ "depot_evict_full_ring", test_depot_evict_full_ring },
	{ "depot_evict_storm", test_depot_evict_storm },
	{ "depot_evict_reset", test_depot_evict_reset },
	{ }
};
