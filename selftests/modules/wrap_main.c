// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_wrap: allocator wrappers, each called from a function of its own, for
 * the tests of attribution: the site of what a wrapper allocates must be the
 * function that called it.
 *
 * This file owns the debugfs files, allocates and frees the rows of the
 * tables and says what a tracker must show; the calls are in wrap_slab.c,
 * wrap_page.c, wrap_pool.c, wrap_deep.c and wrap_dev.c. It knows nothing of
 * allocsite and is never linked against it.
 *
 * Task context; wrap_lock serialises commands and readers and is outermost.
 * Invariant: expect is computed from the tables, never from a tracker's output.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "wrap.h"

#define WRAP_WORD_MAX	64
/* At least the sum of .nr; checked when objects are handed out. */
#define WRAP_POOL_SIZE	1024

static const struct wrap_table * const wrap_tables[] = {
	&wrap_slab, &wrap_page, &wrap_pool, &wrap_dev,
};

/* Serialises commands and readers. */
static DEFINE_MUTEX(wrap_lock);
static struct dentry *wrap_dir;

/* What the rows hold, one after the other. */
static void *wrap_objs[WRAP_POOL_SIZE];
static bool wrap_held;

/* -- allocate and free ----------------------------------------------------- */

struct wrap_job {
	const struct wrap_site *site;
	void **objs;
	unsigned int got;
};

static int get_row(void *arg)
{
	struct wrap_job *job = arg;
	const struct wrap_site *site = job->site;

	if (site->before)
		site->before();
	for (; job->got < site->nr; job->got++) {
		job->objs[job->got] = site->get();
		if (!job->objs[job->got])
			break;
	}
	if (site->after)
		site->after();
	return job->got == site->nr ? 0 : -ENOMEM;
}

static int put_row(void *arg)
{
	struct wrap_job *job = arg;
	const struct wrap_site *site = job->site;

	if (site->before)
		site->before();
	while (job->got)
		site->put(job->objs[--job->got]);
	if (site->after)
		site->after();
	return 0;
}

static int run_row(int (*fn)(void *arg), struct wrap_job *job)
{
	if (job->site->on_cpu_0)
		return smp_call_on_cpu(0, fn, job, false);
	return fn(job);
}

/* Calls @fn for each row that this kernel has, until it fails. */
static int each_row(int (*fn)(const struct wrap_site *site, void **objs))
{
	void **objs = wrap_objs;
	int i, err;
	unsigned int j;

	for (i = 0; i < ARRAY_SIZE(wrap_tables); i++) {
		for (j = 0; j < wrap_tables[i]->nr; j++) {
			const struct wrap_site *site = &wrap_tables[i]->rows[j];

			if (site->absent)
				continue;
			if (objs + site->nr > wrap_objs + WRAP_POOL_SIZE)
				return -ENOSPC;
			err = fn(site, objs);
			if (err)
				return err;
			objs += site->nr;
		}
	}
	return 0;
}

static int put_site(const struct wrap_site *site, void **objs)
{
	struct wrap_job job = { .site = site, .objs = objs };

	/* A row that could not be filled ends where its objects do. */
	while (job.got < site->nr && objs[job.got])
		job.got++;
	if (!job.got)
		return 0;
	run_row(put_row, &job);
	memset(objs, 0, site->nr * sizeof(*objs));
	return 0;
}

static int get_site(const struct wrap_site *site, void **objs)
{
	struct wrap_job job = { .site = site, .objs = objs };
	int err = run_row(get_row, &job);

	if (err)
		pr_err("%s: call %u of %u failed\n", site->func, job.got + 1, site->nr);
	return err;
}

static int wrap_alloc(void)
{
	int err;

	if (wrap_held)
		return -EBUSY;
	err = each_row(get_site);
	if (err)
		each_row(put_site);
	else
		wrap_held = true;
	return err;
}

static int wrap_free(void)
{
	if (!wrap_held)
		return -ENOENT;
	wrap_held = false;
	return each_row(put_site);
}

/* -- what a tracker must say ----------------------------------------------- */

/* Bytes of the kmalloc cache for @req. */
static size_t kmalloc_class(size_t req)
{
	if (req > 64 && req <= 96)
		return 96;
	if (req > 128 && req <= 192)
		return 192;
	return max_t(size_t, 8, roundup_pow_of_two(req));
}

/* The column "size" of a row, and the live bytes of one object. */
static size_t claim_size(const struct wrap_claim *claim, size_t *bytes)
{
	size_t size;

	if (!strcmp(claim->kind, "vmalloc")) {
		*bytes = PAGE_ALIGN(claim->req);
		return 0;
	}
	if (!strcmp(claim->kind, "percpu")) {
		*bytes = ALIGN(claim->req, 4) * num_possible_cpus();
		return 0;
	}
	if (!strcmp(claim->kind, "page")) {
		*bytes = PAGE_ALIGN(claim->req);
		return PAGE_SIZE << get_order(claim->req);
	}
	if (!strcmp(claim->kind, "kmalloc"))
		size = kmalloc_class(claim->req);
	else if (!strcmp(claim->kind, "kmalloc_large"))
		size = PAGE_SIZE << get_order(claim->req);
	else
		size = claim->req;
	*bytes = size;
	return size;
}

static void show_site(struct seq_file *m, const struct wrap_site *site)
{
	const struct wrap_claim *claim = site->claims;

	if (site->absent) {
		seq_printf(m, "# absent %s: %s\n", site->func, site->absent);
		return;
	}
	for (; claim < site->claims + WRAP_CLAIMS && claim->kind; claim++) {
		unsigned int objects = claim->objects ?: site->nr;
		size_t bytes, size;

		if (!wrap_held)
			objects = 0;
		if (claim->req == WRAP_ANY_SIZE) {
			seq_printf(m, "%s %s * %s * %u must\n", site->func, claim->kind,
				   claim->cache ?: "-", objects);
			continue;
		}
		size = claim_size(claim, &bytes);
		seq_printf(m, "%s %s %zu %s %zu %u %s\n", site->func, claim->kind, size,
			   claim->cache ?: "-", bytes * objects, objects,
			   claim->maybe ? "may" : "must");
	}
}

static int wrap_expect_show(struct seq_file *m, void *v)
{
	int i;
	unsigned int j;

	seq_puts(m, "asite_wrap expect - version: 1\n");
	seq_puts(m, "# function kind size cache live_bytes live_objects must|may (*: any)\n");
	mutex_lock(&wrap_lock);
	for (i = 0; i < ARRAY_SIZE(wrap_tables); i++)
		for (j = 0; j < wrap_tables[i]->nr; j++)
			show_site(m, &wrap_tables[i]->rows[j]);
	mutex_unlock(&wrap_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wrap_expect);

/* -- control --------------------------------------------------------------- */

static int run_word(char *line)
{
	unsigned int calls, objects;
	unsigned long nr;

	if (!strcmp(line, "alloc"))
		return wrap_alloc();
	if (!strcmp(line, "free"))
		return wrap_free();
	if (!strcmp(line, "skbfree")) {
		wrap_skb_free();
		return 0;
	}
	if (!strcmp(line, "deepfree")) {
		wrap_deep_free();
		return 0;
	}
	if (sscanf(line, "deep %u %u", &objects, &calls) == 2)
		return wrap_deep_alloc(objects, calls);
	if (!strncmp(line, "skb ", 4) && !kstrtoul(line + 4, 0, &nr))
		return wrap_skb_alloc(nr);
	return -EINVAL;
}

static ssize_t wrap_control_write(struct file *file, const char __user *buf,
				  size_t len, loff_t *pos)
{
	char line[WRAP_WORD_MAX];
	int err;

	if (len < WRAP_USER_BYTES || len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = '\0';
	mutex_lock(&wrap_lock);
	wrap_user = buf;
	err = run_word(strim(line));
	wrap_user = NULL;
	mutex_unlock(&wrap_lock);
	return err ? err : len;
}

static int wrap_control_show(struct seq_file *m, void *v)
{
	seq_puts(m, "asite_wrap control - version: 1\n");
	seq_puts(m, "# alloc: call and hold every row of expect\n");
	seq_puts(m, "# free: free what alloc made\n");
	seq_puts(m, "# skb N: N more sk_buffs from each of two functions\n");
	seq_puts(m, "# skbfree: free them\n");
	seq_puts(m, "# deep N CALLS: N more of each kind at the bottom of so many calls\n");
	seq_puts(m, "# deepfree: free them\n");
	mutex_lock(&wrap_lock);
	seq_printf(m, "held %d\n", wrap_held);
	wrap_skb_status(m);
	wrap_deep_status(m);
	mutex_unlock(&wrap_lock);
	return 0;
}

static int wrap_control_open(struct inode *inode, struct file *file)
{
	return single_open(file, wrap_control_show, NULL);
}

static const struct file_operations wrap_control_fops = {
	.owner = THIS_MODULE,
	.open = wrap_control_open,
	.read = seq_read,
	.write = wrap_control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* -- init and exit --------------------------------------------------------- */

static int __init wrap_init(void)
{
	int err = wrap_pool_init();

	if (err)
		return err;
	err = wrap_deep_init();
	if (err)
		goto no_deep;
	err = wrap_dev_init();
	if (err)
		goto no_dev;
	wrap_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	err = PTR_ERR_OR_ZERO(wrap_dir);
	if (err)
		goto no_dir;
	debugfs_create_file("control", 0600, wrap_dir, NULL, &wrap_control_fops);
	debugfs_create_file("expect", 0400, wrap_dir, NULL, &wrap_expect_fops);
	return 0;

no_dir:
	wrap_dev_exit();
no_dev:
	wrap_deep_exit();
no_deep:
	wrap_pool_exit();
	return err;
}

static void __exit wrap_exit(void)
{
	debugfs_remove(wrap_dir);
	wrap_free();
	wrap_skb_free();
	wrap_dev_exit();
	wrap_deep_exit();
	wrap_pool_exit();
}

module_init(wrap_init);
module_exit(wrap_exit);
MODULE_DESCRIPTION("Allocator wrappers, each called from a function of its own");
MODULE_LICENSE("GPL");
