// SPDX-License-Identifier: GPL-2.0-only
/*
 * Costs of an allocation and its free: each read of debugfs asite_bench/pairs
 * measures every loop below and prints, per loop, the time-stamp counter's
 * ticks for PAIRS pairs. Under QEMU's -icount shift=0 a tick is one guest
 * instruction, so the figures are exact; on a real CPU it is a cycle.
 *
 * Not here: switching allocsite on or off, differences, verdicts; that is
 * selftests/bench. Never linked against allocsite.ko.
 *
 * Context: a reader's task, interrupts off while a loop runs; run_mutex
 * serialises readers and covers the objects that are live inside a loop.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timex.h>

#define PAIRS		10000
#define LIVE		1000
#define PER_SLAB	(PAGE_SIZE / 64)	/* objects in a slab of kmalloc-64 */
#define BALLAST		8192	/* more than are free in its partly used slabs */
#define POOL		(64 * PER_SLAB)
#define CACHE_SIZE	192
#define SIZE_FIRST	8
#define SIZE_LAST	240
#define SIZE_STEP	8

#define MAX_PASSES	99

static unsigned int passes = 5;
module_param(passes, uint, 0444);
MODULE_PARM_DESC(passes, "measured passes of each loop, of which the median counts (5)");

/* A loop does at most PAIRS pairs and returns how many it did; fewer: no memory. */
struct bench_loop {
	const char *name;
	unsigned int (*run)(void);
	bool in_slabs;		/* moves whole slabs about: wants fill_ballast() */
};

static DEFINE_MUTEX(run_mutex);		/* one reader at a time */
static struct kmem_cache *bench_cache;
static void **live;			/* LIVE pointers, of the loop that runs */
static void **ballast;			/* objects held in a pass, see fill_ballast() */
static unsigned int ballast_count;
static u64 pass_ticks[MAX_PASSES];	/* of the loop that runs */
static struct dentry *bench_dir;

/* --- Loops; noinline so that each is a call site of its own ------------- */

/* What the counting costs. */
static noinline unsigned int run_empty(void)
{
	unsigned int i;

	for (i = 0; i < PAIRS; i++)
		barrier();
	return i;
}

static noinline unsigned int run_kmalloc_64(void)
{
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		void *object = kmalloc(64, GFP_ATOMIC);

		if (!object)
			break;
		kfree(object);
	}
	return i;
}

static noinline unsigned int run_cache_192(void)
{
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		void *object = kmem_cache_alloc(bench_cache, GFP_ATOMIC);

		if (!object)
			break;
		kmem_cache_free(bench_cache, object);
	}
	return i;
}

static noinline unsigned int run_sizes(void)
{
	size_t size = SIZE_FIRST;
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		void *object = kmalloc(size, GFP_ATOMIC);

		if (!object)
			break;
		kfree(object);
		size = size < SIZE_LAST ? size + SIZE_STEP : SIZE_FIRST;
	}
	return i;
}

/* LIVE objects at a time, released in the order they came. */
static noinline unsigned int run_live_1000(void)
{
	unsigned int done = 0, i, n;

	while (done < PAIRS) {
		for (n = 0; n < LIVE; n++) {
			live[n] = kmalloc(64, GFP_ATOMIC);
			if (!live[n])
				break;
		}
		for (i = 0; i < n; i++)
			kfree(live[i]);
		done += n;
		if (n < LIVE)
			break;
	}
	return done;
}

static const struct bench_loop loops[] = {
	{ "empty", run_empty },
	{ "kmalloc_64", run_kmalloc_64 },
	{ "cache_192", run_cache_192 },
	{ "kmalloc_8_to_240", run_sizes },
	{ "kmalloc_64_live_1000", run_live_1000, true },
};

/* --- Measuring ------------------------------------------------------------ */

/* Ballast number ballast_count, in a slab. NULL: no memory. */
static struct page *add_ballast(void)
{
	void *object = kmalloc(64, GFP_ATOMIC);

	if (!object)
		return NULL;
	ballast[ballast_count++] = object;
	return virt_to_head_page(object);
}

/*
 * The kernel's own use leaves kmalloc-64 with partly free slabs, differently in
 * each boot, and slabs that fall empty go to the page allocator and back. For a
 * pass that always meets the same: take what is free, up to the start of a
 * fresh slab; then take POOL objects from fresh slabs and release all but one
 * in each slab, so that the loop works in slabs that never fall empty.
 */
static int fill_ballast(void)
{
	struct page *slab = NULL, *last;
	unsigned int i, pool;

	do {
		last = slab;
		slab = add_ballast();
		if (!slab)
			return -ENOMEM;
	} while (ballast_count < BALLAST || (slab == last && ballast_count < BALLAST + PER_SLAB));

	pool = ballast_count;
	for (i = 0; i < POOL; i++)
		if (!add_ballast())
			return -ENOMEM;
	for (i = 0; i < POOL; i++) {
		if (i % PER_SLAB == 0)
			continue;
		kfree(ballast[pool + i]);
		ballast[pool + i] = NULL;
	}
	return 0;
}

static void drop_ballast(void)
{
	while (ballast_count)
		kfree(ballast[--ballast_count]);
}

/* One pass, the loop's second run counting: ticks in *ticks, or no memory. */
static int measure_pass(const struct bench_loop *loop, u64 *ticks)
{
	unsigned long flags;
	u64 begin;
	int err;

	local_irq_save(flags);
	err = loop->in_slabs ? fill_ballast() : 0;
	if (!err && loop->run() != PAIRS)
		err = -ENOMEM;
	if (!err) {
		begin = get_cycles();
		if (loop->run() != PAIRS)
			err = -ENOMEM;
		*ticks = get_cycles() - begin;
	}
	drop_ballast();
	local_irq_restore(flags);
	return err;
}

static int compare_ticks(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * The median: where slabs are in play a pass in ten differs by some hundred
 * instructions, to either side.
 */
static int measure_loop(const struct bench_loop *loop, u64 *median)
{
	unsigned int pass;
	int err = 0;

	for (pass = 0; !err && pass < passes; pass++)
		err = measure_pass(loop, &pass_ticks[pass]);
	sort(pass_ticks, passes, sizeof(pass_ticks[0]), compare_ticks, NULL);
	*median = pass_ticks[passes / 2];
	return err;
}

static int pairs_show(struct seq_file *m, void *unused)
{
	unsigned int i;
	int err;

	err = mutex_lock_interruptible(&run_mutex);
	if (err)
		return err;
	seq_puts(m, "asite_bench pairs - version: 1\n# loop pairs ticks\n");
	for (i = 0; !err && i < ARRAY_SIZE(loops); i++) {
		u64 ticks;

		err = measure_loop(&loops[i], &ticks);
		if (!err)
			seq_printf(m, "%s %u %llu\n", loops[i].name, PAIRS, ticks);
	}
	mutex_unlock(&run_mutex);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(pairs);

/* --- Init and exit -------------------------------------------------------- */

static void free_all(void)
{
	kmem_cache_destroy(bench_cache);
	kvfree(ballast);
	kfree(live);
}

static int __init asite_bench_init(void)
{
	if (!passes || passes > MAX_PASSES) {
		pr_err("passes=%u is not in 1..%u\n", passes, MAX_PASSES);
		return -EINVAL;
	}
	live = kcalloc(LIVE, sizeof(*live), GFP_KERNEL);
	ballast = kvcalloc(BALLAST + PER_SLAB + POOL, sizeof(*ballast), GFP_KERNEL);
	/* A cache with a usercopy window is never merged with another one. */
	bench_cache = kmem_cache_create_usercopy("asite_bench_192", CACHE_SIZE, 0, 0,
						 0, CACHE_SIZE, NULL);
	if (!live || !ballast || !bench_cache) {
		free_all();
		return -ENOMEM;
	}
	bench_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("pairs", 0400, bench_dir, NULL, &pairs_fops);
	return 0;
}
module_init(asite_bench_init);

static void __exit asite_bench_exit(void)
{
	debugfs_remove_recursive(bench_dir);
	free_all();
}
module_exit(asite_bench_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Cost of an allocation and its free, in time-stamp counter ticks");
