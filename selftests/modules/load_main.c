// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_load: a workload with known counts, for the tests of allocsite.
 *
 * This file owns the debugfs files and the table of commands; the allocations
 * are in load_calls.c, load_pages.c and load_areas.c (one per API and size),
 * load_parts.c (blocks that go in parts), load_work.c (threads), load_paths.c (many stacks) and
 * load_misc.c (cache destruction, sleeping constructor, many sites). It knows
 * nothing of allocsite and is never linked against it.
 *
 * Everything runs in task context. load_lock serialises commands and readers;
 * it is outermost. Invariant: whatever a command allocated is freed by its
 * counterpart or at module exit, except what destroy_leak leaves on purpose.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "load.h"

#define LOAD_WORD_MAX	64

/* Serialises commands and readers. */
static DEFINE_MUTEX(load_lock);
static struct dentry *load_dir;

/* -- commands ------------------------------------------------------------ */

struct load_command {
	const char *word;
	int (*run)(unsigned long arg);
	const char *help;
};

static int run_alloc(unsigned long arg)
{
	return load_sites_alloc();
}

static int run_free(unsigned long arg)
{
	return load_sites_free();
}

static int run_mark(unsigned long arg)
{
	load_sites_mark();
	return 0;
}

static int run_prealloc(unsigned long arg)
{
	return load_sites_prealloc();
}

static int run_prefree(unsigned long arg)
{
	return load_sites_prefree();
}

static int run_destroy_merged(unsigned long arg)
{
	return load_calls_destroy_merged();
}

static int run_stormwait(unsigned long arg)
{
	return load_storm_wait(false);
}

static int run_stormstop(unsigned long arg)
{
	return load_storm_wait(true);
}

static int run_leakstart(unsigned long arg)
{
	return load_leak_start();
}

static int run_leakstop(unsigned long arg)
{
	return load_leak_stop();
}

static int run_leakfree(unsigned long arg)
{
	return load_leak_free();
}

static int run_destroy_clean(unsigned long arg)
{
	return load_destroy_clean();
}

static int run_destroy_leak(unsigned long arg)
{
	return load_destroy_leak();
}

static int run_release(unsigned long arg)
{
	return load_sleep_release();
}

static int run_many(unsigned long arg)
{
	return load_many_alloc();
}

static int run_manyfree(unsigned long arg)
{
	return load_many_free();
}

static int run_holdhalf(unsigned long arg)
{
	return load_hold_half();
}

static int run_holdfree(unsigned long arg)
{
	return load_hold_free();
}

static int run_pathsfree(unsigned long arg)
{
	return load_paths_free();
}

static int run_pathpagesfree(unsigned long arg)
{
	return load_path_pages_free();
}

static int run_pathwait(unsigned long arg)
{
	return load_path_wait();
}

static const struct load_command load_commands[] = {
	{ "alloc", run_alloc, "make and hold every row of expect" },
	{ "free", run_free, "free what alloc made" },
	{ "mark", run_mark, "totals of expect count from here" },
	{ "prealloc", run_prealloc, "objects from before a tracker is loaded" },
	{ "prefree", run_prefree, "free them" },
	{ "part", load_part_step, "the next step of case N of blocks that go in parts" },
	{ "destroy_merged", run_destroy_merged, "drop the second of two merged caches" },
	{ "destroy_clean", run_destroy_clean, "make, use, empty and destroy a cache" },
	{ "destroy_leak", run_destroy_leak, "destroy a cache with objects left: the kernel warns" },
	{ "storm", load_storm_start, "N allocations per thread, frees on any CPU" },
	{ "stormwait", run_stormwait, "wait for the end of the storm" },
	{ "stormstop", run_stormstop, "end the storm now" },
	{ "leakstart", run_leakstart, "leak one object per 1,000 operations" },
	{ "leakstop", run_leakstop, "stop that" },
	{ "leakfree", run_leakfree, "free what leaked" },
	{ "sleepers", load_sleep_start, "N threads asleep inside kmem_cache_alloc" },
	{ "release", run_release, "let them go" },
	{ "many", run_many, "one allocation from each of many sites" },
	{ "hold", load_hold, "N more 64-byte objects of one site" },
	{ "holdhalf", run_holdhalf, "free every second of them, from the last" },
	{ "holdfree", run_holdfree, "free them" },
	{ "manyfree", run_manyfree, "free what of it is still held" },
	{ "paths", load_paths, "N more objects of one site, each from a stack of its own" },
	{ "pathsfree", run_pathsfree, "free them" },
	{ "pathpages", load_path_pages_hold, "the same of N blocks of pages without head" },
	{ "pathpagesfree", run_pathpagesfree, "free what is left of them" },
	{ "pathagain", load_path_again, "a thread: N objects from one stack, each freed at once" },
	{ "pathwait", run_pathwait, "wait for its end" },
};

static int run_word(char *line)
{
	unsigned long arg = 0;
	char *word = strsep(&line, " ");
	int i, err;

	if (line) {
		err = kstrtoul(line, 0, &arg);
		if (err)
			return err;
	}
	for (i = 0; i < ARRAY_SIZE(load_commands); i++)
		if (!strcmp(word, load_commands[i].word))
			return load_commands[i].run(arg);
	return -EINVAL;
}

/* -- files --------------------------------------------------------------- */

static ssize_t load_control_write(struct file *file, const char __user *buf,
				  size_t len, loff_t *pos)
{
	char line[LOAD_WORD_MAX];
	int err;

	if (!len || len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = '\0';
	mutex_lock(&load_lock);
	err = run_word(strim(line));
	mutex_unlock(&load_lock);
	return err ? err : len;
}

static int load_control_show(struct seq_file *m, void *v)
{
	int i;

	seq_puts(m, "asite_load control - version: 1\n");
	for (i = 0; i < ARRAY_SIZE(load_commands); i++)
		seq_printf(m, "# %s: %s\n", load_commands[i].word,
			   load_commands[i].help);
	mutex_lock(&load_lock);
	load_sites_status(m);
	load_parts_status(m);
	load_work_status(m);
	load_misc_status(m);
	load_paths_status(m);
	mutex_unlock(&load_lock);
	return 0;
}

static int load_control_open(struct inode *inode, struct file *file)
{
	return single_open(file, load_control_show, NULL);
}

static const struct file_operations load_control_fops = {
	.owner = THIS_MODULE,
	.open = load_control_open,
	.read = seq_read,
	.write = load_control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int load_expect_show(struct seq_file *m, void *v)
{
	mutex_lock(&load_lock);
	load_sites_expect(m);
	mutex_unlock(&load_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(load_expect);

/* -- init and exit ------------------------------------------------------- */

static int __init load_init(void)
{
	int err = load_calls_init();

	if (err)
		return err;
	err = load_areas_init();
	if (err)
		goto no_areas;
	load_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (IS_ERR(load_dir)) {
		err = PTR_ERR(load_dir);
		goto no_dir;
	}
	debugfs_create_file("control", 0600, load_dir, NULL, &load_control_fops);
	debugfs_create_file("expect", 0400, load_dir, NULL, &load_expect_fops);
	return 0;

no_dir:
	load_areas_exit();
no_areas:
	load_calls_exit();
	return err;
}

static void __exit load_exit(void)
{
	debugfs_remove(load_dir);
	load_work_exit();
	load_misc_exit();
	load_paths_exit();
	load_parts_exit();
	load_sites_exit();
	load_areas_exit();
	load_calls_exit();
}

module_init(load_init);
module_exit(load_exit);
MODULE_DESCRIPTION("Workload with known allocation counts");
MODULE_LICENSE("GPL");
