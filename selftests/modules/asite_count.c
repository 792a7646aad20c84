// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_count: counts slab events by probes of its own, to compare a
 * tracker's totals with. It shares no code and no data with allocsite.
 *
 * So that two counts can be equal to the object, an event counts only while
 * the module named by with= has a probe on the same tracepoint, when that
 * parameter is set: both then begin and end with the same event. What has no
 * tracepoint counts while the tracepoint of its like does: bulk calls and
 * sheaves by an ftrace_ops that counts the objects asked for, kmalloc_nolock()
 * by a kretprobe, whose misses are shown.
 *
 * Probes run in any context; counters are per CPU, u64. count_lock serialises
 * start and stop. Invariant: probes are gone before the module is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <compat/ftrace.h>
#include <compat/module.h>

#include "count_functions.h"
#include "count_trace.h"

static char *with;
module_param(with, charp, 0444);
MODULE_PARM_DESC(with, "count only while this module has a probe on the event");

enum count_event {
	COUNT_KMALLOC,
	COUNT_KMALLOC_NULL,
	COUNT_KMALLOC_TWICE,	/* the first of two events for one object */
	COUNT_CACHE_ALLOC,
	COUNT_CACHE_ALLOC_NULL,
	COUNT_KFREE,
	COUNT_CACHE_FREE,
	COUNT_BULK_ALLOC,
	COUNT_BULK_FREE,
	COUNT_NOLOCK_ALLOC,
	COUNT_NOLOCK_FREE,
	COUNT_SHEAF_FREE,
	COUNT_ALONE,
	COUNT_EVENT_COUNT
};

static const char * const count_names[] = {
	[COUNT_KMALLOC] = "kmalloc",
	[COUNT_KMALLOC_NULL] = "kmalloc_null",
	[COUNT_KMALLOC_TWICE] = "kmalloc_twice",
	[COUNT_CACHE_ALLOC] = "kmem_cache_alloc",
	[COUNT_CACHE_ALLOC_NULL] = "kmem_cache_alloc_null",
	[COUNT_KFREE] = "kfree",
	[COUNT_CACHE_FREE] = "kmem_cache_free",
	[COUNT_BULK_ALLOC] = "bulk_alloc",
	[COUNT_BULK_FREE] = "bulk_free",
	[COUNT_NOLOCK_ALLOC] = "nolock_alloc",
	[COUNT_NOLOCK_FREE] = "nolock_free",
	[COUNT_SHEAF_FREE] = "sheaf_free",
	[COUNT_ALONE] = "alone",
};

static_assert(ARRAY_SIZE(count_names) == COUNT_EVENT_COUNT);

struct count_cpu {
	u64 events[COUNT_EVENT_COUNT];
};

static struct count_cpu __percpu *counts;
/* Serialises start and stop. */
static DEFINE_MUTEX(count_lock);
static bool running;
static struct dentry *count_dir;

static void add(enum count_event event, u64 nr)
{
	this_cpu_add(counts->events[event], nr);
}

/* -- is the other module attached to this tracepoint? -------------------- */

/* Text of the other module while it is loaded; both 0 without with=. */
static unsigned long with_start;
static unsigned long with_end;

static bool is_with(struct tracepoint *tp)
{
	struct tracepoint_func *f;

	if (!with)
		return true;
	f = rcu_dereference_raw(tp->funcs);
	for (; f && f->func; f++) {
		unsigned long addr = (unsigned long)f->func;

		if (addr >= READ_ONCE(with_start) && addr < READ_ONCE(with_end))
			return true;
	}
	add(COUNT_ALONE, 1);
	return false;
}

static void note_with(struct module *mod, bool here)
{
	struct asite_range text = asite_k_module_core(mod);

	if (!with || strcmp(mod->name, with))
		return;
	WRITE_ONCE(with_end, here ? text.end : 0);
	WRITE_ONCE(with_start, here ? text.start : 0);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING)
		note_with(data, true);
	else if (state == MODULE_STATE_GOING)
		note_with(data, false);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = { .notifier_call = on_module };

/* -- tracepoints --------------------------------------------------------- */

/*
 * From 6.11 on a large object may have two events; the first of them comes from
 * inside the allocator: its call site lies in __kmalloc_noprof() or one of its kin.
 */
static bool is_first_of_two(unsigned long call_site, size_t bytes_alloc)
{
	char name[KSYM_SYMBOL_LEN];

	if (bytes_alloc <= KMALLOC_MAX_CACHE_SIZE)
		return false;
	sprint_symbol_no_offset(name, call_site);
	return strstarts(name, "__kmalloc") || strstarts(name, "__kvmalloc_node");
}

static void count_on_kmalloc(struct tracepoint *tp, unsigned long call_site, const void *ptr,
			     size_t bytes_alloc)
{
	if (!is_with(tp))
		return;
	if (ZERO_OR_NULL_PTR(ptr))
		add(COUNT_KMALLOC_NULL, 1);
	else if (ASITE_HAVE_EXPORT_KMALLOC_LARGE_NODE_NOPROF &&
		 is_first_of_two(call_site, bytes_alloc))
		add(COUNT_KMALLOC_TWICE, 1);
	else
		add(COUNT_KMALLOC, 1);
}

static void count_on_cache_alloc(struct tracepoint *tp, const void *ptr)
{
	if (is_with(tp))
		add(ptr ? COUNT_CACHE_ALLOC : COUNT_CACHE_ALLOC_NULL, 1);
}

static void count_on_kfree(struct tracepoint *tp, const void *ptr)
{
	if (!ZERO_OR_NULL_PTR(ptr) && is_with(tp))
		add(COUNT_KFREE, 1);
}

static void count_on_cache_free(struct tracepoint *tp, const void *ptr)
{
	if (ptr && is_with(tp))
		add(COUNT_CACHE_FREE, 1);
}

/* -- functions ----------------------------------------------------------- */

/* kmem_cache_alloc_bulk(s, flags, size, p) */
static void on_bulk_alloc(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct asite_k_ftrace_regs *fregs)
{
	if (is_with(&__tracepoint_kmem_cache_alloc))
		add(COUNT_BULK_ALLOC, asite_k_ftrace_argument(fregs, 2));
}

/* kmem_cache_free_bulk(s, size, p) */
static void on_bulk_free(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct asite_k_ftrace_regs *fregs)
{
	if (is_with(ASITE_K_CACHE_FREE_TP))
		add(COUNT_BULK_FREE, asite_k_ftrace_argument(fregs, 1));
}

/* kfree_nolock(object) */
static void on_nolock_free(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct asite_k_ftrace_regs *fregs)
{
	const void *ptr = (void *)asite_k_ftrace_argument(fregs, 0);

	if (!ZERO_OR_NULL_PTR(ptr) && is_with(&__tracepoint_kfree))
		add(COUNT_NOLOCK_FREE, 1);
}

/* __rcu_free_sheaf_prepare(s, sheaf) */
static void on_sheaf_free(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct asite_k_ftrace_regs *fregs)
{
	const struct asite_k_slab_sheaf *sheaf = (void *)asite_k_ftrace_argument(fregs, 1);

	if (is_with(ASITE_K_CACHE_FREE_TP))
		add(COUNT_SHEAF_FREE, sheaf->size);
}

/* A function that the kernel may not have: name is NULL then. */
struct count_function {
	char *name;
	struct ftrace_ops ops;
};

static struct count_function count_functions[] = {
	{ ASITE_K_BULK_ALLOC,
	  { .func = on_bulk_alloc, .flags = ASITE_K_FTRACE_FLAGS } },
	{ "kmem_cache_free_bulk",
	  { .func = on_bulk_free, .flags = ASITE_K_FTRACE_FLAGS } },
	{ ASITE_K_NOLOCK_FREE,
	  { .func = on_nolock_free, .flags = ASITE_K_FTRACE_FLAGS } },
	{ ASITE_K_SHEAF_FREE,
	  { .func = on_sheaf_free, .flags = ASITE_K_FTRACE_FLAGS } },
};

static int on_nolock_alloc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!ZERO_OR_NULL_PTR((void *)regs_return_value(regs)) && is_with(&__tracepoint_kmalloc))
		add(COUNT_NOLOCK_ALLOC, 1);
	return 0;
}

static struct kretprobe nolock_probe = {
	.kp.symbol_name = ASITE_K_NOLOCK_ALLOC,
	.handler = on_nolock_alloc,
	.maxactive = 64,
};

static int attach_function(struct count_function *f)
{
	int err;

	if (!f->name)
		return 0;
	err = ftrace_set_filter(&f->ops, f->name, strlen(f->name), 1);
	return err ? err : register_ftrace_function(&f->ops);
}

static int attach_nolock_alloc(void)
{
	return nolock_probe.kp.symbol_name ? register_kretprobe(&nolock_probe) : 0;
}

/* What is not attached refuses, which is no matter here. */
static void detach_all(void)
{
	int i;

	asite_k_trace_detach();
	for (i = 0; i < ARRAY_SIZE(count_functions); i++)
		if (count_functions[i].name)
			unregister_ftrace_function(&count_functions[i].ops);
	if (nolock_probe.kp.addr) {
		unregister_kretprobe(&nolock_probe);
		/* It was resolved; a second use must find only the name. */
		nolock_probe.kp.addr = NULL;
	}
}

static int attach_all(void)
{
	int i, err = asite_k_trace_attach();

	for (i = 0; !err && i < ARRAY_SIZE(count_functions); i++)
		err = attach_function(&count_functions[i]);
	if (!err)
		err = attach_nolock_alloc();
	if (err)
		detach_all();
	return err;
}

/* -- control ------------------------------------------------------------- */

static u64 sum_event(enum count_event event)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(counts, cpu)->events[event];
	return sum;
}

static int start_counting(void)
{
	int cpu, err;

	if (running)
		return -EBUSY;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(counts, cpu), 0, sizeof(struct count_cpu));
	err = attach_all();
	running = !err;
	return err;
}

static int stop_counting(void)
{
	if (!running)
		return -ENOENT;
	detach_all();
	running = false;
	return 0;
}

static ssize_t count_control_write(struct file *file, const char __user *buf,
				   size_t len, loff_t *pos)
{
	char word[16];
	int err = -EINVAL;

	if (!len || len >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, buf, len))
		return -EFAULT;
	word[len] = '\0';
	mutex_lock(&count_lock);
	if (sysfs_streq(word, "start"))
		err = start_counting();
	else if (sysfs_streq(word, "stop"))
		err = stop_counting();
	mutex_unlock(&count_lock);
	return err ? err : len;
}

static int count_show(struct seq_file *m, void *v)
{
	int i;

	seq_puts(m, "asite_count control - version: 1\n# start, stop\n");
	seq_printf(m, "running %d\n", running);
	for (i = 0; i < COUNT_EVENT_COUNT; i++)
		seq_printf(m, "%s %llu\n", count_names[i], sum_event(i));
	seq_printf(m, "missed %d\n", nolock_probe.nmissed);
	seq_printf(m, "frees_exact %d\n", ASITE_K_CACHE_FREE_EXACT);
	seq_printf(m, "allocations %llu\n", sum_event(COUNT_KMALLOC) +
		   sum_event(COUNT_CACHE_ALLOC) + sum_event(COUNT_BULK_ALLOC) +
		   sum_event(COUNT_NOLOCK_ALLOC));
	seq_printf(m, "frees %llu\n", sum_event(COUNT_KFREE) +
		   sum_event(COUNT_CACHE_FREE) + sum_event(COUNT_BULK_FREE) +
		   sum_event(COUNT_NOLOCK_FREE) + sum_event(COUNT_SHEAF_FREE));
	return 0;
}

static int count_open(struct inode *inode, struct file *file)
{
	return single_open(file, count_show, NULL);
}

static const struct file_operations count_fops = {
	.owner = THIS_MODULE,
	.open = count_open,
	.read = seq_read,
	.write = count_control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init count_init(void)
{
	int err;

	counts = alloc_percpu(struct count_cpu);
	if (!counts)
		return -ENOMEM;
	/* Says COMING only from here on: load this module before the other. */
	err = register_module_notifier(&module_nb);
	if (err) {
		free_percpu(counts);
		return err;
	}
	count_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("control", 0600, count_dir, NULL, &count_fops);
	return 0;
}

static void __exit count_exit(void)
{
	int i;

	debugfs_remove(count_dir);
	unregister_module_notifier(&module_nb);
	if (running)
		stop_counting();
	for (i = 0; i < ARRAY_SIZE(count_functions); i++)
		if (count_functions[i].name)
			asite_k_ftrace_free_filter(&count_functions[i].ops);
	free_percpu(counts);
}

module_init(count_init);
module_exit(count_exit);
MODULE_DESCRIPTION("Independent count of slab events");
MODULE_LICENSE("GPL");
