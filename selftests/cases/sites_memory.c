// SPDX-License-Identifier: GPL-2.0-only
/* Site table: every allocation of its own may fail, at any time. */

/* Whichever allocation of set-up fails: -ENOMEM, and nothing is held. */
static int test_sites_init_out_of_memory(void)
{
	u64 held = asite_mem_used();
	int err, n;

	for (n = 1; n < 20; n++) {
		case_fail_nth(n);
		err = sites_init(3000);
		case_fail_nth(0);
		if (!err)
			break;
		expect_eq(err, -ENOMEM);
		expect_eq(asite_mem_used(), held);
		asite_sites_destroy(&sites_tab);
	}
	/* Index, two arrays, two parts of the first batch and of the spare ones. */
	expect_eq(n, 4 + 2 * (1 + SPARE_SLOTS / ASITE_BATCH_SLOTS));
	return sites_end(0);
}

/* No memory for a batch: told so, still whole, and the next try works. */
static int test_sites_grow_out_of_memory(void)
{
	u64 held;
	int n;

	for (n = 1; n < 3; n++) {
		if (sites_init(3000))
			return -ENOMEM;
		claim_many(0, FIRST_READY);
		held = asite_mem_used();
		case_fail_nth(n);
		expect_eq(asite_sites_grow(&sites_tab), -ENOMEM);
		case_fail_nth(0);
		expect_eq(asite_mem_used(), held);
		expect_eq(claim_many(FIRST_READY, 1), 1);
		expect_eq(atomic_long_read(&sites_tab.late), 1);
		expect_eq(asite_sites_grow(&sites_tab), 0);
		expect_eq(claim_many(FIRST_READY, 1), 0);
		sites_end(0);
	}
	return 0;
}

/* Asked when there is enough: takes nothing. */
static int test_sites_grow_only_when_needed(void)
{
	u64 held;

	if (sites_init(3000))
		return -ENOMEM;
	held = asite_mem_used();
	expect_eq(asite_sites_grow(&sites_tab), 0);
	expect_eq(claim_many(0, FIRST_READY - SPARE_SLOTS - 1), 0);
	expect_eq(asite_sites_grow(&sites_tab), 0);
	expect_eq(asite_mem_used(), held);
	expect_eq(claim_many(FIRST_READY, 1), 0);
	expect_eq(asite_sites_grow(&sites_tab), 0);
	expect(asite_mem_used() > held);
	return sites_end(0);
}

static int test_sites_destroy_twice(void)
{
	if (sites_init(3000))
		return -ENOMEM;
	asite_sites_destroy(&sites_tab);
	return sites_end(0);
}

static const struct case_entry sites_memory_cases[] = {
	{ "sites_init_out_of_memory", test_sites_init_out_of_memory },
	{ "sites_grow_out_of_memory", test_sites_grow_out_of_memory },
	{ "sites_grow_only_when_needed", test_sites_grow_only_when_needed },
	{ "sites_destroy_twice", test_sites_destroy_twice },
	{ }
};
