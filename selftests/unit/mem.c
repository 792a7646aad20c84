// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tool's own memory in user space: what include/allocsite/mem.h promises,
 * on calloc(), so that the sanitizers see every bound. Also the two handles of
 * the cases: fail the n-th allocation, and how much is held.
 *
 * Contexts: any thread; case_fail_nth() only while no other thread allocates.
 */
#include <stdlib.h>
#include <string.h>

#include <allocsite/mem.h>
#include <linux/atomic.h>
#include <linux/cache.h>

#include "../cases/cases.h"

_Thread_local int shim_cpu;

/* Bytes held; allocations until one fails, 0 for never. */
static u64 used;
static long fail_in;

static bool fails_now(void)
{
	return fail_in && --fail_in == 0;
}

void case_fail_nth(long n)
{
	fail_in = n;
}

static void *take(size_t bytes, size_t counted)
{
	size_t whole = (bytes + SMP_CACHE_BYTES - 1) & -(size_t)SMP_CACHE_BYTES;
	void *mem;

	if (fails_now())
		return NULL;
	mem = aligned_alloc(SMP_CACHE_BYTES, whole);
	if (!mem)
		return NULL;
	memset(mem, 0, whole);
	__atomic_add_fetch(&used, counted, __ATOMIC_RELAXED);
	return mem;
}

static void give(void *mem, size_t counted)
{
	if (!mem)
		return;
	free(mem);
	__atomic_sub_fetch(&used, counted, __ATOMIC_RELAXED);
}

void *asite_mem_alloc(size_t bytes)
{
	return take(bytes, bytes);
}

void asite_mem_free(void *mem, size_t bytes)
{
	give(mem, bytes);
}

void *asite_mem_alloc_percpu(size_t bytes)
{
	return take((SHIM_NR_CPUS - 1) * SHIM_PERCPU_STRIDE + bytes, bytes * SHIM_NR_CPUS);
}

void asite_mem_free_percpu(void *mem, size_t bytes)
{
	give(mem, bytes * SHIM_NR_CPUS);
}

void asite_mem_free_text(char *text)
{
	free(text);
}

u64 asite_mem_used(void)
{
	return __atomic_load_n(&used, __ATOMIC_RELAXED);
}

char *case_text(const char *text)
{
	return strdup(text);
}
