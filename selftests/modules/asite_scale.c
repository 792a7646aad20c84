// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations and frees on one CPU and on several at once: each read of debugfs asite_scale/pairs
 * runs, for 1 CPU to all that are online, a thread on each for some milliseconds, and prints how
 * many pairs they did in a second, all together:
 *
 *	own	each thread frees what it allocated
 *	cross	each frees what the next one allocated, whenever there is any
 *
 * Not here: switching allocsite on or off, ratios; that is selftests/bench/scaling.sh. Never linked
 * against allocsite.ko.
 *
 * Context: a reader's task and threads of its own; run_mutex serialises readers. A batch is its
 * thread's until it is put into the box of another, by cmpxchg, who takes it out by xchg.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define MAX_CPUS	64
#define BATCH		32
#define SIZE		64

static unsigned int milliseconds = 500;
module_param(milliseconds, uint, 0644);
MODULE_PARM_DESC(milliseconds, "time of a run (500)");

struct batch {
	void *objects[BATCH];
};

/* One thread, on a CPU of its own. */
struct worker {
	struct batch *box ____cacheline_aligned_in_smp;	/* from another thread, to be freed */
	u64 pairs ____cacheline_aligned_in_smp;
	u64 ns;
	bool failed;
	struct completion done;
};

static DEFINE_MUTEX(run_mutex);		/* one reader at a time; covers all below */
static struct worker *workers;
static unsigned int nr_workers;
static atomic_t nr_waiting;		/* threads that are not there yet */
static bool cross;
static struct dentry *scale_dir;

/* --- Threads -------------------------------------------------------------- */

static void free_batch(struct batch *b)
{
	unsigned int i;

	if (!b)
		return;
	for (i = 0; i < BATCH; i++)
		kfree(b->objects[i]);
	kfree(b);
}

static struct batch *make_batch(void)
{
	struct batch *b = kmalloc(sizeof(*b), GFP_KERNEL);
	unsigned int i;

	for (i = 0; b && i < BATCH; i++)
		b->objects[i] = kmalloc(SIZE, GFP_KERNEL);
	return b;
}

/* Give it to the next thread; it stays here when that has not taken the last one. */
static struct batch *give(struct worker *w, struct batch *b)
{
	struct worker *next = &workers[(w - workers + 1) % nr_workers];

	return cmpxchg(&next->box, NULL, b) ? b : NULL;
}

static bool do_batch(struct worker *w)
{
	struct batch *b = make_batch();

	if (!b)
		return false;
	if (cross)
		b = give(w, b);
	free_batch(b);
	if (cross)
		free_batch(xchg(&w->box, NULL));
	w->pairs += BATCH + 1;
	return true;
}

static int work(void *data)
{
	struct worker *w = data;
	u64 begin, limit = (u64)READ_ONCE(milliseconds) * NSEC_PER_MSEC;

	atomic_dec(&nr_waiting);
	while (atomic_read(&nr_waiting))
		cond_resched();
	begin = ktime_get_ns();
	do {
		w->failed |= !do_batch(w);
		cond_resched();
		w->ns = ktime_get_ns() - begin;
	} while (w->ns < limit && !w->failed);
	complete(&w->done);
	/* Not to return before this module waits for it: the code might be gone. */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* --- Runs ----------------------------------------------------------------- */

/* On the first @cpus online CPUs: all threads, or none. */
static int make_threads(struct task_struct **tasks)
{
	unsigned int i = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		if (i == nr_workers)
			break;
		tasks[i] = kthread_create(work, &workers[i], "asite_scale/%d", cpu);
		if (IS_ERR(tasks[i]))
			break;
		kthread_bind(tasks[i++], cpu);
	}
	if (i == nr_workers)
		return 0;
	while (i--)
		kthread_stop(tasks[i]);	/* never woken: it does not run work() */
	return -ENOMEM;
}

static int run(unsigned int cpus, u64 *per_second)
{
	struct task_struct *tasks[MAX_CPUS];
	unsigned int i;
	int err;

	memset(workers, 0, MAX_CPUS * sizeof(*workers));
	nr_workers = cpus;
	atomic_set(&nr_waiting, cpus);
	for (i = 0; i < cpus; i++)
		init_completion(&workers[i].done);
	err = make_threads(tasks);
	if (err)
		return err;
	for (i = 0; i < cpus; i++)
		wake_up_process(tasks[i]);
	*per_second = 0;
	for (i = 0; i < cpus; i++) {
		wait_for_completion(&workers[i].done);
		if (workers[i].failed)
			err = -ENOMEM;
		*per_second += div64_u64(workers[i].pairs * NSEC_PER_SEC, workers[i].ns ?: 1);
		kthread_stop(tasks[i]);
	}
	for (i = 0; i < cpus; i++)
		free_batch(workers[i].box);
	return err;
}

static int show_mode(struct seq_file *m, const char *name, bool crosses)
{
	unsigned int cpus, online = min_t(unsigned int, num_online_cpus(), MAX_CPUS);
	u64 per_second;
	int err = 0;

	cross = crosses;
	for (cpus = crosses ? 2 : 1; !err && cpus <= online; cpus++) {
		err = run(cpus, &per_second);
		if (!err)
			seq_printf(m, "%s %u %llu\n", name, cpus, per_second);
	}
	return err;
}

static int pairs_show(struct seq_file *m, void *unused)
{
	int err;

	err = mutex_lock_interruptible(&run_mutex);
	if (err)
		return err;
	seq_puts(m, "asite_scale pairs - version: 1\n# mode cpus pairs_per_second\n");
	cpus_read_lock();
	err = show_mode(m, "own", false) ?: show_mode(m, "cross", true);
	cpus_read_unlock();
	mutex_unlock(&run_mutex);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(pairs);

static int __init asite_scale_init(void)
{
	workers = kcalloc(MAX_CPUS, sizeof(*workers), GFP_KERNEL);
	if (!workers)
		return -ENOMEM;
	scale_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("pairs", 0400, scale_dir, NULL, &pairs_fops);
	return 0;
}
module_init(asite_scale_init);

static void __exit asite_scale_exit(void)
{
	debugfs_remove_recursive(scale_dir);
	kfree(workers);
}
module_exit(asite_scale_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Allocations and frees in a second, on one CPU and on several");
