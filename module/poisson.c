// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Poisson process that picks the sample: gaps and the generator behind them. What is
 * picked and why it is not biased is in poisson.h.
 *
 * This is a core: built in the module and in user space.
 *
 * Contexts: any, NMI included, but for asite_poisson_begin().
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>

#include <allocsite/poisson.h>

DEFINE_PER_CPU(struct asite_poisson, asite_poisson);

/* Bytes from one event to the next, on average; constant while hooks are attached. */
static unsigned int mean __read_mostly = ASITE_POISSON_MEAN_MIN;

/*
 * The logarithm of a number m from 1 to below 2, by its leading bits i: with v near 1/m,
 * ln(m) = ln(1 / v) + ln(m v), where m v is within 1/64 of 1. For all i but the last
 * v = 1 / (1 + (i + 1/2) / 32), for the last 1/2, so that numbers just below a power of two
 * get a logarithm just above zero with all its digits. (Tested against libm:
 * selftests/unit/sampling.c, each entry too.)
 */
struct log_cell {
	u32 inverse;	/* v, 32 fractional bits */
	u64 log;	/* ln(1 / v) of that v, ASITE_POISSON_LOG_BITS fractional bits */
};

#define CELL_BITS	5
#define LN2		0x2c5c85fdf473de7ULL	/* in the same form */

static const struct log_cell cells[1 << CELL_BITS] = {
	{ 0xfc0fc0fc, 0x00fe05458be01f2 },	{ 0xf4898d60, 0x02ee8b1ea65b9f9 },
	{ 0xed7303b6, 0x04d075e578f4742 },	{ 0xe6c2b448, 0x06a49b4e9ab558e },
	{ 0xe070381c, 0x086bbf3e6c472cb },	{ 0xda740da7, 0x0a2695b678be8f3 },
	{ 0xd4c77b03, 0x0bd5c481216c849 },	{ 0xcf6474a9, 0x0d79e4a7195ff97 },
	{ 0xca4587e7, 0x0f1383b6fe7972f },	{ 0xc565c87b, 0x10a324e29290e36 },
	{ 0xc0c0c0c1, 0x122941fbba7965a },	{ 0xbc52640c, 0x13a64c555545e9c },
	{ 0xb81702e0, 0x151aad874df82d1 },	{ 0xb40b40b4, 0x1686c81e9f14aec },
	{ 0xb02c0b03, 0x17eaf83b6bafc36 },	{ 0xac769184, 0x1947941c2516fac },
	{ 0xa8e83f57, 0x1a9cec9aa308499 },	{ 0xa57eb503, 0x1beb4d9d7e1b7bf },
	{ 0xa237c32b, 0x1d32fe7e09ebd56 },	{ 0x9f1165e7, 0x1e744261e58787e },
	{ 0x9c09c09c, 0x1faf588f7cf31ee },	{ 0x991f1a51, 0x20e47cb85ebe80a },
	{ 0x964fda6c, 0x2213e73c5e992e0 },	{ 0x939a85c4, 0x233dcd68d392dda },
	{ 0x90fdbc09, 0x246261af847e850 },	{ 0x8e78356d, 0x2581d3da921d177 },
	{ 0x8c08c08c, 0x269c513b3dc3a63 },	{ 0x89ae408a, 0x27b204d4bcadf55 },
	{ 0x8767ab5f, 0x28c3178451bd850 },	{ 0x85340853, 0x29cfb0238db7614 },
	{ 0x83126e98, 0x2ad7f3ab2fe7328 },	{ 0x80000000, 0x2c5c85fdf473de7 },
};

/* Signed fractions of 63 bits. */
static s64 multiply(s64 a, s64 b)
{
	return ((__int128)a * b) >> 63;
}

#define FRACTION(n)	((s64)((1ULL << 63) / (n)))

/* ln(1 + r), |r| below 1/64: the series to the 6th power, off by 5e-14 of the number at most. */
static s64 log_of_one_and(s64 r)
{
	s64 sum = FRACTION(6);

	sum = FRACTION(5) - multiply(r, sum);
	sum = FRACTION(4) - multiply(r, sum);
	sum = FRACTION(3) - multiply(r, sum);
	sum = FRACTION(2) - multiply(r, sum);
	return r - multiply(r, multiply(r, sum));
}

u64 asite_poisson_log(u64 random)
{
	unsigned int zeros = 64 - fls64(random | 1);
	u64 m = (random | 1) << zeros;	/* 63 fractional bits */
	const struct log_cell *cell = &cells[(m << 1) >> (64 - CELL_BITS)];
	s64 r = ((__uint128_t)m * cell->inverse - ((__uint128_t)1 << 95)) >> 32;

	/* The number is m / 2^(zeros + 1). */
	return (zeros + 1) * LN2 - cell->log -
	       (log_of_one_and(r) >> (63 - ASITE_POISSON_LOG_BITS));
}

/*
 * splitmix64: a counter, mixed. Its only state is one number that one instruction adds to,
 * so interrupts and NMIs may draw in the middle of each other.
 */
static u64 draw(void)
{
	u64 x = this_cpu_add_return(asite_poisson.random, 0x9E3779B97F4A7C15ULL);

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
	return x ^ x >> 31;
}

static s64 gap_of(u64 random)
{
	return ((__uint128_t)asite_poisson_log(random) * mean) >> ASITE_POISSON_LOG_BITS;
}

bool asite_poisson_picks(size_t bytes)
{
	s64 gap = gap_of(draw());
	s64 before = this_cpu_xchg(asite_poisson.left, gap) + (s64)bytes;

	/* It was below zero before these bytes: the event was another's. */
	if (unlikely(before < 0))
		return gap_of(draw()) < (s64)bytes;
	return true;
}

void asite_poisson_unsettle(void)
{
	this_cpu_xchg(asite_poisson.left, -1);
}

void asite_poisson_begin(unsigned int bytes, u64 (*seed)(void))
{
	struct asite_poisson *p;
	int cpu;

	mean = bytes;
	for_each_possible_cpu(cpu) {
		p = &per_cpu(asite_poisson, cpu);
		p->random = seed();
		p->left = gap_of(seed());
	}
}
