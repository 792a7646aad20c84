// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: allocates and frees what the tables of load_calls.c,
 * load_pages.c and load_areas.c list, and says what a tracker must show of it.
 *
 * Task context, under load_lock. Invariant: expect is computed from the
 * tables and from what alloc and free did, never from a tracker's output.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "load.h"

/* How often a row may go on after a failed allocation. */
#define LOAD_TRIES	10

/* At least the sum of .nr; checked when objects are handed out. */
#define LOAD_POOL_SIZE	16384

/* Objects of each row while held. */
static void *load_pool[LOAD_POOL_SIZE];
static bool load_held;
/* Times alloc ran since mark. */
static unsigned long load_rounds;

/* -- rows ---------------------------------------------------------------- */

static unsigned int row_count(void)
{
	return load_table_rows + load_page_table_rows + load_area_table_rows;
}

static const struct load_site *row_at(unsigned int i)
{
	if (i < load_table_rows)
		return &load_table[i];
	i -= load_table_rows;
	if (i < load_page_table_rows)
		return &load_page_table[i];
	return &load_area_table[i - load_page_table_rows];
}

static int free_row(const struct load_site *site, void **objs, unsigned int nr)
{
	if (site->way == LOAD_DROP)
		return load_drop_objects(site, objs, nr);
	return load_free_objects(site->way, site->free_place, load_caches[site->cache], objs, nr);
}

/* -- alloc and free ------------------------------------------------------ */

struct alloc_job {
	const struct load_site *site;
	void **objs;
	unsigned int got;
};

static void alloc_row(void *arg)
{
	struct alloc_job *job = arg;

	for (; job->got < job->site->nr; job->got++) {
		job->objs[job->got] = job->site->one(job->site->req);
		if (!job->objs[job->got])
			return;
	}
}

static int fill_row(const struct load_site *site, void **objs)
{
	struct alloc_job job = { .site = site, .objs = objs };
	int i, err = 0;

	if (site->many)
		return site->many(objs, site->nr);
	/* Without waiting there may be no memory at once. */
	for (i = 0; !err && job.got < site->nr && i < LOAD_TRIES; i++)
		err = load_run_at(site->alloc_place, alloc_row, &job);
	if (job.got == site->nr)
		return 0;
	free_row(site, objs, job.got);
	return err ? err : -ENOMEM;
}

static bool has_objects(const struct load_site *site)
{
	return !site->absent && (site->one || site->many);
}

static int free_rows(int rows)
{
	void **objs = load_pool;
	int i, err;

	for (i = 0; i < rows; i++) {
		const struct load_site *site = row_at(i);

		if (!has_objects(site))
			continue;
		err = free_row(site, objs, site->nr);
		if (err)
			return err;
		objs += site->nr;
	}
	load_areas_free_rest();
	load_flush_rcu();
	return 0;
}

int load_sites_alloc(void)
{
	void **objs = load_pool;
	int i, err;

	if (load_held)
		return -EBUSY;
	for (i = 0; i < row_count(); i++) {
		const struct load_site *site = row_at(i);

		if (!has_objects(site))
			continue;
		err = -ENOSPC;
		if (objs + site->nr <= load_pool + LOAD_POOL_SIZE)
			err = fill_row(site, objs);
		if (err) {
			pr_err("%s: allocation failed\n", site->func);
			free_rows(i);
			return err;
		}
		objs += site->nr;
	}
	load_held = true;
	load_rounds++;
	return 0;
}

int load_sites_free(void)
{
	if (!load_held)
		return -ENOENT;
	load_held = false;
	return free_rows(row_count());
}

void load_sites_mark(void)
{
	load_rounds = 0;
	load_pages_mark();
	load_parts_mark();
	load_paths_mark();
}

/* -- objects from before a tracker is loaded ----------------------------- */

#define LOAD_PRE_ROWS	8
#define LOAD_PRE_MAX	71

/* Objects of each row of load_pre_table while held. */
static void *pre_pool[LOAD_PRE_ROWS][LOAD_PRE_MAX];
/* Rows of load_pre_table that are held. */
static int pre_held;

int load_sites_prealloc(void)
{
	if (pre_held)
		return -EBUSY;
	for (; pre_held < load_pre_table_rows; pre_held++) {
		int err = fill_row(&load_pre_table[pre_held], pre_pool[pre_held]);

		if (err)
			return err;
	}
	return 0;
}

static unsigned int count_prealloc(void)
{
	unsigned int sum = 0;
	int i;

	for (i = 0; i < pre_held; i++)
		sum += load_pre_table[i].nr;
	return sum;
}

int load_sites_prefree(void)
{
	for (; pre_held > 0; pre_held--) {
		const struct load_site *site = &load_pre_table[pre_held - 1];

		load_free_objects(site->way, site->free_place, load_caches[site->cache],
				  pre_pool[pre_held - 1], site->nr);
	}
	load_flush_rcu();
	return 0;
}

/* -- what a tracker must say --------------------------------------------- */

/* Not merged (slab_nomerge): each has a name of its own. */
static const char *cache_name_of(const struct load_site *site)
{
	if (site->cache == LOAD_CACHE_MERGE_B && !load_calls_merged())
		return LOAD_MERGE_B_NAME;
	return site->cache_name;
}

/* What @bytes of one object make, as they are counted. */
static size_t counted(const struct load_site *site, size_t bytes)
{
	if (site->align)
		bytes = ALIGN(bytes, site->align);
	return site->each_cpu ? bytes * num_possible_cpus() : bytes;
}

static size_t left_of(const struct load_site *site)
{
	if (site->left)
		return site->left;
	return site->size ? site->size : site->req;
}

static void show_row(struct seq_file *m, const struct load_site *site)
{
	unsigned long live = 0, total = 0;

	if (site->absent) {
		seq_printf(m, "# absent %s %s %zu: %s\n", site->func, site->kind, site->size,
			   site->absent);
		return;
	}
	if (site->claim == LOAD_LIVE && load_held)
		live = site->nr;
	if (site->claim != LOAD_ABSENT)
		total = site->calls ? *site->calls : site->nr * load_rounds;
	seq_printf(m, "%s %s %zu %s %lu %lu %lu %lu\n", site->func, site->kind, site->size,
		   cache_name_of(site), site->headless ? 0 : live, total,
		   total * counted(site, site->req), live * counted(site, left_of(site)));
}

void load_sites_expect(struct seq_file *m)
{
	int i;

	seq_puts(m, "asite_load expect - version: 2\n");
	seq_puts(m, "# function kind size cache live_objects total_objects requested_bytes live_bytes\n");
	for (i = 0; i < row_count(); i++)
		show_row(m, row_at(i));
	load_parts_expect(m);
	load_paths_expect(m);
}

void load_sites_status(struct seq_file *m)
{
	seq_printf(m, "held %d\n", load_held);
	seq_printf(m, "prealloc_objects %u\n", count_prealloc());
	seq_printf(m, "merged %d\n",
		   load_calls_merged());
}

/* -- exit ---------------------------------------------------------------- */

void load_sites_exit(void)
{
	if (load_held)
		load_sites_free();
	load_sites_prefree();
}
