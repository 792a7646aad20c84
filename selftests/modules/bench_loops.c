// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loops of asite_bench and the objects they meet. Not here: passes, clocks,
 * output; that is bench_main.c, which also serialises everything below.
 *
 * Context: interrupts off where a loop allows it, so GFP_ATOMIC; a task that may
 * sleep in the others. Objects live inside a loop or until bench_drop_ballast().
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "bench.h"

#define PAIRS		10000
#define PAGE_PAIRS	1000
#define SLOW_PAIRS	100	/* a pass is over before the next tick */
#define BULK		16
#define BULK_PAIRS	(100 * BULK)
#define LIVE		1000
#define LIVE_MANY	100000
#define PER_SLAB	(PAGE_SIZE / 64)	/* objects in a slab of kmalloc-64 */
#define BALLAST		8192	/* more than are free in its partly used slabs */
#define POOL		(64 * PER_SLAB)
/* One object of each slab is held, the others are the loop's. */
#define POOL_MANY	(DIV_ROUND_UP(LIVE_MANY, PER_SLAB - 1) * PER_SLAB + POOL)
#define CACHE_SIZE	192
#define DEEPER		30	/* frames: with those of a read of debugfs, more than 32 */
#define SIZE_FIRST	8
#define SIZE_LAST	240
#define SIZE_STEP	8
#define SEED		0x2545f4914f6cdd1dULL

static struct kmem_cache *bench_cache;
static void **live;			/* LIVE_MANY pointers, of the loop that runs */
static u32 *order;			/* a permutation of the first LIVE, */
static u32 *order_many;			/* and one of LIVE_MANY: who is freed when */
static void **ballast;			/* objects held, see hold_*() and fill_ballast() */
static unsigned int ballast_count;

/* --- Loops; noinline so that each is a call site of its own ------------- */

/* What the counting costs. */
static noinline unsigned int run_empty(unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < pairs; i++)
		barrier();
	return i;
}

static noinline unsigned int run_kmalloc_64(unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		void *object = kmalloc(64, GFP_ATOMIC);

		if (!object)
			break;
		kfree(object);
	}
	return i;
}

/* As run_kmalloc_64(), on a deep stack. */
static noinline unsigned int run_deeper(unsigned int pairs, unsigned int frames)
{
	unsigned int done = frames ? run_deeper(pairs, frames - 1) : run_kmalloc_64(pairs);

	/* No tail call: the frame is what it is for. */
	barrier();
	return done;
}

static noinline unsigned int run_kmalloc_64_deep(unsigned int pairs)
{
	return run_deeper(pairs, DEEPER);
}

static noinline unsigned int run_cache_192(unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		void *object = kmem_cache_alloc(bench_cache, GFP_ATOMIC);

		if (!object)
			break;
		kmem_cache_free(bench_cache, object);
	}
	return i;
}

static noinline unsigned int run_sizes(unsigned int pairs)
{
	size_t size = SIZE_FIRST;
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		void *object = kmalloc(size, GFP_ATOMIC);

		if (!object)
			break;
		kfree(object);
		size = size < SIZE_LAST ? size + SIZE_STEP : SIZE_FIRST;
	}
	return i;
}

/* Allocates up to count objects into live[], returns how many. */
static __always_inline unsigned int fill_live(unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		live[n] = kmalloc(64, GFP_ATOMIC);
		if (!live[n])
			break;
	}
	return n;
}

/* LIVE objects at a time, released in the order they came. */
static noinline unsigned int run_live_1000(unsigned int pairs)
{
	unsigned int done = 0, i, n;

	while (done < pairs) {
		n = fill_live(LIVE);
		for (i = 0; i < n; i++)
			kfree(live[i]);
		done += n;
		if (n < LIVE)
			break;
	}
	return done;
}

/* count objects at a time, released in the order of a permutation. */
static __always_inline unsigned int run_random(unsigned int pairs, const u32 *permutation,
					       unsigned int count)
{
	unsigned int done = 0, i, n;

	while (done < pairs) {
		n = fill_live(count);
		done += n;
		/* Indices beyond n are of objects that there was no memory for. */
		for (i = 0; i < count; i++)
			if (likely(permutation[i] < n))
				kfree(live[permutation[i]]);
		if (n < count)
			break;
	}
	return done;
}

static noinline unsigned int run_random_1000(unsigned int pairs)
{
	return run_random(pairs, order, LIVE);
}

static noinline unsigned int run_random_100000(unsigned int pairs)
{
	return run_random(pairs, order_many, LIVE_MANY);
}

static noinline unsigned int run_bulk(unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < pairs; i += BULK) {
		if (!kmem_cache_alloc_bulk(bench_cache, GFP_ATOMIC, BULK, live))
			break;
		kmem_cache_free_bulk(bench_cache, BULK, live);
	}
	return i;
}

static __always_inline unsigned int run_pages(unsigned int pairs, unsigned int page_order)
{
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		struct page *page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, page_order);

		if (!page)
			break;
		__free_pages(page, page_order);
	}
	return i;
}

static noinline unsigned int run_page_0(unsigned int pairs)
{
	return run_pages(pairs, 0);
}

static noinline unsigned int run_page_3(unsigned int pairs)
{
	return run_pages(pairs, 3);
}

static noinline unsigned int run_page_9(unsigned int pairs)
{
	return run_pages(pairs, 9);
}

static noinline unsigned int run_vmalloc(unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		void *area = vmalloc(PAGE_SIZE);

		if (!area)
			break;
		vfree(area);
	}
	return i;
}

static noinline unsigned int run_percpu(unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		u64 __percpu *counter = alloc_percpu(u64);

		if (!counter)
			break;
		free_percpu(counter);
	}
	return i;
}

/* --- Which objects a pass works with ---------------------------------------- */

static int hold(void *object)
{
	if (!object)
		return -ENOMEM;
	ballast[ballast_count++] = object;
	return 0;
}

/**
 * bench_drop_ballast - free all objects that are held
 */
void bench_drop_ballast(void)
{
	while (ballast_count)
		kfree(ballast[--ballast_count]);
}

/*
 * A pair that is alone takes the same object each time. Where that lies decides
 * what it costs with the module on: a live neighbour within 64 bytes has the
 * preferred word of the live table, which is to be expected of objects of up to
 * 32 bytes. So each pass finds the objects of the passes before it held.
 */
static int hold_kmalloc_64(void)
{
	return hold(kmalloc(64, GFP_ATOMIC));
}

static int hold_cache_192(void)
{
	return hold(kmem_cache_alloc(bench_cache, GFP_ATOMIC));
}

/* One of each cache that run_sizes() uses. */
static int hold_sizes(void)
{
	static const size_t sizes[] = { 8, 16, 32, 64, 96, 128, 192, 240 };
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(sizes); i++)
		err = hold(kmalloc(sizes[i], GFP_ATOMIC));
	return err;
}

/* Ballast in a slab. NULL: no memory. */
static struct page *add_ballast(void)
{
	void *object = kmalloc(64, GFP_ATOMIC);

	return hold(object) ? NULL : virt_to_head_page(object);
}

/*
 * The kernel's own use leaves kmalloc-64 with partly free slabs, differently in
 * each boot, and slabs that fall empty go to the page allocator and back. For a
 * pass that always meets the same: take what is free, up to the start of a
 * fresh slab; then take pool objects from fresh slabs and release all but one
 * in each slab, so that the loop works in slabs that never fall empty.
 */
static int fill_ballast(unsigned int pool)
{
	struct page *slab = NULL, *last;
	unsigned int first, i;

	do {
		last = slab;
		slab = add_ballast();
		if (!slab)
			return -ENOMEM;
	} while (ballast_count < BALLAST || (slab == last && ballast_count < BALLAST + PER_SLAB));

	first = ballast_count;
	for (i = 0; i < pool; i++)
		if (!add_ballast())
			return -ENOMEM;
	for (i = 0; i < pool; i++) {
		if (i % PER_SLAB == 0)
			continue;
		kfree(ballast[first + i]);
		ballast[first + i] = NULL;
	}
	return 0;
}

static int fill_for_1000(void)
{
	return fill_ballast(POOL);
}

static int fill_for_100000(void)
{
	return fill_ballast(POOL_MANY);
}

/**
 * bench_hold - hold so many objects of kmalloc(64), and no others
 * @count: how many
 *
 * Context: may sleep. Return: 0, or -ENOMEM (those there was memory for are
 * held), or -E2BIG.
 */
int bench_hold(unsigned int count)
{
	int err = 0;

	if (count > LIVE_MANY)
		return -E2BIG;
	bench_drop_ballast();
	while (!err && ballast_count < count)
		err = hold(kmalloc(64, GFP_KERNEL));
	return err;
}

/* A pass of the last slab loops takes long: what it meets does not vary. */
const struct bench_loop bench_loops[] = {
	{ "empty", PAIRS, 0, false, run_empty },
	{ "kmalloc_64", PAIRS, 0, false, run_kmalloc_64, hold_kmalloc_64 },
	{ "cache_192", PAIRS, 0, false, run_cache_192, hold_cache_192 },
	{ "kmalloc_8_to_240", PAIRS, 0, false, run_sizes, hold_sizes },
	{ "kmalloc_64_deep", PAIRS, 0, false, run_kmalloc_64_deep, hold_kmalloc_64 },
	{ "kmalloc_64_live_1000", PAIRS, 0, false, run_live_1000,
	  fill_for_1000, bench_drop_ballast },
	{ "kmalloc_64_random_1000", PAIRS, 0, false, run_random_1000,
	  fill_for_1000, bench_drop_ballast },
	{ "kmalloc_64_random_100000", LIVE_MANY, 3, false, run_random_100000,
	  fill_for_100000, bench_drop_ballast },
	{ "cache_192_bulk_16", BULK_PAIRS, 0, true, run_bulk },
	{ "page_order_0", PAGE_PAIRS, 0, false, run_page_0 },
	{ "page_order_3", PAGE_PAIRS, 0, false, run_page_3 },
	{ "page_order_9", SLOW_PAIRS, 0, false, run_page_9 },
	{ "vmalloc_4096", SLOW_PAIRS, 0, true, run_vmalloc },
	{ "percpu_8", SLOW_PAIRS, 0, true, run_percpu },
};

const unsigned int bench_nr_loops = ARRAY_SIZE(bench_loops);

/* --- Init and exit -------------------------------------------------------- */

/* A shuffle, always the same one. */
static u32 *make_order(unsigned int count)
{
	u32 *permutation = kvmalloc_array(count, sizeof(*permutation), GFP_KERNEL);
	u64 random = SEED;
	unsigned int i, j;

	if (!permutation)
		return NULL;
	for (i = 0; i < count; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		j = (unsigned int)(random >> 33) % (i + 1);
		permutation[i] = permutation[j];
		permutation[j] = i;
	}
	return permutation;
}

/**
 * bench_loops_init - get what the loops need
 *
 * Context: may sleep. Return: 0 or -ENOMEM, then nothing is left.
 */
int bench_loops_init(void)
{
	live = kvcalloc(LIVE_MANY, sizeof(*live), GFP_KERNEL);
	ballast = kvcalloc(BALLAST + PER_SLAB + POOL_MANY, sizeof(*ballast), GFP_KERNEL);
	order = make_order(LIVE);
	order_many = make_order(LIVE_MANY);
	/* A cache with a usercopy window is never merged with another one. */
	bench_cache = kmem_cache_create_usercopy("asite_bench_192", CACHE_SIZE, 0, 0,
						 0, CACHE_SIZE, NULL);
	if (live && ballast && order && order_many && bench_cache)
		return 0;
	bench_loops_exit();
	return -ENOMEM;
}

/**
 * bench_loops_exit - give back what bench_loops_init() got, and what is held
 *
 * Context: may sleep; no loop runs.
 */
void bench_loops_exit(void)
{
	bench_drop_ballast();
	kmem_cache_destroy(bench_cache);
	kvfree(order_many);
	kvfree(order);
	kvfree(ballast);
	kvfree(live);
}
