/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From counts of a sample to what they stand for, in whole numbers: reports only.
 *
 * An object of s bytes is in the sample with probability p = 1 - exp(-s / mean), independently of
 * all others (poisson.h). So each of n sampled objects of a size stands for 1 / p; n / p estimates
 * how many there are without bias, and n (1 - p) / p^2 estimates the variance of that.
 *
 * Contexts: any.
 */
#ifndef ALLOCSITE_ESTIMATE_H
#define ALLOCSITE_ESTIMATE_H

#include <linux/types.h>

#define ASITE_WEIGHT_BITS	32	/* fractional bits of a weight */
#define ASITE_WEIGHT_ONE	(1ULL << ASITE_WEIGHT_BITS)
#define ASITE_ESTIMATE_BITS	8	/* fractional bits of estimates and errors */

/**
 * asite_estimate_weight() - how many objects one in the sample stands for
 * @size: bytes of the object; 0, where it is not known, has no weight but 1
 * @mean: as of asite_poisson_begin()
 *
 * Context: any.
 * Return: 1 / p, with ASITE_WEIGHT_BITS fractional bits.
 */
u64 asite_estimate_weight(u64 size, unsigned int mean);

/**
 * asite_estimate() - what a count in the sample stands for
 * @count: objects, or bytes, in the sample
 * @weight: asite_estimate_weight() of their size
 *
 * Context: any.
 * Return: the estimate, with ASITE_ESTIMATE_BITS fractional bits.
 */
u64 asite_estimate(u64 count, u64 weight);

/**
 * asite_estimate_variance() - the square of an estimate's standard error
 * @count: objects in the sample
 * @weight: asite_estimate_weight() of their size
 * @unit: 1 for the error of objects, the size for that of bytes
 *
 * Variances of independent estimates add up.
 *
 * Context: any.
 * Return: the variance, with twice ASITE_ESTIMATE_BITS fractional bits.
 */
__uint128_t asite_estimate_variance(u64 count, u64 weight, u64 unit);

/**
 * asite_estimate_error() - the standard error
 * @variance: asite_estimate_variance(), or a sum of such
 *
 * Context: any.
 * Return: its square root, with ASITE_ESTIMATE_BITS fractional bits.
 */
u64 asite_estimate_error(__uint128_t variance);

/* An estimate or error as a whole number, for people. */
static inline u64 asite_estimate_round(u64 value)
{
	return (value + (1 << (ASITE_ESTIMATE_BITS - 1))) >> ASITE_ESTIMATE_BITS;
}

#endif /* ALLOCSITE_ESTIMATE_H */
