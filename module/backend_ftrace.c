// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ftrace backend, two ways. Rows that need a function's arguments only share
 * one ftrace_ops, which others may share the function with. Rows that need the
 * result are called through by a trampoline (tramp.S) that ftrace calls directly
 * and exclusively: a second user of the function's direct call gets -EBUSY.
 *
 * Neither misses events. Leaving is the hard part of a trampoline: tasks sleep
 * in the function it called, with a return address into this module. See
 * finish_direct().
 *
 * Contexts: handlers run in any; the rest in a task, asite_state_lock held.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <allocsite/families.h>
#include <allocsite/hooks.h>
#include <allocsite/sample.h>
#include <allocsite/tramp.h>
#include <compat/ftrace.h>
#include <compat/rcupdate.h>

/* Entry only: one ops for all rows, so one grace period on the way out. */

static __always_inline void read_args(struct asite_k_ftrace_regs *fregs, unsigned long *args)
{
	args[0] = asite_k_ftrace_argument(fregs, 0);
	args[1] = asite_k_ftrace_argument(fregs, 1);
	args[2] = asite_k_ftrace_argument(fregs, 2);
}

/* Rows of other families, some of which need more. */
static void on_other(unsigned long ip, struct asite_k_ftrace_regs *fregs, unsigned long *args)
{
	args[3] = asite_k_ftrace_argument(fregs, 3);
	args[4] = asite_k_ftrace_argument(fregs, 4);
	args[5] = asite_k_ftrace_argument(fregs, 5);
	asite_page_ftrace_entry(ip, args);
}

static void notrace on_ftrace(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops,
			      struct asite_k_ftrace_regs *fregs)
{
	unsigned long args[ASITE_HOOK_ARGS];

	read_args(fregs, args);
	if (!asite_slab_ftrace_entry(ip, args))
		on_other(ip, fregs, args);
}

static void notrace on_ftrace_sampled(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops,
				      struct asite_k_ftrace_regs *fregs)
{
	unsigned long args[ASITE_HOOK_ARGS];

	read_args(fregs, args);
	if (!asite_slab_sampled_ftrace_entry(ip, args))
		on_other(ip, fregs, args);
}

static struct ftrace_ops entry_ops;
static unsigned int entry_rows;
static bool entry_registered;

/*
 * Fresh for each use: ftrace_free_filter() leaves pointers to what it freed.
 * PERMANENT: nobody may switch it off below us (sysctl kernel.ftrace_enabled).
 */
static void init_entry_ops(void)
{
	memset(&entry_ops, 0, sizeof(entry_ops));
	entry_ops.func = asite_sample_bytes ? on_ftrace_sampled : on_ftrace;
	entry_ops.flags = FTRACE_OPS_FL_PERMANENT | ASITE_K_FTRACE_FLAGS;
}

static int attach_entry(struct asite_hook *hook)
{
	int err;

	if (!entry_rows)
		init_entry_ops();
	err = ftrace_set_filter_ip(&entry_ops, hook->address, 0, 0);
	if (!err)
		entry_rows++;
	return err;
}

static int commit_entry(void)
{
	int err;

	if (!entry_rows || entry_registered)
		return 0;
	err = register_ftrace_function(&entry_ops);
	entry_registered = !err;
	return err;
}

/* The ops goes with its last row: all are detached together. */
static void detach_entry(struct asite_hook *hook)
{
	entry_rows--;
}

static void finish_entry(void)
{
	int err;

	if (entry_rows || !entry_ops.func)
		return;
	err = entry_registered ? unregister_ftrace_function(&entry_ops) : 0;
	if (err) {
		asite_hooks_stuck("the ftrace rows", err);
		return;
	}
	entry_registered = false;
	asite_k_ftrace_free_filter(&entry_ops);
	entry_ops.func = NULL;
}

const struct asite_backend_ops asite_backend_ftrace = {
	.name	= "ftrace",
	.attach	= attach_entry,
	.commit	= commit_entry,
	.detach	= detach_entry,
	.finish	= finish_entry,
};

/* Direct call-through. */

DEFINE_PER_CPU(u64, asite_tramp_entered);
DEFINE_PER_CPU(u64, asite_tramp_left);

/* Trampolines may have been entered since the last finish_direct(). */
static bool direct_used;

static int attach_direct(struct asite_hook *hook)
{
	if (!hook->tramp)
		return -EOPNOTSUPP;
	direct_used = true;
	return asite_k_register_direct(&hook->direct, hook->address,
				       (unsigned long)hook->tramp);
}

static void detach_direct(struct asite_hook *hook)
{
	int err = asite_k_unregister_direct(&hook->direct, hook->address,
					    (unsigned long)hook->tramp);

	if (err)
		asite_hooks_stuck(hook->symbol, err);
}

/* Tasks inside trampolines; left is summed first, so never too few. */
static s64 tasks_inside(void)
{
	s64 inside = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		inside -= READ_ONCE(per_cpu(asite_tramp_left, cpu));
	/* Who counts himself out has counted himself in before. */
	smp_rmb();
	for_each_possible_cpu(cpu)
		inside += READ_ONCE(per_cpu(asite_tramp_entered, cpu));
	return inside;
}

/* No task is preempted, and no interrupt runs, in the text of a trampoline. */
static void leave_trampolines(void)
{
	asite_k_synchronize_rcu_tasks();
	/* The idle task is none of the tasks above; interrupts come over it too. */
	synchronize_rcu();
}

/*
 * No call leads into a trampoline any more. First let those arrive who are
 * between the patched call and the count, then wait for everyone who was counted
 * in to be counted out, however long they sleep, then for those between that
 * count and the return.
 */
static void finish_direct(void)
{
	unsigned int waited = 0;

	if (!direct_used)
		return;
	leave_trampolines();
	while (tasks_inside()) {
		msleep(20);
		if (++waited == 500)
			pr_info("waiting for %lld tasks that sleep in an allocation\n",
				tasks_inside());
	}
	leave_trampolines();
	direct_used = false;
}

const struct asite_backend_ops asite_backend_direct = {
	.name	= "direct",
	.attach	= attach_direct,
	.detach	= detach_direct,
	.finish	= finish_direct,
};
