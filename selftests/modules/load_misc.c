// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: destroyed caches, a constructor that sleeps, many sites, many objects.
 *
 * Task context, under load_lock; the constructor runs in the allocating
 * thread, which may sleep. Invariant: `release` has been given before the
 * module goes, so no thread is left inside kmem_cache_alloc().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "load.h"

/* -- destroyed caches ---------------------------------------------------- */

#define DESTROY_CLEAN_NR	43
#define DESTROY_LEAK_NR		37

static noinline __noclone void *load_destroy_clean_alloc(struct kmem_cache *s)
{
	void *p = kmem_cache_alloc(s, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_destroy_leak_alloc(struct kmem_cache *s)
{
	void *p = kmem_cache_alloc(s, GFP_KERNEL);

	barrier();
	return p;
}

/* Makes a cache with a use of 43 objects, all given back, and destroys it. */
int load_destroy_clean(void)
{
	void *objs[DESTROY_CLEAN_NR];
	struct kmem_cache *s;
	int i;

	s = kmem_cache_create_usercopy("asite_load_clean", 333, 0, 0, 0, 8, NULL);
	if (!s)
		return -ENOMEM;
	for (i = 0; i < DESTROY_CLEAN_NR; i++)
		objs[i] = load_destroy_clean_alloc(s);
	for (i = 0; i < DESTROY_CLEAN_NR; i++)
		if (objs[i])
			kmem_cache_free(s, objs[i]);
	kmem_cache_destroy(s);
	return 0;
}

/* Destroys a cache with 37 objects left: the kernel warns, they are lost. */
int load_destroy_leak(void)
{
	struct kmem_cache *s;
	int i;

	s = kmem_cache_create_usercopy("asite_load_leak", 333, 0, 0, 0, 8, NULL);
	if (!s)
		return -ENOMEM;
	for (i = 0; i < DESTROY_LEAK_NR; i++)
		load_destroy_leak_alloc(s);
	kmem_cache_destroy(s);
	return 0;
}

/* -- threads asleep inside kmem_cache_alloc ------------------------------ */

#define SLEEPERS_MAX	8

static struct kmem_cache *sleep_cache;
static struct task_struct *sleep_tasks[SLEEPERS_MAX];
static int sleep_nr;
static DECLARE_WAIT_QUEUE_HEAD(sleep_queue);
/* Constructors wait while this is set; cleared by release. */
static bool sleep_armed;
/* Threads inside the constructor. */
static atomic_t sleep_inside = ATOMIC_INIT(0);

static void sleep_ctor(void *obj)
{
	if (!READ_ONCE(sleep_armed))
		return;
	atomic_inc(&sleep_inside);
	wait_event(sleep_queue, !READ_ONCE(sleep_armed));
	atomic_dec(&sleep_inside);
}

static noinline __noclone void *load_sleep_alloc(void)
{
	void *p = kmem_cache_alloc(sleep_cache, GFP_KERNEL);

	barrier();
	return p;
}

static int sleep_main(void *arg)
{
	void *p = load_sleep_alloc();

	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
	if (p)
		kmem_cache_free(sleep_cache, p);
	return 0;
}

int load_sleep_start(unsigned long nr)
{
	if (sleep_nr || !nr || nr > SLEEPERS_MAX)
		return -EINVAL;
	sleep_cache = kmem_cache_create("asite_load_sleep", 2040, 0, 0, sleep_ctor);
	if (!sleep_cache)
		return -ENOMEM;
	WRITE_ONCE(sleep_armed, true);
	for (; sleep_nr < nr; sleep_nr++) {
		struct task_struct *task = kthread_run(sleep_main, NULL, "asite_sleep/%d",
						       sleep_nr);

		if (IS_ERR(task)) {
			load_sleep_release();
			return PTR_ERR(task);
		}
		sleep_tasks[sleep_nr] = task;
	}
	return 0;
}

int load_sleep_release(void)
{
	WRITE_ONCE(sleep_armed, false);
	wake_up_all(&sleep_queue);
	for (; sleep_nr > 0; sleep_nr--)
		kthread_stop(sleep_tasks[sleep_nr - 1]);
	kmem_cache_destroy(sleep_cache);
	sleep_cache = NULL;
	return 0;
}

/* -- many sites ---------------------------------------------------------- */

/* Calls in load_many_calls(); see load_many.S. */
#define MANY_CALLS	8192
/* Objects of at most this size are held. */
#define MANY_HOLD	64

/* One call of the allocator per element of @objs, each a site of its own. */
asmlinkage void load_many_calls(size_t size, gfp_t gfp, void **objs);

static const size_t many_sizes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192
};

/* ARRAY_SIZE(many_sizes) * MANY_CALLS pointers while held. */
static void **many_objs;

static void free_calls(void **objs)
{
	int i;

	for (i = 0; i < MANY_CALLS; i++) {
		kfree(objs[i]);
		objs[i] = NULL;
	}
}

int load_many_alloc(void)
{
	int i;

	if (many_objs)
		return -EBUSY;
	many_objs = vzalloc(array3_size(ARRAY_SIZE(many_sizes), MANY_CALLS, sizeof(void *)));
	if (!many_objs)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(many_sizes); i++) {
		void **objs = many_objs + i * MANY_CALLS;

		load_many_calls(many_sizes[i], GFP_KERNEL, objs);
		if (many_sizes[i] > MANY_HOLD)
			free_calls(objs);
		cond_resched();
	}
	return 0;
}

int load_many_free(void)
{
	int i;

	if (!many_objs)
		return 0;
	for (i = 0; i < ARRAY_SIZE(many_sizes); i++)
		free_calls(many_objs + i * MANY_CALLS);
	vfree(many_objs);
	many_objs = NULL;
	return 0;
}

/* -- many objects of one site -------------------------------------------- */

struct hold_object {
	struct list_head node;
	char rest[64 - sizeof(struct list_head)];
};

static LIST_HEAD(hold_list);
static unsigned long hold_nr;

static noinline __noclone void *load_hold_64(void)
{
	struct hold_object *p = kmalloc(sizeof(*p), GFP_KERNEL);

	barrier();
	return p;
}

int load_hold(unsigned long nr)
{
	struct hold_object *obj;

	for (; nr > 0; nr--) {
		obj = load_hold_64();
		if (!obj)
			return -ENOMEM;
		list_add(&obj->node, &hold_list);
		hold_nr++;
		if (nr % 1024 == 0)
			cond_resched();
	}
	return 0;
}

/* The last one, the last but two, and so on. */
int load_hold_half(void)
{
	struct hold_object *obj, *next;
	bool go = true;

	list_for_each_entry_safe(obj, next, &hold_list, node) {
		if (go) {
			list_del(&obj->node);
			kfree(obj);
			hold_nr--;
		}
		go = !go;
	}
	return 0;
}

int load_hold_free(void)
{
	struct hold_object *obj, *next;

	list_for_each_entry_safe(obj, next, &hold_list, node) {
		list_del(&obj->node);
		kfree(obj);
	}
	hold_nr = 0;
	return 0;
}

/* -- report and exit ----------------------------------------------------- */

static unsigned int count_held(void)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; many_objs && i < ARRAY_SIZE(many_sizes) * MANY_CALLS; i++)
		nr += !!many_objs[i];
	return nr;
}

void load_misc_status(struct seq_file *m)
{
	seq_printf(m, "sleepers %d\n", sleep_nr);
	seq_printf(m, "sleepers_inside %d\n", atomic_read(&sleep_inside));
	seq_printf(m, "many_sites %zu\n", ARRAY_SIZE(many_sizes) * MANY_CALLS);
	seq_printf(m, "many_held %u\n", count_held());
	seq_printf(m, "hold_objects %lu\n", hold_nr);
	seq_printf(m, "destroy_clean_objects %d\n", DESTROY_CLEAN_NR);
	seq_printf(m, "destroy_leak_objects %d\n", DESTROY_LEAK_NR);
}

void load_misc_exit(void)
{
	load_sleep_release();
	load_many_free();
	load_hold_free();
}
