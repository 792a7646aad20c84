// SPDX-License-Identifier: GPL-2.0-only
/*
 * Costs of an allocation and its free: each read of debugfs asite_bench/pairs
 * measures every loop below and prints, per loop, the time-stamp counter's
 * ticks for PAIRS pairs: least, median and most of the passes. Under QEMU's
 * -icount shift=0 a tick is one guest instruction, so the figures are exact; on
 * a real CPU it is a cycle.
 *
 * Not here: switching allocsite on or off, differences, verdicts; that is
 * selftests/bench. Never linked against allocsite.ko.
 *
 * Context: a reader's task, interrupts off and no reschedule due while a loop
 * runs; run_mutex serialises readers and covers the objects that are live inside
 * a loop or held between its passes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
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

static unsigned int passes = 15;
module_param(passes, uint, 0444);
MODULE_PARM_DESC(passes, "measured passes of each loop, each with other objects (15)");

/* A loop does at most PAIRS pairs and returns how many it did; fewer: no memory. */
struct bench_loop {
	const char *name;
	unsigned int (*run)(void);
	int (*prepare)(void);	/* before each pass, interrupts off: other objects */
	void (*release)(void);	/* after each pass, or NULL: after the last one */
};

static DEFINE_MUTEX(run_mutex);		/* one reader at a time */
static struct kmem_cache *bench_cache;
static void **live;			/* LIVE pointers, of the loop that runs */
static void **ballast;			/* objects held, see hold_*() and fill_ballast() */
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

/* --- Which objects a pass works with ---------------------------------------- */

static int hold(void *object)
{
	if (!object)
		return -ENOMEM;
	ballast[ballast_count++] = object;
	return 0;
}

static void drop_ballast(void)
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

static const struct bench_loop loops[] = {
	{ "empty", run_empty },
	{ "kmalloc_64", run_kmalloc_64, hold_kmalloc_64 },
	{ "cache_192", run_cache_192, hold_cache_192 },
	{ "kmalloc_8_to_240", run_sizes, hold_sizes },
	{ "kmalloc_64_live_1000", run_live_1000, fill_ballast, drop_ballast },
};

/* --- Measuring ------------------------------------------------------------ */

/*
 * With interrupts off and no reschedule due: while one is, each preempt_enable()
 * in the allocator's slow paths costs more (33 instructions in 1,000 live pairs),
 * and the end of a pass lets a pending tick in, which may make one due.
 */
static void begin_quiet(unsigned long *flags)
{
	for (;;) {
		local_irq_save(*flags);
		if (!need_resched())
			return;
		local_irq_restore(*flags);
		schedule();
	}
}

/* One pass, the loop's second run counting: ticks in *ticks, or no memory. */
static int measure_pass(const struct bench_loop *loop, u64 *ticks)
{
	unsigned long flags;
	u64 begin;
	int err;

	begin_quiet(&flags);
	err = loop->prepare ? loop->prepare() : 0;
	if (!err && loop->run() != PAIRS)
		err = -ENOMEM;
	if (!err) {
		begin = get_cycles();
		if (loop->run() != PAIRS)
			err = -ENOMEM;
		*ticks = get_cycles() - begin;
	}
	if (loop->release)
		loop->release();
	local_irq_restore(flags);
	return err;
}

static int compare_ticks(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Leaves the ticks of all passes in pass_ticks[], least first. */
static int measure_loop(const struct bench_loop *loop)
{
	unsigned int pass;
	int err = 0;

	for (pass = 0; !err && pass < passes; pass++)
		err = measure_pass(loop, &pass_ticks[pass]);
	drop_ballast();
	sort(pass_ticks, passes, sizeof(pass_ticks[0]), compare_ticks, NULL);
	return err;
}

static int pairs_show(struct seq_file *m, void *unused)
{
	unsigned int i;
	int err;

	err = mutex_lock_interruptible(&run_mutex);
	if (err)
		return err;
	seq_puts(m, "asite_bench pairs - version: 2\n# loop pairs least median most\n");
	for (i = 0; !err && i < ARRAY_SIZE(loops); i++) {
		err = measure_loop(&loops[i]);
		if (!err)
			seq_printf(m, "%s %u %llu %llu %llu\n", loops[i].name, PAIRS,
				   pass_ticks[0], pass_ticks[passes / 2],
				   pass_ticks[passes - 1]);
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
