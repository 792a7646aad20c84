// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobe backend: a kprobe where the arguments are enough, a kretprobe where the
 * result is needed. It works on any function by name, and it may miss events: a
 * hit while another kprobe runs on that CPU, or more calls in flight than
 * maxactive. Both are counted by the kernel and shown.
 *
 * A kretprobe keeps its instances until the function returns; the kernel's own
 * trampoline handles those left after unregistering, so nothing of this module
 * is on any stack then.
 *
 * Contexts: handlers run in any, preemption off; the rest in a task,
 * asite_state_lock held.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <allocsite/hooks.h>
#include <allocsite/mem.h>
#include <allocsite/walk.h>
#include <compat/ftrace.h>
#include <compat/kprobes.h>
#include <compat/unwind.h>

#define MAXACTIVE_LIMIT	4096U

static unsigned int maxactive = 1024;
module_param(maxactive, uint, 0400);
MODULE_PARM_DESC(maxactive,
		 "calls in flight that one kretprobe can follow, 1 to 4096 (default 1024)");

int asite_backend_kprobe_check(void)
{
	if (maxactive >= 1 && maxactive <= MAXACTIVE_LIMIT)
		return 0;
	pr_err("maxactive=%u is out of range: use 1 to %u\n", maxactive, MAXACTIVE_LIMIT);
	return -EINVAL;
}

/*
 * Kprobes on function entries go through ftrace. Nobody may switch that off below
 * us (sysctl kernel.ftrace_enabled): a permanent ops forbids it, on a function
 * that is hardly ever called.
 */
static void ignore_entry(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *ops, struct asite_k_ftrace_regs *fregs)
{
}

static struct ftrace_ops pin_ops;
static unsigned int rows;

static int pin_ftrace(void)
{
	int err;

	memset(&pin_ops, 0, sizeof(pin_ops));
	pin_ops.func = ignore_entry;
	pin_ops.flags = FTRACE_OPS_FL_PERMANENT | ASITE_K_FTRACE_FLAGS;
	err = ftrace_set_filter_ip(&pin_ops, (unsigned long)kmem_cache_destroy, 0, 0);
	if (!err)
		err = register_ftrace_function(&pin_ops);
	if (err)
		asite_k_ftrace_free_filter(&pin_ops);
	return err;
}

static int begin_row(void)
{
	int err = rows ? 0 : pin_ftrace();

	if (!err)
		rows++;
	return err;
}

static void end_row(void)
{
	int err;

	if (--rows)
		return;
	err = unregister_ftrace_function(&pin_ops);
	if (err)
		asite_hooks_stuck("the ftrace pin", err);
	else
		asite_k_ftrace_free_filter(&pin_ops);
}

static void read_args(struct pt_regs *regs, unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < ASITE_HOOK_ARGS; i++)
		args[i] = regs_get_kernel_argument(regs, i);
}

/* Entry only. */

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	const struct asite_hook *hook = container_of(kp, struct asite_hook, kp);
	unsigned long args[ASITE_HOOK_ARGS];

	read_args(regs, args);
	hook->on_entry(args);
	return 0;
}

NOKPROBE_SYMBOL(on_kprobe);

static int attach_kprobe(struct asite_hook *hook)
{
	int err = begin_row();

	if (err)
		return err;
	memset(&hook->kp, 0, sizeof(hook->kp));
	hook->kp.symbol_name = hook->symbol;
	hook->kp.pre_handler = on_kprobe;
	err = register_kprobe(&hook->kp);
	if (err)
		end_row();
	return err;
}

static void detach_kprobe(struct asite_hook *hook)
{
	unregister_kprobe(&hook->kp);
	end_row();
}

static unsigned long missed_kprobe(const struct asite_hook *hook)
{
	return hook->kp.nmissed;
}

const struct asite_backend_ops asite_backend_kprobe = {
	.name	= "kprobe",
	.attach	= attach_kprobe,
	.detach	= detach_kprobe,
	.missed	= missed_kprobe,
};

/* With the result. */

static int on_kretprobe_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	read_args(regs, (unsigned long *)ri->data);
	return 0;
}

NOKPROBE_SYMBOL(on_kretprobe_entry);

static int on_kretprobe(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kretprobe *rp = asite_k_get_kretprobe(ri);
	const struct asite_hook *hook = container_of(rp, struct asite_hook, rp);
	struct asite_result result = {
		.caller = asite_k_kretprobe_retaddr(ri), .at = asite_k_kretprobe_at(ri),
		.bp = regs->bp,
	};

	/* Preemption is off, and no other return probe's handler runs over this one. */
	this_cpu_write(asite_result.caller, result.caller);
	this_cpu_write(asite_result.bp, result.bp);
	this_cpu_write(asite_result.at, result.at);
	hook->on_result(result.caller, regs_return_value(regs),
			(const unsigned long *)ri->data, result.at);
	this_cpu_write(asite_result.at, 0);
	return 0;
}

NOKPROBE_SYMBOL(on_kretprobe);

/* What the kernel allocates for a row. */
static long instances_bytes(const struct asite_hook *hook)
{
	return hook->rp.maxactive * (long)(sizeof(struct kretprobe_instance) +
					   hook->rp.data_size);
}

static int attach_kretprobe(struct asite_hook *hook)
{
	int err = begin_row();

	if (err)
		return err;
	memset(&hook->rp, 0, sizeof(hook->rp));
	hook->rp.kp.symbol_name = hook->symbol;
	hook->rp.entry_handler = on_kretprobe_entry;
	hook->rp.handler = on_kretprobe;
	hook->rp.data_size = ASITE_HOOK_ARGS * sizeof(unsigned long);
	hook->rp.maxactive = maxactive;
	err = register_kretprobe(&hook->rp);
	if (err)
		end_row();
	else
		asite_mem_account(instances_bytes(hook));
	return err;
}

static void detach_kretprobe(struct asite_hook *hook)
{
	unregister_kretprobe(&hook->rp);
	asite_mem_account(-instances_bytes(hook));
	end_row();
}

static unsigned long missed_kretprobe(const struct asite_hook *hook)
{
	return hook->rp.kp.nmissed + hook->rp.nmissed;
}

const struct asite_backend_ops asite_backend_kretprobe = {
	.name	= "kretprobe",
	.attach	= attach_kretprobe,
	.detach	= detach_kretprobe,
	.missed	= missed_kretprobe,
};
