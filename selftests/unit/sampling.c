// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling against what it claims to be: the fixed-point logarithm and weights against libm, and
 * over many seeds that picks have their probability, that estimates are not biased, and that the
 * standard error is what it is called. KTAP out.
 *
 * All seeds are fixed: a pass is a pass for ever, and with other seeds a check of right code would
 * fail with the probability that stands at it. Z = 5 standard deviations: 5.8e-7 of a normal
 * variable lie outside.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "../cases/cases.c"
#include "seed.h"

#define Z	5.0

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static unsigned long stream;

static u64 next_seed(void)
{
	return seed_next(&stream);
}

/* Numbers. */

static long double log_off(u64 random)
{
	/* U = 1 - (2^64 - random) / 2^64, so that nothing is lost near 1. */
	long double wanted = random >> 63 ? -log1pl(-ldexpl(-(random | 1), -64)) :
					    -logl(ldexpl(random | 1, -64));

	return fabsl(ldexpl(asite_poisson_log(random), -ASITE_POISSON_LOG_BITS) - wanted);
}

/* Each cell of the table at both ends, each number of leading zeros, and a million others. */
static int test_log_accuracy(void)
{
	long double worst = 0;
	unsigned int zeros, i;

	for (zeros = 0; zeros < 50; zeros++)
		for (i = 0; i < ARRAY_SIZE(cells); i++) {
			u64 start = (1ULL << 63 | (u64)i << (63 - CELL_BITS)) >> zeros;

			worst = fmaxl(worst, fmaxl(log_off(start - 2), log_off(start)));
			worst = fmaxl(worst, log_off(start + 2));
		}
	for (i = 0; i < 1000000; i++)
		worst = fmaxl(worst, log_off(next_seed()));
	case_print("# logarithm: off by %.1Le at most\n", worst);
	return !expect(worst < 5 / 1e14L);
}

/* Near 0, where small gaps come from, the digits count, not the distance. */
static int test_log_digits(void)
{
	long double worst = 0;
	unsigned int bits;

	/* From 2^-20 on down a result has 38 bits and fewer. */
	for (bits = 6; bits < 30; bits++) {
		u64 random = -(1ULL << (63 - bits)) | 1;

		worst = fmaxl(worst, log_off(random) / -log1pl(-ldexpl(-random, -64)));
	}
	case_print("# logarithm near 0: off by %.1Le of it at most\n", worst);
	return !expect(worst < 2 / 1e8L);
}

static int test_table_entries(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cells); i++) {
		long double inverse = ldexpl(cells[i].inverse, -32);
		long double middle = i + 1 < ARRAY_SIZE(cells) ? 1 + (i + 0.5L) / 32 : 2;

		expect(fabsl(inverse - 1 / middle) < ldexpl(1, -32));
		expect(fabsl(ldexpl(cells[i].log, -ASITE_POISSON_LOG_BITS) + logl(inverse)) <
		       ldexpl(1, -58));
	}
	return 0;
}

static long double probability(u64 size, unsigned int every)
{
	return -expm1l(-(long double)size / every);
}

static int test_weight_accuracy(void)
{
	long double worst = 0;
	u64 size, every;

	for (every = 1; every <= ASITE_POISSON_MEAN_MAX; every += 1 + every / 7)
		for (size = 8; size < 1ULL << 33; size += 8 + size / 64 * 8) {
			long double got = ldexpl(asite_estimate_weight(size, every),
						 -ASITE_WEIGHT_BITS);

			worst = fmaxl(worst, fabsl(got * probability(size, every) - 1));
		}
	case_print("# weight: off by %.1Le of it at most\n", worst);
	/* Of 1 / p near 1 the last of 32 bits is 2.3e-10; of small p, its own precision. */
	return !expect(worst < 1.5L / 1e9L);
}

/* Picks. */

static bool pick(size_t bytes)
{
	return !asite_poisson_passes(bytes) && asite_poisson_picks(bytes);
}

/* How far a count is from the binomial's mean, in its standard deviations. */
static double deviation(double count, double trials, double p)
{
	return (count - trials * p) / sqrt(trials * p * (1 - p));
}

static const size_t sizes[] = { 8, 64, 192, 1000, 4096, 16384, 65536 };

/*
 * 7 sizes, 4 means: each object's share, and that of objects whose predecessor was picked, which
 * must be the same. 56 checks: one fails by chance in 30,000 sets of seeds.
 */
static int test_picks_are_independent(void)
{
	static const unsigned int means[] = { 16, 1000, 4096, 100000 };
	unsigned int m, s, i, trials = 400000;

	for (m = 0; m < ARRAY_SIZE(means); m++)
		for (s = 0; s < ARRAY_SIZE(sizes); s++) {
			double p = probability(sizes[s], means[m]);
			unsigned int picked = 0, both = 0;
			bool last = false, now;

			asite_poisson_begin(means[m], next_seed);
			for (i = 0; i < trials; i++, last = now) {
				now = pick(sizes[s]);
				picked += now;
				both += now && last;
			}
			if (1 - p > 1 / 1e5)
				expect(fabs(deviation(picked, trials, p)) < Z);
			else
				expect(picked >= trials - 20);
			if (p > 0.001 && p < 0.999)
				expect(fabs(deviation(both, picked, p)) < Z);
		}
	return 0;
}

/* Whatever comes between two objects: others, interrupts at an event, the self-test. */
static int test_picks_unsettled(void)
{
	unsigned int s, i, trials = 400000;

	for (s = 0; s < ARRAY_SIZE(sizes) - 1; s++) {
		double p = probability(sizes[s], 4096);
		unsigned int picked = 0;

		asite_poisson_begin(4096, next_seed);
		for (i = 0; i < trials; i++) {
			u64 random = next_seed();

			if (!(random & 7))
				asite_poisson_unsettle();
			if (!(random & 0x70))
				pick(random >> 50);
			picked += pick(sizes[s]);
		}
		expect(fabs(deviation(picked, trials, p)) < Z);
	}
	return 0;
}

/* Estimates. */

#define SEEDS	4000
#define MEAN	1024

/* In a sample are 300 to 4,900 of each kind, and at least 90 are not. */
static const struct {
	unsigned int size, objects;
} kinds[] = {
	{ 8, 40000 }, { 64, 10000 }, { 192, 4000 }, { 1000, 1000 }, { 4096, 5000 },
};

#define KINDS	ARRAY_SIZE(kinds)

/* Of one estimated figure, over the seeds. */
struct figure {
	double real, deviation;
	double sum, squares;
	unsigned int covered;
};

static void note(struct figure *f, double estimate, double error)
{
	double z = (estimate - f->real) / f->deviation;

	f->sum += z;
	f->squares += z * z;
	f->covered += fabs(estimate - f->real) <= 1.96 * error;
}

static double plain(u64 value)
{
	return ldexp(value, -ASITE_ESTIMATE_BITS);
}

/* Objects of all kinds, mixed; each second of a kind is freed again. */
static void take_sample(unsigned int *picked, unsigned int *live)
{
	unsigned int kind, step, steps = kinds[0].objects;

	memset(picked, 0, KINDS * sizeof(*picked));
	memset(live, 0, KINDS * sizeof(*live));
	for (step = 0; step < steps; step++)
		for (kind = 0; kind < KINDS; kind++) {
			u64 number = (u64)step * kinds[kind].objects / steps;

			/* The rarer come evenly between the others. */
			if (number == (step + 1ULL) * kinds[kind].objects / steps ||
			    !pick(kinds[kind].size))
				continue;
			picked[kind]++;
			live[kind] += number & 1;
		}
}

static void note_sample(struct figure *figures, const unsigned int *picked,
			const unsigned int *live)
{
	__uint128_t variance = 0;
	double bytes = 0;
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		u64 w = asite_estimate_weight(kinds[i].size, MEAN);
		u64 error = asite_estimate_error(asite_estimate_variance(picked[i], w, 1));

		note(&figures[i], plain(asite_estimate(picked[i], w)), plain(error));
		bytes += plain(asite_estimate((u64)live[i] * kinds[i].size, w));
		variance += asite_estimate_variance(live[i], w, kinds[i].size);
	}
	note(&figures[KINDS], bytes, plain(asite_estimate_error(variance)));
}

static void expect_figure(const char *name, const struct figure *f)
{
	double mean_z = f->sum / SEEDS, variance = f->squares / SEEDS;
	double covered = (double)f->covered / SEEDS;

	case_print("# %s: mean %+.4f errors off, variance %.3f of theory's, %.1f%% in 95%%\n",
		   name, mean_z, variance, 100 * covered);
	/* Not biased: Z standard deviations of a mean. */
	expect(fabs(mean_z) * sqrt(SEEDS) < Z);
	/* The spread is that of the formula: as many, of a variance. */
	expect(fabs(variance - 1) * sqrt(SEEDS / 2.0) < Z);
	/*
	 * The error that is printed has the meaning it should. With the counts above some
	 * 94.8% are in it; the bounds are 5 and 6 deviations of a share away.
	 */
	expect(covered > 0.93 && covered < 0.97);
}

/* 6 figures, 3 checks each: by chance one fails in 100,000 sets of seeds. */
static int test_estimates_unbiased(void)
{
	unsigned int kind, seed, picked[KINDS], live[KINDS];
	struct figure figures[KINDS + 1] = {};
	struct figure *total = &figures[KINDS];
	char name[32];

	for (kind = 0; kind < KINDS; kind++) {
		double p = probability(kinds[kind].size, MEAN), n = kinds[kind].objects;
		double size = kinds[kind].size;

		figures[kind].real = n;
		figures[kind].deviation = sqrt(n * (1 - p) / p);
		total->real += n / 2 * size;
		total->deviation += n / 2 * (1 - p) / p * size * size;
	}
	total->deviation = sqrt(total->deviation);
	for (seed = 0; seed < SEEDS; seed++) {
		asite_poisson_begin(MEAN, next_seed);
		take_sample(picked, live);
		note_sample(figures, picked, live);
	}
	for (kind = 0; kind < KINDS; kind++) {
		snprintf(name, sizeof(name), "%u of %u bytes", kinds[kind].objects,
			 kinds[kind].size);
		expect_figure(name, &figures[kind]);
	}
	expect_figure("live bytes of all", total);
	return 0;
}

static const struct case_entry tests[] = {
	{ "log_accuracy", test_log_accuracy },
	{ "log_digits", test_log_digits },
	{ "table_entries", test_table_entries },
	{ "weight_accuracy", test_weight_accuracy },
	{ "picks_are_independent", test_picks_are_independent },
	{ "picks_unsettled", test_picks_unsettled },
	{ "estimates_unbiased", test_estimates_unbiased },
	{ }
};

int main(void)
{
	unsigned int i, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	case_print("KTAP version 1\n1..%zu\n", ARRAY_SIZE(tests) - 1);
	for (i = 0; tests[i].name; i++) {
		bool ok;

		/* Each by itself gives the same numbers. */
		stream = 0x5eed + i;
		ok = !tests[i].run() & !case_failures();
		failed += !ok;
		case_print("%s %u %s\n", case_result(ok), i + 1, tests[i].name);
	}
	return !!failed;
}
