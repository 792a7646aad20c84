/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which allocations are in the sample: those on which an event of a Poisson process over
 * the bytes allocated falls, with one event in @mean bytes. So an object of s bytes is in
 * it with probability 1 - exp(-s / mean), whatever was before it, and the objects are
 * independent of each other: estimates and their errors follow from counts alone
 * (estimate.h).
 *
 * Each CPU counts down the bytes to its next event. The gap between two events is
 * floor(mean * E), where E has the exponential distribution of mean 1: for whole numbers
 * of bytes that is the process exactly. It has no memory, so a gap may be drawn anew at any
 * time, and an object that is let go after all (an allocation that failed) biases nothing.
 *
 * Contexts: asite_poisson_passes() and _picks() in any, NMI included, preemptible or not: each
 * access is one instruction on some CPU's copy.
 *
 * Invariant: a count below zero says that an event fell and its object has not drawn the
 * next gap yet, or that asite_poisson_unsettle() was called. Who comes meanwhile decides for
 * itself, by a gap of its own, which is the same probability. So neither an interrupt between
 * the two instructions nor a task that moves to another CPU there is a bias.
 */
#ifndef ALLOCSITE_POISSON_H
#define ALLOCSITE_POISSON_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <compat/percpu.h>

/* Bounds of the mean. Objects of 8 bytes are then sampled one in 2^27 at least. */
#define ASITE_POISSON_MEAN_MIN	1U
#define ASITE_POISSON_MEAN_MAX	(1U << 30)

/* Fractional bits of asite_poisson_log(). */
#define ASITE_POISSON_LOG_BITS	58

/**
 * struct asite_poisson - one CPU's part of the process
 * @left: bytes to the next event; below zero: see above
 * @random: state of the generator
 *
 * Aligned so that it is never in two cache lines.
 */
struct asite_poisson {
	s64 left;
	u64 random;
} __aligned(16);

DECLARE_PER_CPU(struct asite_poisson, asite_poisson);

/**
 * asite_poisson_begin() - draw the first gaps of every CPU
 * @mean: bytes from one event to the next, on average
 * @seed: gives 64 random bits at each call
 *
 * Context: task; nobody allocates or frees by it.
 */
void asite_poisson_begin(unsigned int mean, u64 (*seed)(void));

/**
 * asite_poisson_passes() - count an object's bytes
 * @bytes: what it takes, not zero
 *
 * Context: any, NMI included.
 * Return: true if it is not in the sample, as most are not; else ask
 * asite_poisson_picks(), which must be called then.
 */
static __always_inline bool asite_poisson_passes(size_t bytes)
{
	return likely(!asite_k_this_cpu_sub_is_negative(asite_poisson.left, bytes));
}

/**
 * asite_poisson_picks() - draw the next gap; is the object in the sample?
 * @bytes: as asite_poisson_passes() was given
 *
 * Context: any, NMI included.
 * Return: true if it is.
 */
bool asite_poisson_picks(size_t bytes);

/**
 * asite_poisson_unsettle() - this CPU's next object shall call asite_poisson_picks()
 *
 * It changes no object's probability.
 *
 * Context: any, NMI included.
 */
void asite_poisson_unsettle(void);

/**
 * asite_poisson_log() - minus the natural logarithm of a random number
 * @random: 64 random bits; the number is (@random | 1) / 2^64
 *
 * Context: any.
 * Return: -ln of it, above zero, with ASITE_POISSON_LOG_BITS fractional bits.
 */
u64 asite_poisson_log(u64 random);

#endif /* ALLOCSITE_POISSON_H */
