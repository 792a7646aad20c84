// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling: numbers that are known exactly, to 40 digits. That all others are right too is
 * compared with libm in user space: selftests/unit/sampling.c.
 */

static int test_poisson_log_known(void)
{
	static const struct {
		u64 random, log;
	} known[] = {
		{ 0, 0xb17217f7d1cf79abULL },
		{ 0x0123456789abcdefULL, 0x15aa16394d481f04ULL },
		{ 0x7fffffffffffffffULL, 0x2c5c85fdf473de6ULL },
		{ 0x8000000000000000ULL, 0x2c5c85fdf473de6ULL },
		{ 0xdeadbeefcafef00dULL, 0x8ecb563109b468ULL },
		{ 0xffffff0000000001ULL, 0x4000001ffULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		s64 off = asite_poisson_log(known[i].random) - known[i].log;

		/* 2^-44: the series is good for that, and rounding is much smaller. */
		expect(off >= -(1 << 14) && off <= 1 << 14);
	}
	/* Just below 1: as small as can be, and never 0 or below. */
	expect_eq(asite_poisson_log(~0ULL), 1);
	return 0;
}

/* The same random numbers on every run. */
static u64 case_seed(void)
{
	static u64 last;

	return last += 0x2545F4914F6CDD1DULL;
}

/* How many of @nr objects of @bytes are picked. */
static unsigned int count_picked(unsigned int nr, size_t bytes)
{
	unsigned int picked = 0;

	while (nr--)
		picked += !asite_poisson_passes(bytes) && asite_poisson_picks(bytes);
	return picked;
}

/* 3,935 of 10,000 are expected, with a standard deviation of 49: 5 of these are allowed. */
static int test_poisson_picks_share(void)
{
	unsigned int picked;

	asite_poisson_begin(1000, case_seed);
	picked = count_picked(10000, 500);
	expect(picked > 3935 - 245 && picked < 3935 + 245);
	return 0;
}

/* The same if each object is told to look: none is picked for that. */
static int test_poisson_unsettle_share(void)
{
	unsigned int i, picked = 0;

	asite_poisson_begin(1000, case_seed);
	for (i = 0; i < 10000; i++) {
		asite_poisson_unsettle();
		picked += count_picked(1, 500);
	}
	expect(picked > 3935 - 245 && picked < 3935 + 245);
	return 0;
}

/* After that, each object calls asite_poisson_picks() once, and the next one need not. */
static int test_poisson_unsettle_once(void)
{
	asite_poisson_begin(ASITE_POISSON_MEAN_MAX, case_seed);
	expect(asite_poisson_passes(8));
	asite_poisson_unsettle();
	expect(!asite_poisson_passes(8));
	expect(!asite_poisson_picks(8));
	expect(asite_poisson_passes(8));
	return 0;
}

static int test_estimate_weight_known(void)
{
	/* Without a size: itself. */
	expect_eq(asite_estimate_weight(0, 4096), ASITE_WEIGHT_ONE);
	/* p is 1 but for less than 2^-63. */
	expect_eq(asite_estimate_weight(4096, 1), ASITE_WEIGHT_ONE);
	expect_eq(asite_estimate_weight(1ULL << 40, ASITE_POISSON_MEAN_MAX), ASITE_WEIGHT_ONE);
	expect_eq(asite_estimate_weight(8, 1), 0x10015fe04ULL);
	expect_eq(asite_estimate_weight(65536, 65536), 0x194fc6cebULL);
	/* The last digits are 2^-36 of the number and less. */
	expect_eq(asite_estimate_weight(64, 65536) >> 6, 0x40080055555ULL >> 6);
	expect_eq(asite_estimate_weight(24, 1000003) >> 12, 0xa2c34aaacc38ULL >> 12);
	expect_eq(asite_estimate_weight(8, ASITE_POISSON_MEAN_MAX) >> 24,
		  0x800000080000002ULL >> 24);
	return 0;
}

static int test_estimate_of_certain(void)
{
	expect_eq(asite_estimate(12345, ASITE_WEIGHT_ONE), 12345 << ASITE_ESTIMATE_BITS);
	expect_eq(asite_estimate_round(asite_estimate(12345, ASITE_WEIGHT_ONE)), 12345);
	expect(!asite_estimate_variance(12345, ASITE_WEIGHT_ONE, 4096));
	return 0;
}

/* 9 objects of 100 bytes at p = 1/2: 18 of them, variance 9 * 2 * 1. */
static int test_estimate_of_half(void)
{
	u64 weight = 2 * ASITE_WEIGHT_ONE;

	expect_eq(asite_estimate_round(asite_estimate(9, weight)), 18);
	expect_eq(asite_estimate_variance(9, weight, 1), 18ULL << (2 * ASITE_ESTIMATE_BITS));
	expect_eq(asite_estimate_variance(9, weight, 100),
		  180000ULL << (2 * ASITE_ESTIMATE_BITS));
	return 0;
}

/* Rounded down, over the whole range. */
static int test_estimate_error_is_root(void)
{
	u64 root;

	for (root = 1; root < ~0ULL / 3; root = root * 3 + 1) {
		__uint128_t square = (__uint128_t)root * root;

		expect_eq(asite_estimate_error(square), root);
		expect_eq(asite_estimate_error(square - 1), root - 1);
		expect_eq(asite_estimate_error(square + 2 * root), root);
	}
	expect_eq(asite_estimate_error(0), 0);
	return 0;
}

/* As large as it gets: 2^40 objects of 8 bytes, 4 MiB objects at the largest mean. */
static int test_estimate_does_not_run_over(void)
{
	u64 weight = asite_estimate_weight(8, ASITE_POISSON_MEAN_MAX), error;

	error = asite_estimate_error(asite_estimate_variance(1ULL << 40, weight, 8));
	error = asite_estimate_round(error);
	/* 2^20 times the mean, to one in 2^26. */
	expect(error >> 24 == 1ULL << 26 || error >> 24 == (1ULL << 26) - 1);
	weight = asite_estimate_weight(1ULL << 22, ASITE_POISSON_MEAN_MAX);
	error = asite_estimate_error(asite_estimate_variance(1ULL << 40, weight, 1ULL << 22));
	error = asite_estimate_round(error);
	expect(error > (1ULL << 50) / 100 * 99 && error < (1ULL << 50) / 100 * 101);
	return 0;
}

static const struct case_entry sample_number_cases[] = {
	{ "poisson_log_known", test_poisson_log_known },
	{ "poisson_picks_share", test_poisson_picks_share },
	{ "poisson_unsettle_share", test_poisson_unsettle_share },
	{ "poisson_unsettle_once", test_poisson_unsettle_once },
	{ "estimate_weight_known", test_estimate_weight_known },
	{ "estimate_of_certain", test_estimate_of_certain },
	{ "estimate_of_half", test_estimate_of_half },
	{ "estimate_error_is_root", test_estimate_error_is_root },
	{ "estimate_does_not_run_over", test_estimate_does_not_run_over },
	{ }
};
