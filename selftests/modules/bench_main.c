// SPDX-License-Identifier: GPL-2.0-only
/*
 * Costs of an allocation and its free: each read of debugfs asite_bench/pairs
 * measures every loop of bench_loops.c and prints, per loop, what its pairs took
 * in a pass: least, median and most of the passes, in ticks of the time-stamp
 * counter and in nanoseconds. Under QEMU's -icount shift=0 a tick is one guest
 * instruction, so the figures are exact; on a real CPU it is a cycle of the
 * counter. "first" is the number, from 1, of the loop's first pass since load:
 * the marks around the passes (bench_markers.h) come in this order.
 *
 * Writing a number to asite_bench/hold holds so many objects.
 *
 * Not here: switching allocsite on or off, differences, verdicts; that is
 * selftests/bench. Never linked against allocsite.ko.
 *
 * Context: a reader's task, interrupts off (but for loops that cannot) and no
 * reschedule due while a loop runs; run_mutex serialises readers and writers and
 * covers all that bench_loops.c has.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "bench.h"
#include "bench_markers.h"

#define MAX_PASSES	99

static unsigned int passes = 15;
module_param(passes, uint, 0644);
MODULE_PARM_DESC(passes, "measured passes of each loop, each with other objects (15)");

static char only[256];
module_param_string(only, only, sizeof(only), 0644);
MODULE_PARM_DESC(only, "names of the loops to run, by comma (all)");

static DEFINE_MUTEX(run_mutex);		/* one reader or writer at a time */
static u64 pass_ticks[MAX_PASSES];	/* of the loop that runs */
static u64 pass_ns[MAX_PASSES];
static unsigned long nr_passes;		/* measured since load */
static struct dentry *bench_dir;

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

/* With interrupts on: right after a tick, so that the next one is far. */
static void begin_after_tick(void)
{
	do {
		unsigned long now;

		if (need_resched())
			schedule();
		now = jiffies;
		while (!time_after(jiffies, now))
			cpu_relax();
	} while (need_resched());
}

/* The loop's run that counts. */
static int measure_run(const struct bench_loop *loop, u64 *ticks, u64 *ns)
{
	u64 begin_ns = ktime_get_ns(), begin;
	unsigned int done;

	bench_mark(BENCH_MARK_BEGIN);
	begin = get_cycles();
	done = loop->run(loop->pairs);
	*ticks = get_cycles() - begin;
	bench_mark(BENCH_MARK_END);
	*ns = ktime_get_ns() - begin_ns;
	nr_passes++;
	return done == loop->pairs ? 0 : -ENOMEM;
}

/* One pass, the loop's second run counting, or no memory. */
static int measure_pass(const struct bench_loop *loop, u64 *ticks, u64 *ns)
{
	unsigned long flags = 0;
	int err;

	if (!loop->interrupts)
		begin_quiet(&flags);
	err = loop->prepare ? loop->prepare() : 0;
	if (!err && loop->run(loop->pairs) != loop->pairs)
		err = -ENOMEM;
	if (!err) {
		if (loop->interrupts)
			begin_after_tick();
		err = measure_run(loop, ticks, ns);
	}
	if (loop->release)
		loop->release();
	if (!loop->interrupts)
		local_irq_restore(flags);
	return err;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Leaves what all passes took in pass_ticks[] and pass_ns[], least first. */
static int measure_loop(const struct bench_loop *loop, unsigned int count)
{
	unsigned int pass;
	int err = 0;

	for (pass = 0; !err && pass < count; pass++)
		err = measure_pass(loop, &pass_ticks[pass], &pass_ns[pass]);
	bench_drop_ballast();
	sort(pass_ticks, count, sizeof(pass_ticks[0]), compare_u64, NULL);
	sort(pass_ns, count, sizeof(pass_ns[0]), compare_u64, NULL);
	return err;
}

/* --- Files ---------------------------------------------------------------- */

static unsigned int count_passes(const struct bench_loop *loop)
{
	unsigned int count = clamp(READ_ONCE(passes), 1U, (unsigned int)MAX_PASSES);

	return loop->passes ? min(loop->passes, count) : count;
}

/* Is it in the list, or is there none? */
static bool is_wanted(const struct bench_loop *loop)
{
	size_t len = strlen(loop->name);
	bool wanted = false;
	const char *p;

	kernel_param_lock(THIS_MODULE);
	for (p = only; !wanted && *p; p += strcspn(p, ","), p += *p == ',')
		wanted = !strncmp(p, loop->name, len) && strchr(",\n", p[len]);
	wanted |= !only[0] || only[0] == '\n';
	kernel_param_unlock(THIS_MODULE);
	return wanted;
}

static int show_loop(struct seq_file *m, const struct bench_loop *loop)
{
	unsigned int count = count_passes(loop);
	unsigned long first = nr_passes + 1;
	int err = measure_loop(loop, count);

	if (err)
		return err;
	seq_printf(m, "%s %u %u %lu %llu %llu %llu %llu %llu %llu\n", loop->name, loop->pairs,
		   count, first, pass_ticks[0], pass_ticks[count / 2], pass_ticks[count - 1],
		   pass_ns[0], pass_ns[count / 2], pass_ns[count - 1]);
	return 0;
}

static int pairs_show(struct seq_file *m, void *unused)
{
	unsigned int i;
	int err;

	err = mutex_lock_interruptible(&run_mutex);
	if (err)
		return err;
	seq_puts(m, "asite_bench pairs - version: 3\n"
		 "# loop pairs passes first least median most least_ns median_ns most_ns\n");
	for (i = 0; !err && i < bench_nr_loops; i++)
		if (is_wanted(&bench_loops[i]))
			err = show_loop(m, &bench_loops[i]);
	mutex_unlock(&run_mutex);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(pairs);

static ssize_t hold_write(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	unsigned int count;
	int err;

	err = kstrtouint_from_user(text, len, 0, &count);
	if (err)
		return err;
	err = mutex_lock_interruptible(&run_mutex);
	if (err)
		return err;
	err = bench_hold(count);
	mutex_unlock(&run_mutex);
	return err ?: len;
}

static const struct file_operations hold_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= hold_write,
};

/* --- Init and exit -------------------------------------------------------- */

static int __init asite_bench_init(void)
{
	int err;

	if (!passes || passes > MAX_PASSES) {
		pr_err("passes=%u is not in 1..%u\n", passes, MAX_PASSES);
		return -EINVAL;
	}
	err = bench_loops_init();
	if (err)
		return err;
	bench_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("pairs", 0400, bench_dir, NULL, &pairs_fops);
	debugfs_create_file("hold", 0200, bench_dir, NULL, &hold_fops);
	return 0;
}
module_init(asite_bench_init);

static void __exit asite_bench_exit(void)
{
	debugfs_remove_recursive(bench_dir);
	bench_loops_exit();
}
module_exit(asite_bench_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Cost of an allocation and its free, in time-stamp counter ticks");
