// SPDX-License-Identifier: GPL-2.0-only
/* Filter of frees: never too low for the owner of an object that is followed. */

static int test_filter_raise_lower(void)
{
	asite_filter_reset();
	expect(asite_filter_passes(CASE_BASE));
	asite_filter_raise(CASE_BASE);
	expect(!asite_filter_passes(CASE_BASE));
	/* The same 64 bytes, and those 4 MiB further on. */
	expect(!asite_filter_passes(CASE_BASE + 56));
	expect(!asite_filter_passes(CASE_BASE + (4UL << 20)));
	expect(asite_filter_passes(CASE_BASE + 64));
	expect(asite_filter_passes(CASE_BASE - 8));
	expect(asite_filter_passes(CASE_BASE + (2UL << 20)));
	asite_filter_lower(CASE_BASE);
	expect(asite_filter_passes(CASE_BASE));
	return 0;
}

static int test_filter_counts(void)
{
	unsigned int full;

	asite_filter_reset();
	asite_filter_raise(CASE_BASE);
	asite_filter_raise(CASE_BASE + 8);
	asite_filter_raise(CASE_BASE + 64);
	expect_eq(asite_filter_count(&full), 2);
	expect_eq(full, 0);
	asite_filter_lower(CASE_BASE);
	expect(!asite_filter_passes(CASE_BASE + 8));
	asite_filter_lower(CASE_BASE + 8);
	expect(asite_filter_passes(CASE_BASE + 8));
	asite_filter_lower(CASE_BASE + 64);
	expect_eq(asite_filter_count(&full), 0);
	return 0;
}

/* What was full may be of more objects than can be counted down. */
static int test_filter_full_stays(void)
{
	unsigned int i, full;

	asite_filter_reset();
	for (i = 0; i < ASITE_FILTER_FULL + 10; i++)
		asite_filter_raise(CASE_BASE);
	expect_eq(asite_filter_count(&full), 1);
	expect_eq(full, 1);
	for (i = 0; i < ASITE_FILTER_FULL + 10; i++) {
		asite_filter_lower(CASE_BASE);
		expect(!asite_filter_passes(CASE_BASE));
	}
	asite_filter_reset();
	expect(asite_filter_passes(CASE_BASE));
	return 0;
}

/* One below full is counted down as ever. */
static int test_filter_nearly_full(void)
{
	unsigned int i;

	asite_filter_reset();
	for (i = 0; i < ASITE_FILTER_FULL - 1; i++)
		asite_filter_raise(CASE_BASE);
	for (i = 0; i < ASITE_FILTER_FULL - 1; i++) {
		expect(!asite_filter_passes(CASE_BASE));
		asite_filter_lower(CASE_BASE);
	}
	expect(asite_filter_passes(CASE_BASE));
	return 0;
}

static const struct case_entry filter_cases[] = {
	{ "filter_raise_lower", test_filter_raise_lower },
	{ "filter_counts", test_filter_counts },
	{ "filter_full_stays", test_filter_full_stays },
	{ "filter_nearly_full", test_filter_nearly_full },
	{ }
};
