/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults that a test build (allocsite_test.ko, ASITE_TEST_BUILD=1) can cause.
 * In the real module these are constants: no code of theirs is in it.
 */
#ifndef ALLOCSITE_TESTING_H
#define ALLOCSITE_TESTING_H

#include <linux/types.h>

#ifndef ASITE_TEST_BUILD
#define ASITE_TEST_BUILD 0
#endif

/**
 * asite_testing_drop() - shall this free go unseen?
 * @ptr: the object
 *
 * Context: any.
 * Return: true for each drop_free_nth-th free of an object that is followed.
 */
bool asite_testing_drop(const void *ptr);

static __always_inline bool asite_testing_drop_free(const void *ptr)
{
	return ASITE_TEST_BUILD && asite_testing_drop(ptr);
}

/**
 * asite_testing_wait() - "pause_ms" before an object of "pause_bytes" is counted
 * @requested: bytes asked for
 *
 * Context: any; waits in a task only.
 */
void asite_testing_wait(size_t requested);

/* A handler has found a slot, and has not counted yet. */
static __always_inline void asite_testing_pause(size_t requested)
{
	if (ASITE_TEST_BUILD)
		asite_testing_wait(requested);
}

#endif /* ALLOCSITE_TESTING_H */
