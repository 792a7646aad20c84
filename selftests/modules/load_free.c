// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: every way and place to give objects back.
 *
 * load_run_at() calls a function here, on another CPU, in a softirq, in an
 * interrupt or while all CPUs stand still, and returns when it has run;
 * load_free_objects() uses it. Task context, under load_lock: hence one static
 * tasklet is enough. Only kfree, kmem_cache_free and kfree_nolock are let into
 * interrupts: bulk, RCU and kvfree forms need interrupts on.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/workqueue.h>

#include "load.h"
#include "load_compat.h"

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

static int job_stopped(void *arg)
{
	struct load_job *job = arg;

	job->fn(job->arg);
	return 0;
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
	case LOAD_STOPPED:
		return stop_machine(job_stopped, &job, NULL);
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
		asite_k_kvfree_rcu_mightsleep(obj);
		break;
	case LOAD_CACHE_FREE:
		kmem_cache_free(b->cache, obj);
		break;
	case LOAD_KFREE_NOLOCK:
		asite_k_kfree_nolock(obj);
		break;
	case LOAD_KFREE_RCU_NOLOCK:
		asite_k_kfree_rcu_nolock(obj);
		break;
	case LOAD_KREALLOC_ZERO:
		WARN_ON_ONCE(krealloc(obj, 0, GFP_KERNEL) != ZERO_SIZE_PTR);
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
	return way != LOAD_KFREE && way != LOAD_CACHE_FREE && way != LOAD_KFREE_NOLOCK;
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

struct load_drop {
	const struct load_site *site;
	void **objs;
	unsigned int nr;
};

static void drop_batch(void *arg)
{
	const struct load_drop *b = arg;
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		b->site->drop(b->objs[i], b->site->req);
}

/* Frees @nr objects of a row that says how: at its place, if its drop() may run there. */
int load_drop_objects(const struct load_site *site, void **objs, unsigned int nr)
{
	struct load_drop b = { .site = site, .objs = objs, .nr = nr };

	return load_run_at(site->free_place, drop_batch, &b);
}

/* What kfree_rcu() was given goes on its way to be freed, all of it. */
void load_flush_rcu(void)
{
	int i;

	/* kfree_rcu_nolock() may have left some to an irq_work. */
	msleep(20);
	for (i = 0; i < LOAD_CACHE_COUNT; i++)
		asite_k_flush_rcu_sheaves(load_caches[i]);
	for (i = 0; i < ARRAY_SIZE(kmalloc_caches[KMALLOC_NORMAL]); i++)
		asite_k_flush_rcu_sheaves(kmalloc_caches[KMALLOC_NORMAL][i]);
}
