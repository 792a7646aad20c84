// SPDX-License-Identifier: GPL-2.0-only
/* Stack depot: classes and pools, bounds, and what may fail. */

#define POOL_7_BYTES	(ASITE_DEPOT_POOL * 32UL)

/* Insert the stacks from @first to @end, less one; returns how many had no room. */
static unsigned int insert_many(unsigned int first, unsigned int end, unsigned int nr)
{
	unsigned int n, lost = 0;

	for (n = first; n < end; n++)
		lost += find_nth(&depot, 300, n, nr) < 0;
	return lost;
}

static int test_depot_bad_configs(void)
{
	static const u16 bad[][2] = { { 4, 7 }, { 7, 7 }, { 7, 3 }, { 3, 67 }, { 0, 3 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		expect_eq(depot_init_with(bad[i], 2, 512, 1 << 20), -EINVAL);
	expect_eq(depot_init_with(depot_classes, 0, 512, 1 << 20), -EINVAL);
	expect_eq(depot_init_with(depot_classes, ASITE_DEPOT_CLASSES + 1, 512, 1 << 20), -EINVAL);
	expect_eq(depot_init_7(0), -EINVAL);
	expect_eq(depot_init_7(ASITE_DEPOT_MAX_STACKS + 1), -EINVAL);
	return depot_end(0);
}

/* Handles are below the bound, rounded up to pools; the index is twice as large at least. */
static int test_depot_sizes(void)
{
	static const unsigned int stacks[] = { 1, 512, 513, 1024, 3000, 65536 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stacks); i++) {
		if (depot_init_7(stacks[i]))
			return -ENOMEM;
		expect_eq(asite_depot_max(&depot), DIV_ROUND_UP(stacks[i], 512) * 512);
		expect(places(&depot) >= 2 * stacks[i] && places(&depot) >= 1024);
		expect(places(&depot) < 4 * asite_depot_max(&depot));
		expect(depot.handle_mask >= asite_depot_max(&depot) - 1);
		expect_eq(depot_stat(&depot, index_bytes), 4 * places(&depot));
		depot_end(0);
	}
	return 0;
}

/* A bound that has no room for the first pool of the largest class, and one that has. */
static int test_depot_least_memory(void)
{
	u64 held = asite_mem_used(), least;

	if (depot_init_7(512))
		return -ENOMEM;
	least = depot.bytes;
	depot_end(0);
	expect_eq(depot_init_with(depot_one_class, 1, 512, least - 1), -ENOSPC);
	expect_eq(depot_init_with(depot_one_class, 1, 512, 100), -ENOSPC);
	expect_eq(asite_mem_used(), held);
	expect_eq(depot_init_with(depot_one_class, 1, 512, least), 0);
	expect_eq(insert_many(0, 512, 7), 0);
	expect_eq(insert_many(512, 520, 7), 8);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(depot.bytes, least);
	expect_eq(insert_many(520, 530, 7), 10);
	expect_eq(depot_stat(&depot, full) + depot_stat(&depot, late), 18);
	return depot_end(0);
}

/* First pools: all where they are small against the bounds, else the largest's alone. */
static int test_depot_first_pools(void)
{
	if (depot_init(512 * 8 * ARRAY_SIZE(depot_classes)))
		return -ENOMEM;
	expect_eq(depot.nr_pools, ARRAY_SIZE(depot_classes));
	expect_eq(depot_pools_asked, ARRAY_SIZE(depot_classes));
	depot_end(0);
	if (depot_init(512 * 8 * ARRAY_SIZE(depot_classes) - 512))
		return -ENOMEM;
	expect_eq(depot.nr_pools, 1);
	expect_eq(depot.pools[0].frames, 63);
	return depot_end(0);
}

/* 0: no handle. */
static unsigned int slot_frames(long handle)
{
	return handle < 0 ? 0 : asite_depot_class(&depot, handle);
}

/* The first of a class takes a larger slot and has the class's pool made. */
static int test_depot_class_on_demand(void)
{
	long first, later;

	if (depot_init(2048))
		return -ENOMEM;
	first = find_nth(&depot, 300, 0, 9);
	expect_eq(slot_frames(first), 63);
	expect(depot_kicks);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(depot.nr_pools, 2);
	later = find_nth(&depot, 300, 1, 9);
	expect_eq(slot_frames(later), 11);
	expect_eq(find_nth(&depot, 300, 0, 9), first);
	return depot_end(0);
}

/* Asked for more before the pool is used up; used up: late; grown: room again. */
static int test_depot_late_pool(void)
{
	unsigned int kicks;

	if (depot_init_7(1024))
		return -ENOMEM;
	expect_eq(insert_many(0, 512 - SPARE_RECORDS / 2 - 1, 7), 0);
	expect_eq(depot_kicks, 0);
	expect_eq(insert_many(512 - SPARE_RECORDS / 2 - 1, 512, 7), 0);
	kicks = depot_kicks;
	expect(kicks > 0);
	expect_eq(insert_many(600, 610, 7), 10);
	expect_eq(depot_stat(&depot, late), 10);
	expect_eq(depot_stat(&depot, full), 0);
	expect_eq(depot_kicks, kicks + 10);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(insert_many(600, 610, 7), 0);
	expect_eq(depot_stat(&depot, late), 10);
	return depot_end(0);
}

static int test_depot_grow_only_when_needed(void)
{
	if (depot_init_7(2048))
		return -ENOMEM;
	expect_eq(insert_many(0, 512 - SPARE_RECORDS - 1, 7), 0);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(depot.nr_pools, 1);
	expect_eq(insert_many(0, 512 - SPARE_RECORDS, 7), 0);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(asite_depot_grow(&depot), 0);
	expect_eq(depot.nr_pools, 2);
	return depot_end(0);
}

/* All handles handed out, once each; then full, counted, no kick; those there are found. */
static int test_depot_full(void)
{
	unsigned int n, kicks;

	if (depot_init_7(1500))
		return -ENOMEM;
	for (n = 0; n < 1536; n++) {
		expect(find_nth(&depot, 300, n, 7) >= 0);
		asite_depot_grow(&depot);
	}
	expect_eq(depot_stat(&depot, far), 0);
	expect_eq(count_records(&depot), 1536);
	kicks = depot_kicks;
	expect_eq(insert_many(1536, 1600, 7), 64);
	expect_eq(depot_stat(&depot, full), 64);
	expect_eq(depot_stat(&depot, late), 0);
	expect(ASITE_EVICT || depot_kicks == kicks);
	expect_eq(insert_many(0, 1536, 7), 0);
	expect_eq(depot_stat(&depot, inserts), 1536);
	check_depot(&depot);
	return depot_end(0);
}

/* A class that can grow no more takes slots of larger ones, until these are used up too. */
static int test_depot_full_class_takes_larger(void)
{
	static const u16 two[] = { 3, 11 };
	unsigned int n, kicks;

	if (depot_init_with(two, 2, 1024, 1 << 20))
		return -ENOMEM;
	for (n = 0; n < 512; n++) {
		find_nth(&depot, 300, n, 3);
		asite_depot_grow(&depot);
	}
	expect_eq(depot.nr_pools, 2);
	kicks = depot_kicks;
	for (; n < 1024; n++) {
		expect(find_nth(&depot, 300, n, 3) >= 0);
		asite_depot_grow(&depot);
	}
	/* The smaller class gets no pools, the larger one is not asked for. */
	expect(ASITE_EVICT || depot_kicks == kicks);
	expect_eq(find_nth(&depot, 300, n, 3), -1);
	expect_eq(find_nth(&depot, 300, n, 11), -1);
	expect_eq(depot_stat(&depot, full), 1);
	expect_eq(depot_stat(&depot, late), 1);
	/* Only now it is known that the larger class gets no more, either. */
	asite_depot_grow(&depot);
	expect_eq(find_nth(&depot, 300, n, 11), -1);
	expect_eq(depot_stat(&depot, full), 2);
	/* Slots of the larger class were there before the smaller one had any. */
	expect_eq(depot_stat(&depot, rounding_bytes), 512 * 8 * 4);
	for (n = 0; n < 1024; n++)
		expect(find_nth(&depot, 300, n, 3) >= 0);
	return depot_end(0);
}

/* Whichever allocation of set-up fails: -ENOMEM, and nothing is held. */
static int test_depot_init_out_of_memory(void)
{
	u64 held = asite_mem_used();
	int err, n;

	for (n = 1; n < 30; n++) {
		case_fail_nth(n);
		err = depot_init(65536);
		case_fail_nth(0);
		if (!err)
			break;
		expect_eq(err, -ENOMEM);
		expect_eq(asite_mem_used(), held);
		depot_end(0);
	}
	/* Index, two tables, counters, what eviction has, a pool for each class. */
	expect_eq(n, 1 + 4 + ASITE_EVICT + ARRAY_SIZE(depot_classes));
	return depot_end(0);
}

/* The depot's own figure is what it holds. */
static int test_depot_bytes_held(void)
{
	u64 held = asite_mem_used();

	if (depot_init(65536))
		return -ENOMEM;
	expect(asite_mem_used() - held >= depot.bytes);
	/* In the kernel by whole pages. */
	expect(asite_mem_used() - held <= depot.bytes + 8 * 4096);
	expect_eq(depot_stat(&depot, bytes), depot.bytes);
	expect_eq(depot_stat(&depot, pool_bytes), 512 * 4 * (9 + 3 + 7 + 11 + 15 + 19 + 23 + 31 +
							     47 + 63));
	return depot_end(0);
}

/* No memory for a pool, or for its counters: told so, still whole, and the next try works. */
static int test_depot_grow_out_of_memory(void)
{
	u64 held;
	int by;

	for (by = 0; by < 2; by++) {
		if (depot_init_7(1024))
			return -ENOMEM;
		expect_eq(insert_many(0, 512, 7), 0);
		held = asite_mem_used();
		case_fail_nth(!by);
		depot_pool_error = by ? -ENFILE : 0;
		expect_eq(asite_depot_grow(&depot), by ? -ENFILE : -ENOMEM);
		expect_eq(asite_depot_grow(&depot), by ? -ENFILE : 0);
		case_fail_nth(0);
		depot_pool_error = 0;
		expect_eq(depot_stat(&depot, refused), 1 + by);
		if (by)
			expect_eq(asite_mem_used(), held);
		expect_eq(insert_many(600, 601, 7), by);
		expect_eq(depot_stat(&depot, late), by);
		expect_eq(asite_depot_grow(&depot), 0);
		expect_eq(insert_many(600, 700, 7), 0);
		depot_end(0);
	}
	return 0;
}

static int test_depot_init_pool_error(void)
{
	struct asite_depot_config config = {
		.classes = depot_classes, .nr_classes = 2, .max_stacks = 512,
		.max_bytes = 1 << 20, .ops = &depot_ops,
	};

	memset(&depot, 0, sizeof(depot));
	depot_pool_error = -ENFILE;
	expect_eq(asite_depot_init(&depot, &config), -ENFILE);
	depot_pool_error = 0;
	return depot_end(0);
}

static const struct case_entry depot_pools_cases[] = {
	{ "depot_bad_configs", test_depot_bad_configs },
	{ "depot_sizes", test_depot_sizes },
	{ "depot_least_memory", test_depot_least_memory },
	{ "depot_first_pools", test_depot_first_pools },
	{ "depot_class_on_demand", test_depot_class_on_demand },
	{ "depot_late_pool", test_depot_late_pool },
	{ "depot_grow_only_when_needed", test_depot_grow_only_when_needed },
	{ "depot_full", test_depot_full },
	{ "depot_full_class_takes_larger", test_depot_full_class_takes_larger },
	{ "depot_init_out_of_memory", test_depot_init_out_of_memory },
	{ "depot_bytes_held", test_depot_bytes_held },
	{ "depot_grow_out_of_memory", test_depot_grow_out_of_memory },
	{ "depot_init_pool_error", test_depot_init_pool_error },
	{ }
};
