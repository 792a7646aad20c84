// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: many objects of one call site, each from a stack of its own.
 *
 * A stack's number is the way to it: its bits decide which of two functions calls which. Numbers
 * are never used twice, so each object of load_path_61() has a stack that was not there before.
 * The other call site, load_path_again_59(), is called from one stack over and over.
 *
 * Task context under load_lock, but for the thread that pathagain starts. Invariant: what is on
 * the lists or with that thread is freed at module exit.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "load.h"

#define PATH_BITS	20

struct path_object {
	struct list_head node;
};

static LIST_HEAD(path_list);
static LIST_HEAD(block_list);
static unsigned long path_held;
static unsigned long path_made;
static unsigned long path_marked;
static unsigned long blocks_held;
static unsigned long blocks_made;
static unsigned long blocks_marked;
static struct task_struct *again_task;
static unsigned long again_wanted;
static unsigned long again_made;
static unsigned long again_marked;

static noinline __noclone void *load_path_61(void)
{
	void *p = kmalloc(61, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_path_again_59(void)
{
	void *p = kmalloc(59, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *load_path_pages(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);

	barrier();
	return page;
}

static noinline __noclone void *load_path_odd(unsigned long way, unsigned int bits, bool pages);

static __always_inline void *next_on_path(unsigned long way, unsigned int bits, bool pages);

static noinline __noclone void *load_path_even(unsigned long way, unsigned int bits, bool pages)
{
	return next_on_path(way, bits, pages);
}

static noinline __noclone void *load_path_odd(unsigned long way, unsigned int bits, bool pages)
{
	return next_on_path(way, bits, pages);
}

/* The barrier keeps the calls from being jumps. */
static __always_inline void *next_on_path(unsigned long way, unsigned int bits, bool pages)
{
	void *p;

	if (!bits)
		p = pages ? load_path_pages() : load_path_61();
	else if (way & 1)
		p = load_path_odd(way >> 1, bits - 1, pages);
	else
		p = load_path_even(way >> 1, bits - 1, pages);
	barrier();
	return p;
}

int load_paths(unsigned long nr)
{
	struct path_object *obj;

	for (; nr > 0; nr--) {
		obj = load_path_even(path_made, PATH_BITS, false);
		if (!obj)
			return -ENOMEM;
		path_made++;
		path_held++;
		list_add(&obj->node, &path_list);
		cond_resched();
	}
	return 0;
}

int load_paths_free(void)
{
	struct path_object *obj, *next;

	list_for_each_entry_safe(obj, next, &path_list, node) {
		list_del(&obj->node);
		kfree(obj);
	}
	path_held = 0;
	return 0;
}

/* Blocks of two pages, of which the first is free again: no block, and a page that is live. */

int load_path_pages_hold(unsigned long nr)
{
	struct page *page;

	for (; nr > 0; nr--) {
		page = load_path_even(blocks_made, PATH_BITS, true);
		if (!page)
			return -ENOMEM;
		blocks_made++;
		blocks_held++;
		split_page(page, 1);
		__free_page(page);
		list_add(&page[1].lru, &block_list);
	}
	return 0;
}

int load_path_pages_free(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &block_list, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
	blocks_held = 0;
	return 0;
}

static int again_main(void *unused)
{
	void *p;

	while (again_made < again_wanted && !kthread_should_stop()) {
		p = load_path_again_59();
		if (p)
			again_made++;
		kfree(p);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

int load_path_again(unsigned long nr)
{
	if (again_task || !nr)
		return -EINVAL;
	again_wanted = again_made + nr;
	again_task = kthread_create(again_main, NULL, "asite_path");
	if (IS_ERR(again_task)) {
		int err = PTR_ERR(again_task);

		again_task = NULL;
		return err;
	}
	get_task_struct(again_task);
	wake_up_process(again_task);
	return 0;
}

int load_path_wait(void)
{
	if (!again_task)
		return 0;
	while (READ_ONCE(again_made) < again_wanted)
		schedule_timeout_interruptible(HZ / 10);
	kthread_stop(again_task);
	put_task_struct(again_task);
	again_task = NULL;
	return 0;
}

void load_paths_mark(void)
{
	path_marked = path_made;
	blocks_marked = blocks_made;
	again_marked = again_made;
}

/* While no thread runs. */
void load_paths_expect(struct seq_file *m)
{
	unsigned long paths = path_made - path_marked, again = again_made - again_marked;
	unsigned long blocks = blocks_made - blocks_marked;

	seq_printf(m, "load_path_61 kmalloc 64 - %lu %lu %lu %lu\n", path_held, paths, paths * 61,
		   path_held * 64);
	seq_printf(m, "load_path_pages page %lu - 0 %lu %lu %lu\n", 2 * PAGE_SIZE, blocks,
		   blocks * 2 * PAGE_SIZE, blocks_held * PAGE_SIZE);
	seq_printf(m, "load_path_again_59 kmalloc 64 - 0 %lu %lu 0\n", again, again * 59);
}

void load_paths_status(struct seq_file *m)
{
	seq_printf(m, "load_path_61 %lu\n", path_made);
	seq_printf(m, "load_path_again_59 %lu\n", READ_ONCE(again_made));
	seq_printf(m, "paths_held %lu\n", path_held);
}

void load_paths_exit(void)
{
	load_path_wait();
	load_path_pages_free();
	load_paths_free();
}
