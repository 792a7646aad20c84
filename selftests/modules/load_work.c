// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: threads that allocate and free.
 *
 * The storm: two threads per CPU put objects into shared rings and free what
 * they displace, so most frees are made on another CPU than the allocation.
 * The leak: one thread does pairs and keeps one object per 1,000 of them.
 * Starting and stopping are in task context under load_lock. Ring entries are
 * owned by whoever takes them with xchg(). Invariant: a thread counts an
 * allocation only after it succeeded, and the counts are read only when the
 * threads have ended.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "load.h"

/* -- storm --------------------------------------------------------------- */

#define STORM_SLOTS	509
#define STORM_BATCH	8
#define STORM_THREADS	64

enum storm_kind {
	STORM_64,
	STORM_512,
	STORM_CACHE,
	STORM_LARGE,
	STORM_KIND_COUNT
};

static const char * const storm_names[] = {
	[STORM_64] = "load_storm_64",
	[STORM_512] = "load_storm_512",
	[STORM_CACHE] = "load_storm_cache",
	[STORM_LARGE] = "load_storm_large",
};

static_assert(ARRAY_SIZE(storm_names) == STORM_KIND_COUNT);

struct storm_thread {
	struct task_struct *task;
	unsigned long ops;		/* allocations to make */
	u64 done[STORM_KIND_COUNT];	/* allocations that succeeded */
	void *batch[STORM_BATCH];	/* for kfree_bulk */
	unsigned int batched;
};

static struct storm_thread storm_threads[STORM_THREADS];
static int storm_running;
static u64 storm_done[STORM_KIND_COUNT];
/* Objects in flight; an entry belongs to whoever xchg()ed it out. */
static void *storm_ring[STORM_KIND_COUNT][STORM_SLOTS];

static noinline __noclone void *load_storm_64(void)
{
	void *p = kmalloc(64, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_storm_512(size_t req)
{
	void *p = kmalloc(req, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_storm_cache(void)
{
	void *p = kmem_cache_alloc(load_caches[LOAD_CACHE_ODD], GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_storm_large(void)
{
	void *p = kmalloc(16384, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);

	barrier();
	return p;
}

static void *storm_alloc(enum storm_kind kind, unsigned long i)
{
	switch (kind) {
	case STORM_64:
		return load_storm_64();
	case STORM_512:
		return load_storm_512(260 + i % 250);
	case STORM_CACHE:
		return load_storm_cache();
	default:
		return load_storm_large();
	}
}

struct storm_rcu_object {
	struct rcu_head rcu;
};

/* 5.10 warns of a bulk of none. */
static void flush_batch(struct storm_thread *t)
{
	if (t->batched)
		kfree_bulk(t->batched, t->batch);
	t->batched = 0;
}

static void storm_free(struct storm_thread *t, enum storm_kind kind, void *p,
		       unsigned long i)
{
	struct storm_rcu_object *obj = p;

	if (!p)
		return;
	if (kind == STORM_CACHE) {
		kmem_cache_free(load_caches[LOAD_CACHE_ODD], p);
	} else if (kind == STORM_64 && i % 8 == 4) {
		kfree_rcu(obj, rcu);
	} else if (kind == STORM_64) {
		t->batch[t->batched++] = p;
		if (t->batched == STORM_BATCH)
			flush_batch(t);
	} else {
		kfree(p);
	}
}

static enum storm_kind pick_kind(unsigned long i)
{
	if (i % 64 == 63)
		return STORM_LARGE;
	return i % 3;
}

static int storm_main(void *arg)
{
	struct storm_thread *t = arg;
	unsigned long i;

	for (i = 0; i < t->ops && !kthread_should_stop(); i++) {
		enum storm_kind kind = pick_kind(i);
		void *p = storm_alloc(kind, i);
		unsigned int slot = (i * 7 + (t - storm_threads) * 31) % STORM_SLOTS;

		if (p)
			t->done[kind]++;
		storm_free(t, kind, xchg(&storm_ring[kind][slot], p), i);
		/* Others run too, as in any workload. */
		if (i % 256 == 0)
			usleep_range(20, 50);
	}
	flush_batch(t);
	return 0;
}

static int make_thread(int cpu, unsigned long ops)
{
	struct storm_thread *t = &storm_threads[storm_running];

	memset(t, 0, sizeof(*t));
	t->ops = ops;
	t->task = kthread_create(storm_main, t, "asite_storm/%d", cpu);
	if (IS_ERR(t->task))
		return PTR_ERR(t->task);
	kthread_bind(t->task, cpu);
	get_task_struct(t->task);
	storm_running++;
	return 0;
}

static int make_threads(unsigned long ops)
{
	int cpu, i, err;

	for_each_online_cpu(cpu) {
		for (i = 0; i < 2 && storm_running < STORM_THREADS; i++) {
			err = make_thread(cpu, ops);
			if (err)
				return err;
		}
	}
	return 0;
}

int load_storm_start(unsigned long ops)
{
	int i, err;

	if (storm_running)
		return -EBUSY;
	memset(storm_done, 0, sizeof(storm_done));
	err = make_threads(ops);
	for (i = 0; i < storm_running; i++)
		wake_up_process(storm_threads[i].task);
	if (err)
		load_storm_wait(true);
	return err;
}

static void drain_rings(void)
{
	struct storm_thread *t = &storm_threads[0];
	int kind, i;

	for (kind = 0; kind < STORM_KIND_COUNT; kind++)
		for (i = 0; i < STORM_SLOTS; i++)
			storm_free(t, kind, xchg(&storm_ring[kind][i], NULL), i);
	flush_batch(t);
}

static bool has_ended(struct task_struct *task)
{
	return READ_ONCE(task->exit_state);
}

/* Waits for every thread; with @stop they end before their count is done. */
int load_storm_wait(bool stop)
{
	int i, kind;

	if (!storm_running)
		return 0;
	for (i = 0; i < storm_running; i++) {
		struct storm_thread *t = &storm_threads[i];

		while (!stop && !has_ended(t->task))
			msleep(20);
		kthread_stop(t->task);
		put_task_struct(t->task);
		for (kind = 0; kind < STORM_KIND_COUNT; kind++)
			storm_done[kind] += t->done[kind];
	}
	storm_running = 0;
	drain_rings();
	load_flush_rcu();
	return 0;
}

/* -- leak ---------------------------------------------------------------- */

#define LEAK_EVERY	1000

struct leak_object {
	struct list_head node;
	char rest[64 - sizeof(struct list_head)];
};

static struct task_struct *leak_task;
/* Written by leak_task, read while it does not run, or roughly. */
static LIST_HEAD(leak_list);
static unsigned long leak_objects;
static unsigned long leak_ops;

static noinline __noclone void *load_leak_64(void)
{
	struct leak_object *p = kmalloc(sizeof(*p), GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_leak_pair(void)
{
	struct leak_object *p = kmalloc(sizeof(*p), GFP_KERNEL);

	barrier();
	return p;
}

static int leak_main(void *arg)
{
	struct leak_object *obj;
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < LEAK_EVERY; i++)
			kfree(load_leak_pair());
		WRITE_ONCE(leak_ops, leak_ops + LEAK_EVERY);
		obj = load_leak_64();
		if (obj) {
			list_add(&obj->node, &leak_list);
			WRITE_ONCE(leak_objects, leak_objects + 1);
		}
		usleep_range(2000, 4000);
	}
	return 0;
}

int load_leak_start(void)
{
	struct task_struct *task;

	if (leak_task)
		return -EBUSY;
	task = kthread_run(leak_main, NULL, "asite_leak");
	if (IS_ERR(task))
		return PTR_ERR(task);
	leak_task = task;
	return 0;
}

int load_leak_stop(void)
{
	if (!leak_task)
		return -ENOENT;
	kthread_stop(leak_task);
	leak_task = NULL;
	return 0;
}

int load_leak_free(void)
{
	struct leak_object *obj, *next;

	if (leak_task)
		return -EBUSY;
	list_for_each_entry_safe(obj, next, &leak_list, node) {
		list_del(&obj->node);
		kfree(obj);
	}
	leak_objects = 0;
	leak_ops = 0;
	return 0;
}

/* -- report and exit ----------------------------------------------------- */

void load_work_status(struct seq_file *m)
{
	u64 sum = 0;
	int kind;

	seq_printf(m, "storm_threads %d\n", storm_running);
	for (kind = 0; kind < STORM_KIND_COUNT; kind++) {
		seq_printf(m, "%s %llu\n", storm_names[kind], storm_done[kind]);
		sum += storm_done[kind];
	}
	seq_printf(m, "storm_allocations %llu\n", sum);
	seq_printf(m, "leak_objects %lu\n", READ_ONCE(leak_objects));
	seq_printf(m, "leak_operations %lu\n", READ_ONCE(leak_ops));
}

void load_work_exit(void)
{
	load_storm_wait(true);
	load_leak_stop();
	load_leak_free();
}
