// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_count: counts slab events by probes of its own, to compare a
 * tracker's totals with. It shares no code and no data with allocsite.
 *
 * So that two counts can be equal to the object, an event counts only while
 * the module named by with= has a probe on the same tracepoint, when that
 * parameter is set: both then begin and end with the same event. Bulk calls
 * have no tracepoint; an ftrace_ops counts the objects asked for.
 *
 * Probes run in any context; counters are per CPU, u64. count_lock serialises
 * start and stop. Invariant: probes are gone before the module is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <trace/events/kmem.h>

static char *with;
module_param(with, charp, 0444);
MODULE_PARM_DESC(with, "count only while this module has a probe on the event");

enum count_event {
	COUNT_KMALLOC,
	COUNT_KMALLOC_NULL,
	COUNT_CACHE_ALLOC,
	COUNT_CACHE_ALLOC_NULL,
	COUNT_KFREE,
	COUNT_CACHE_FREE,
	COUNT_BULK_ALLOC,
	COUNT_BULK_FREE,
	COUNT_ALONE,
	COUNT_EVENT_COUNT
};

static const char * const count_names[] = {
	[COUNT_KMALLOC] = "kmalloc",
	[COUNT_KMALLOC_NULL] = "kmalloc_null",
	[COUNT_CACHE_ALLOC] = "kmem_cache_alloc",
	[COUNT_CACHE_ALLOC_NULL] = "kmem_cache_alloc_null",
	[COUNT_KFREE] = "kfree",
	[COUNT_CACHE_FREE] = "kmem_cache_free",
	[COUNT_BULK_ALLOC] = "bulk_alloc",
	[COUNT_BULK_FREE] = "bulk_free",
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
	unsigned long start = (unsigned long)mod->core_layout.base;

	if (!with || strcmp(mod->name, with))
		return;
	WRITE_ONCE(with_end, here ? start + mod->core_layout.text_size : 0);
	WRITE_ONCE(with_start, here ? start : 0);
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

/* -- probes -------------------------------------------------------------- */

static void on_kmalloc(void *data, unsigned long call_site, const void *ptr,
		       size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	if (is_with(&__tracepoint_kmalloc))
		add(ZERO_OR_NULL_PTR(ptr) ? COUNT_KMALLOC_NULL : COUNT_KMALLOC, 1);
}

static void on_cache_alloc(void *data, unsigned long call_site, const void *ptr,
			   struct kmem_cache *s, gfp_t gfp, int node)
{
	if (is_with(&__tracepoint_kmem_cache_alloc))
		add(ptr ? COUNT_CACHE_ALLOC : COUNT_CACHE_ALLOC_NULL, 1);
}

static void on_kfree(void *data, unsigned long call_site, const void *ptr)
{
	if (!ZERO_OR_NULL_PTR(ptr) && is_with(&__tracepoint_kfree))
		add(COUNT_KFREE, 1);
}

static void on_cache_free(void *data, unsigned long call_site, const void *ptr,
			  const struct kmem_cache *s)
{
	if (ptr && is_with(&__tracepoint_kmem_cache_free))
		add(COUNT_CACHE_FREE, 1);
}

/*
 * Bulk calls have no tracepoint: they count while the other module is on the
 * tracepoint of the single call.
 * kmem_cache_alloc_bulk(s, flags, size, p)
 */
static void on_bulk_alloc(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (is_with(&__tracepoint_kmem_cache_alloc))
		add(COUNT_BULK_ALLOC, regs_get_kernel_argument(ftrace_get_regs(fregs), 2));
}

/* kmem_cache_free_bulk(s, size, p) */
static void on_bulk_free(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (is_with(&__tracepoint_kmem_cache_free))
		add(COUNT_BULK_FREE, regs_get_kernel_argument(ftrace_get_regs(fregs), 1));
}

static struct ftrace_ops bulk_alloc_ops = {
	.func = on_bulk_alloc,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static struct ftrace_ops bulk_free_ops = {
	.func = on_bulk_free,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static int attach_function(struct ftrace_ops *ops, char *name)
{
	int err = ftrace_set_filter(ops, name, strlen(name), 1);

	return err ? err : register_ftrace_function(ops);
}

static void detach_all(void)
{
	unregister_trace_kmalloc(on_kmalloc, NULL);
	unregister_trace_kmem_cache_alloc(on_cache_alloc, NULL);
	unregister_trace_kfree(on_kfree, NULL);
	unregister_trace_kmem_cache_free(on_cache_free, NULL);
	unregister_ftrace_function(&bulk_alloc_ops);
	unregister_ftrace_function(&bulk_free_ops);
	tracepoint_synchronize_unregister();
}

static int attach_all(void)
{
	int err = register_trace_kmalloc(on_kmalloc, NULL);

	if (!err)
		err = register_trace_kmem_cache_alloc(on_cache_alloc, NULL);
	if (!err)
		err = register_trace_kfree(on_kfree, NULL);
	if (!err)
		err = register_trace_kmem_cache_free(on_cache_free, NULL);
	if (!err)
		err = attach_function(&bulk_alloc_ops, "kmem_cache_alloc_bulk");
	if (!err)
		err = attach_function(&bulk_free_ops, "kmem_cache_free_bulk");
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
	seq_printf(m, "allocations %llu\n", sum_event(COUNT_KMALLOC) +
		   sum_event(COUNT_CACHE_ALLOC) + sum_event(COUNT_BULK_ALLOC));
	seq_printf(m, "frees %llu\n", sum_event(COUNT_KFREE) +
		   sum_event(COUNT_CACHE_FREE) + sum_event(COUNT_BULK_FREE));
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
	debugfs_remove(count_dir);
	unregister_module_notifier(&module_nb);
	if (running)
		stop_counting();
	ftrace_free_filter(&bulk_alloc_ops);
	ftrace_free_filter(&bulk_free_ops);
	free_percpu(counts);
}

module_init(count_init);
module_exit(count_exit);
MODULE_DESCRIPTION("Independent count of slab events");
MODULE_LICENSE("GPL");
