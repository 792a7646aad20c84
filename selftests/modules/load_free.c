// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: every way and place to give objects back.
 *
 * load_run_at() calls a function here, on another CPU, in a softirq or in an
 * interrupt, and returns when it has run; load_free_objects() uses it. Task
 * context, under load_lock: hence one static tasklet is enough. Bulk, RCU and
 * kvfree forms need interrupts on, so they are refused in interrupts.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "load.h"

/* -- places -------------------------------------------------------------- */

struct load_job {
	struct work_struct work;
	struct tasklet_struct tasklet;
	struct completion done;
	void (*fn)(void *arg);
	void *arg;
};

static void job_work(struct work_struct *work)
{
	struct load_job *job = container_of(work, struct load_job, work);

	job->fn(job->arg);
}

static void job_tasklet(struct tasklet_struct *t)
{
	struct load_job *job = container_of(t, struct load_job, tasklet);

	job->fn(job->arg);
	complete(&job->done);
}

static int next_cpu(void)
{
	int cpu = cpumask_next(raw_smp_processor_id(), cpu_online_mask);

	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/* Calls fn(arg) at @place; returns after it has run. */
int load_run_at(enum load_place place, void (*fn)(void *arg), void *arg)
{
	static struct load_job job;

	job.fn = fn;
	job.arg = arg;
	switch (place) {
	case LOAD_HERE:
		fn(arg);
		return 0;
	case LOAD_OTHER_CPU:
		INIT_WORK(&job.work, job_work);
		schedule_work_on(next_cpu(), &job.work);
		flush_work(&job.work);
		return 0;
	case LOAD_SOFTIRQ:
		init_completion(&job.done);
		tasklet_setup(&job.tasklet, job_tasklet);
		tasklet_schedule(&job.tasklet);
		wait_for_completion(&job.done);
		tasklet_kill(&job.tasklet);
		return 0;
	case LOAD_HARDIRQ:
		return smp_call_function_single(next_cpu(), fn, arg, 1);
	}
	return -EINVAL;
}

/* -- ways ---------------------------------------------------------------- */

struct load_rcu_object {
	struct rcu_head rcu;
};

struct load_batch {
	enum load_way way;
	struct kmem_cache *cache;
	void **objs;
	unsigned int nr;
};

static void free_rcu_object(struct load_rcu_object *obj)
{
	kfree_rcu(obj, rcu);
}

static void free_one(const struct load_batch *b, void *obj)
{
	switch (b->way) {
	case LOAD_KFREE:
		kfree(obj);
		break;
	case LOAD_KFREE_SENSITIVE:
		kfree_sensitive(obj);
		break;
	case LOAD_KFREE_RCU:
		free_rcu_object(obj);
		break;
	case LOAD_KVFREE:
		kvfree(obj);
		break;
	case LOAD_KVFREE_RCU:
		kvfree_rcu(obj);
		break;
	case LOAD_CACHE_FREE:
		kmem_cache_free(b->cache, obj);
		break;
	default:
		WARN_ON_ONCE(1);
	}
}

static void free_batch(void *arg)
{
	const struct load_batch *b = arg;
	unsigned int i;

	if (b->way == LOAD_KFREE_BULK) {
		kfree_bulk(b->nr, b->objs);
		return;
	}
	if (b->way == LOAD_CACHE_FREE_BULK) {
		kmem_cache_free_bulk(b->cache, b->nr, b->objs);
		return;
	}
	for (i = 0; i < b->nr; i++)
		free_one(b, b->objs[i]);
}

static bool needs_task(enum load_way way)
{
	return way != LOAD_KFREE && way != LOAD_CACHE_FREE;
}

/* Frees @nr objects, none of them NULL. @cache: for LOAD_CACHE_* only. */
int load_free_objects(enum load_way way, enum load_place place,
		      struct kmem_cache *cache, void **objs, unsigned int nr)
{
	struct load_batch b = {
		.way = way, .cache = cache, .objs = objs, .nr = nr,
	};

	if (needs_task(way) && place != LOAD_HERE && place != LOAD_OTHER_CPU)
		return -EINVAL;
	return load_run_at(place, free_batch, &b);
}
