// SPDX-License-Identifier: GPL-2.0-only
/*
 * Estimates from counts of a sample: fixed-point arithmetic, no floating point. The formulas are in
 * estimate.h.
 *
 * This is a core: built in the module and in user space.
 *
 * Contexts: any; only reports call it.
 */
#include <linux/kernel.h>

#include <allocsite/estimate.h>

#define ONE		(1ULL << 63)	/* 1 with 63 fractional bits */
#define TIME_BITS	58		/* fractional bits of size / mean, which is below 64 */
#define LN2		0x2c5c85fdf473de7ULL	/* in that form */

/* From here on 1 - p is below 2^-63. */
#define CERTAIN		44U

#define EXP_TERMS	20		/* 0.7^21 / 21! is below 2^-75 */

/*
 * The quotient must fit 64 bits. Bit by bit: mul_u64_u64_div_u64() of x86 takes one register for
 * factor and divisor where the compiler knows them to be equal.
 */
static u64 divide(__uint128_t number, u64 by)
{
	u64 rest = number >> 64, low = number, quotient = 0;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		bool carry = rest >> 63;

		rest = rest << 1 | low >> 63;
		low <<= 1;
		quotient <<= 1;
		if (carry || rest >= by) {
			rest -= by;
			quotient |= 1;
		}
	}
	return quotient;
}

/* exp(-t), @t with TIME_BITS, below CERTAIN; 63 fractional bits. */
static u64 exp_minus(u64 t)
{
	u64 part = (t % LN2) << (63 - TIME_BITS), sum = ONE;
	unsigned int n;

	/* exp(-t) = exp(-part) / 2^(t / ln 2); the series, from its far end. */
	for (n = EXP_TERMS; n; n--)
		sum = ONE - (u64)(((__uint128_t)part * sum) >> 63) / n;
	return sum >> (t / LN2);
}

u64 asite_estimate_weight(u64 size, unsigned int mean)
{
	u64 p;

	if (!size || size / CERTAIN >= mean)
		return ASITE_WEIGHT_ONE;
	p = ONE - exp_minus(divide((__uint128_t)size << TIME_BITS, mean));
	return divide((__uint128_t)ONE << ASITE_WEIGHT_BITS, p);
}

u64 asite_estimate(u64 count, u64 weight)
{
	return ((__uint128_t)count * weight) >> (ASITE_WEIGHT_BITS - ASITE_ESTIMATE_BITS);
}

/*
 * n (1 - p) / p^2 = n w (w - 1). Size times weight is not much more than the larger of size and
 * mean, below 2^33: with 24 fractional bits for each factor and 2^40 objects it fits.
 */
__uint128_t asite_estimate_variance(u64 count, u64 weight, u64 unit)
{
	__uint128_t high = (__uint128_t)weight * unit >> (ASITE_WEIGHT_BITS - 24);
	__uint128_t low = (__uint128_t)(weight - ASITE_WEIGHT_ONE) * unit >>
				(ASITE_WEIGHT_BITS - 24);

	return (high * low >> (48 - 2 * ASITE_ESTIMATE_BITS)) * count;
}

/* Bit by bit, from above. */
u64 asite_estimate_error(__uint128_t variance)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 63; bit; bit >>= 1) {
		u64 larger = root | bit;

		if ((__uint128_t)larger * larger <= variance)
			root = larger;
	}
	return root;
}
