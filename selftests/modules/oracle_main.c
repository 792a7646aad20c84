// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_oracle: which call site is charged to which tag of code tagging.
 *
 * alloc_hooks() puts its tag into current->alloc_tag around the call, so a probe on
 * an allocation's event sees both names of the caller: the call site, which is
 * allocsite's (oracle_walk.c), and the tag that /proc/allocinfo charges. Pairs of them
 * go into a table; the comparison joins the two reports by it. It also copies the
 * counters of all tags seen in one go ("freeze"), so that what the reader itself
 * allocates does not come between. It is built for kernels with code tagging only,
 * and shares with allocsite the names of the wrapper set, nothing else.
 *
 * What current->alloc_tag is in an interrupt: the interrupt's own tag inside
 * alloc_hooks(), which restores it; else that of the interrupted task, or NULL. Code
 * tagging charges what is there, be it stale, and that is what is recorded here.
 * Nothing is charged to no tag; there is none on 7.3 while profiling is off, which has
 * an entry of its own. Events in interrupts are counted.
 *
 * This file has the probes of slab events, what attaches all probes, and the debugfs
 * files; the tables are in oracle_table.c, what it must know of slabs is in
 * oracle_slab.c, pages and per-CPU memory are in oracle_page.c. Contexts: probes run in any, NMI
 * included; the rest in a task, under oracle_lock. Invariant: probes are gone before
 * the tables are.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>

#include "count_functions.h"
#include "oracle.h"
#include "oracle_page.h"

static bool running;
static struct dentry *oracle_dir;

static atomic_long_t in_interrupt_objects;
static atomic_long_t in_interrupt_no_tag;

/* -- events -------------------------------------------------------------- */

static struct oracle_tag *on_slab(unsigned long site, const struct kmem_cache *s,
				  unsigned long nr)
{
	struct oracle_tag *tag = oracle_table_count(ORACLE_SLAB, nr);
	struct oracle_end end = { .object = site };

	if (!tag)
		return NULL;
	if (!in_task()) {
		atomic_long_add(nr, &in_interrupt_objects);
		if (oracle_table_index(tag) == ORACLE_NO_TAG)
			atomic_long_add(nr, &in_interrupt_no_tag);
	}
	if (oracle_walk_is_wrapper(site))
		oracle_walk(site, &end);
	oracle_table_pair(end.object, oracle_slab_name(s), tag, nr);
	return tag;
}

static void hold_uncounted(struct oracle_tag *tag, const void *ptr, size_t bytes)
{
	atomic_long_inc(&tag->events[ORACLE_NO_EXT]);
	oracle_slab_hold(ptr, tag, bytes, ORACLE_UNCOUNTED);
}

/* From 7.3 on; under its own tag only, that is, while profiling is on. */
static bool is_sheaf(const struct oracle_tag *tag)
{
	return oracle_table_index(tag) >= ORACLE_FIRST_TAG &&
	       !strcmp(tag->tag->ct.function, "__alloc_empty_sheaf");
}

static void on_kmalloc(void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
		       size_t bytes_alloc, gfp_t gfp, int node)
{
	struct oracle_tag *tag = ZERO_OR_NULL_PTR(ptr) ? NULL : on_slab(call_site, NULL, 1);

	if (!tag)
		return;
	if (oracle_table_index(tag) == ORACLE_NO_TAG)
		hold_uncounted(tag, ptr, bytes_alloc);
	else if (bytes_alloc > KMALLOC_MAX_CACHE_SIZE)
		return;
	else if (oracle_slab_has_no_ext(ptr))
		hold_uncounted(tag, ptr, bytes_alloc);
	else if (is_sheaf(tag))
		oracle_slab_hold(ptr, tag, bytes_alloc, ORACLE_EXTRA_COUNT);
}

static void on_kfree(void *data, unsigned long call_site, const void *ptr)
{
	if (!ZERO_OR_NULL_PTR(ptr))
		oracle_slab_drop(ptr);
}

static void on_cache_alloc(void *data, unsigned long call_site, const void *ptr,
			   struct kmem_cache *s, gfp_t gfp, int node)
{
	if (ptr)
		on_slab(call_site, s, 1);
}

/* kmem_cache_alloc_bulk(s, flags, size, p): no event, so it is its entry; it may yet fail. */
static void on_bulk_alloc(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			  struct asite_k_ftrace_regs *fregs)
{
	on_slab(parent_ip, (struct kmem_cache *)asite_k_ftrace_argument(fregs, 0),
		asite_k_ftrace_argument(fregs, 2));
}

/* kmalloc_nolock(): the same. */
static void on_nolock_alloc(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			    struct asite_k_ftrace_regs *fregs)
{
	on_slab(parent_ip, NULL, 1);
}

static void on_nolock_free(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			   struct asite_k_ftrace_regs *fregs)
{
	on_kfree(NULL, parent_ip, (void *)asite_k_ftrace_argument(fregs, 0));
}

/* -- attaching ----------------------------------------------------------- */

/* Not exported: found by name. */
struct oracle_tracepoint {
	const char *name;
	void *probe;
	struct tracepoint *tp;
	bool attached;
};

static struct oracle_tracepoint tracepoints[] = {
	{ "kmalloc", on_kmalloc },
	{ "kmem_cache_alloc", on_cache_alloc },
	{ "kfree", on_kfree },
	{ "mm_page_free", oracle_on_page_free },
	{ "mm_page_alloc", oracle_on_page_alloc },
	{ "percpu_free_percpu", oracle_on_percpu_free },
	{ "percpu_alloc_percpu", oracle_on_percpu_alloc },
};

/* The probes' prototypes are those of the kernel. */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_kmalloc(on_kmalloc);
	check_trace_callback_type_kmem_cache_alloc(on_cache_alloc);
	check_trace_callback_type_kfree(on_kfree);
	check_trace_callback_type_mm_page_alloc(oracle_on_page_alloc);
	check_trace_callback_type_mm_page_free(oracle_on_page_free);
	check_trace_callback_type_percpu_free_percpu(oracle_on_percpu_free);
	check_trace_callback_type_percpu_alloc_percpu(oracle_on_percpu_alloc);
}

static void note_tracepoint(struct tracepoint *tp, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++)
		if (!strcmp(tp->name, tracepoints[i].name))
			tracepoints[i].tp = tp;
}

/* A name of NULL: this kernel has no such function. */
struct oracle_function {
	char *name;
	struct ftrace_ops ops;
	bool attached;
};

static struct oracle_function functions[] = {
	{ ASITE_K_BULK_ALLOC, { .func = on_bulk_alloc, .flags = ASITE_K_FTRACE_FLAGS } },
	{ ASITE_K_NOLOCK_ALLOC, { .func = on_nolock_alloc, .flags = ASITE_K_FTRACE_FLAGS } },
	{ ASITE_K_NOLOCK_FREE, { .func = on_nolock_free, .flags = ASITE_K_FTRACE_FLAGS } },
	{ "alloc_pages_bulk_noprof", { .func = oracle_on_page_bulk,
				       .flags = ASITE_K_FTRACE_FLAGS } },
	{ ORACLE_K_CONTIG, { .func = oracle_on_contig, .flags = ASITE_K_FTRACE_FLAGS } },
	{ ORACLE_K_SPLIT, { .func = oracle_on_split, .flags = ASITE_K_FTRACE_FLAGS } },
	{ "remove_vm_area", { .func = oracle_on_vfree, .flags = ASITE_K_FTRACE_FLAGS } },
	{ "__vmap_pages_range_noflush", { .func = oracle_on_vmap, .flags = ASITE_K_FTRACE_FLAGS } },
	{ "__vmalloc_node_range_noprof", { .func = oracle_on_vmalloc,
					   .flags = ASITE_K_FTRACE_FLAGS } },
	{ "folio_migrate_flags", { .func = oracle_on_migrate, .flags = ASITE_K_FTRACE_FLAGS } },
};

static int attach_tracepoint(struct oracle_tracepoint *t)
{
	int err = t->tp ? tracepoint_probe_register(t->tp, t->probe, NULL) : -ENOENT;

	t->attached = !err;
	return err;
}

static int attach_function(struct oracle_function *f)
{
	int err;

	if (!f->name)
		return 0;
	err = ftrace_set_filter(&f->ops, f->name, strlen(f->name), 1);
	if (!err)
		err = register_ftrace_function(&f->ops);
	f->attached = !err;
	return err;
}

static void detach_all(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++)
		if (tracepoints[i].attached)
			tracepoint_probe_unregister(tracepoints[i].tp, tracepoints[i].probe, NULL);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].attached)
			unregister_ftrace_function(&functions[i].ops);
	tracepoint_synchronize_unregister();
	running = false;
}

/* Once for each load: tables are not emptied. */
static int attach_all(void)
{
	int i, err = running ? -EBUSY : 0;

	for (i = 0; !err && i < ARRAY_SIZE(tracepoints); i++)
		err = attach_tracepoint(&tracepoints[i]);
	for (i = 0; !err && i < ARRAY_SIZE(functions); i++)
		err = attach_function(&functions[i]);
	if (err && !running)
		detach_all();
	running = running || !err;
	return err;
}

/* -- files --------------------------------------------------------------- */

/* From now on, what has no tag has none although profiling is on. */
static int note_profiling(void)
{
	WRITE_ONCE(oracle_profiling, true);
	return 0;
}

static int freeze(unsigned int n)
{
	oracle_table_freeze(n);
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char word[16];
	int err = -EINVAL;

	if (!len || len >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, buf, len))
		return -EFAULT;
	word[len] = '\0';
	mutex_lock(&oracle_lock);
	if (sysfs_streq(word, "start"))
		err = attach_all();
	else if (sysfs_streq(word, "profiling"))
		err = note_profiling();
	else if (sysfs_streq(word, "freeze 0"))
		err = freeze(0);
	else if (sysfs_streq(word, "freeze 1"))
		err = freeze(1);
	mutex_unlock(&oracle_lock);
	return err ? err : len;
}

static int control_show(struct seq_file *m, void *v)
{
	unsigned int used, paired;

	oracle_table_used(&used, &paired);
	seq_puts(m, "asite_oracle control - version: 1\n# start, profiling, freeze 0, freeze 1\n");
	seq_printf(m, "running %d\nlost %ld\ntags %u\npairs %u\n", running,
		   atomic_long_read(&oracle_lost), used, paired);
	seq_printf(m, "cpus %u\npercpu_vector %u\npercpu_odd %ld\n", num_possible_cpus(),
		   oracle_percpu_vector(), atomic_long_read(&oracle_percpu_odd));
	seq_printf(m, "in_interrupt %ld\nin_interrupt_no_tag %ld\nno_tag %ld\n",
		   atomic_long_read(&in_interrupt_objects), atomic_long_read(&in_interrupt_no_tag),
		   atomic_long_read(&oracle_table_at(ORACLE_NO_TAG)->events[ORACLE_SLAB]));
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int tags_show(struct seq_file *m, void *v)
{
	mutex_lock(&oracle_lock);
	oracle_table_show_tags(m);
	mutex_unlock(&oracle_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tags);

static int pairs_show(struct seq_file *m, void *v)
{
	mutex_lock(&oracle_lock);
	oracle_table_show_pairs(m);
	mutex_unlock(&oracle_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pairs);

/* -- init and exit ------------------------------------------------------- */

static int __init oracle_init(void)
{
	int err = oracle_slab_init();

	if (err)
		return err;
	err = oracle_page_init();
	if (err)
		return err;
	err = oracle_table_init();
	if (err) {
		oracle_page_exit();
		return err;
	}
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	oracle_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("control", 0600, oracle_dir, NULL, &control_fops);
	debugfs_create_file("tags", 0400, oracle_dir, NULL, &tags_fops);
	debugfs_create_file("pairs", 0400, oracle_dir, NULL, &pairs_fops);
	return 0;
}

static void __exit oracle_exit(void)
{
	int i;

	debugfs_remove(oracle_dir);
	if (running)
		detach_all();
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].name)
			asite_k_ftrace_free_filter(&functions[i].ops);
	oracle_table_exit();
	oracle_page_exit();
}

module_init(oracle_init);
module_exit(oracle_exit);
MODULE_DESCRIPTION("Pairs of call sites and tags of code tagging");
MODULE_LICENSE("GPL");
