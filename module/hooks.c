// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook table engine: which backend serves which row, attach and detach in the
 * right order. No allocator is known here; rows come from hook_slab.c, how to
 * attach is the backends'.
 *
 * Order: free rows are attached before and detached after allocation rows, with
 * a grace period between, so that no object is followed whose free would not be
 * seen.
 *
 * Contexts: task only, asite_state_lock held.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <allocsite/families.h>
#include <allocsite/hooks.h>

static const struct asite_backend_ops * const backends[] = {
	[ASITE_BACKEND_TRACEPOINT]	= &asite_backend_tracepoint,
	[ASITE_BACKEND_FTRACE]		= &asite_backend_ftrace,
	[ASITE_BACKEND_DIRECT]		= &asite_backend_direct,
	[ASITE_BACKEND_KPROBE]		= &asite_backend_kprobe,
	[ASITE_BACKEND_KRETPROBE]	= &asite_backend_kretprobe,
};

static_assert(ARRAY_SIZE(backends) == ASITE_BACKEND_COUNT, "an entry for each backend");

static const char * const probe_names[] = {
	[ASITE_PROBE_AUTO]		= "auto",
	[ASITE_PROBE_TRACEPOINT]	= "tracepoint",
	[ASITE_PROBE_FTRACE]		= "ftrace",
	[ASITE_PROBE_KPROBE]		= "kprobe",
};

static_assert(ARRAY_SIZE(probe_names) == ASITE_PROBE_COUNT, "a name for each choice");

static const char * const state_names[] = {
	[ASITE_HOOK_OFF]	= "off",
	[ASITE_HOOK_UNUSED]	= "unused",
	[ASITE_HOOK_ATTACHED]	= "attached",
	[ASITE_HOOK_FAILED]	= "absent",
};

static_assert(ARRAY_SIZE(state_names) == ASITE_HOOK_STATE_COUNT, "a name for each state");

static enum asite_probe probe;

#define for_each_hook(hook) \
	for ((hook) = asite_hooks_next(NULL); (hook); (hook) = asite_hooks_next(hook))

/* What not to use. */

static char *avoid = "";
module_param(avoid, charp, 0400);
MODULE_PARM_DESC(avoid, "what not to hook with or at: backends (tracepoint, ftrace, direct, kprobe, kretprobe) and symbols of hooks, by comma");

/* Does the list "avoid=" hold this word? */
static bool is_avoided(const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = avoid; *at; at += *at == ',') {
		size_t next = strcspn(at, ",");

		if (next == len && !strncmp(at, word, len))
			return true;
		at += next;
	}
	return false;
}

static bool is_known(const char *word, size_t len)
{
	const struct asite_hook *hook;
	int i;

	for (i = 1; i < ASITE_BACKEND_COUNT; i++) {
		if (strlen(backends[i]->name) == len && !strncmp(backends[i]->name, word, len))
			return true;
	}
	for_each_hook(hook) {
		if (strlen(hook->symbol) == len && !strncmp(hook->symbol, word, len))
			return true;
	}
	return false;
}

static int check_avoid(void)
{
	const char *at;

	for (at = avoid; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		if (!is_known(at, len)) {
			pr_err("avoid=%s: \"%.*s\" is no backend and no symbol of this kernel's hooks; the hooks file lists both\n",
			       avoid, (int)len, at);
			return -EINVAL;
		}
		at += len;
	}
	return 0;
}

int asite_hooks_set_probe(const char *name)
{
	int i = match_string(probe_names, ARRAY_SIZE(probe_names), name);

	if (i < 0) {
		pr_err("probe=%s is not known: use auto, tracepoint, ftrace or kprobe\n", name);
		return -EINVAL;
	}
	probe = i;
	return check_avoid();
}

/* Choosing: a row's candidates in order, with the reason for each. */

struct choice {
	enum asite_backend backend;
	const char *why;
};

#define CHOICES_MAX	2

/* An event may have tracepoints that this kernel's table does not use, or none. */
static bool event_has_tracepoint(const struct asite_hook *hook)
{
	const struct asite_hook *other;

	for_each_hook(other) {
		if (other->tp_register && !strcmp(other->event, hook->event))
			return true;
	}
	return false;
}

static void choose_entry(const struct asite_hook *hook, struct choice *c)
{
	if (probe == ASITE_PROBE_KPROBE) {
		c[0] = (struct choice){ ASITE_BACKEND_KPROBE, "probe=kprobe" };
		return;
	}
	if (probe == ASITE_PROBE_FTRACE) {
		c[0] = (struct choice){ ASITE_BACKEND_FTRACE, "probe=ftrace" };
		return;
	}
	if (event_has_tracepoint(hook)) {
		c[0] = (struct choice){ ASITE_BACKEND_FTRACE, "its tracepoint is absent" };
		c[1] = (struct choice){ ASITE_BACKEND_KPROBE,
					"its tracepoint is absent; ftrace refused" };
		return;
	}
	c[0] = (struct choice){ ASITE_BACKEND_FTRACE,
				"no tracepoint sees it in time; entry is enough" };
	c[1] = (struct choice){ ASITE_BACKEND_KPROBE,
				"no tracepoint sees it in time; ftrace refused" };
}

static void choose_result(const struct asite_hook *hook, struct choice *c)
{
	if (probe == ASITE_PROBE_KPROBE) {
		c[0] = (struct choice){ ASITE_BACKEND_KRETPROBE, "probe=kprobe" };
		return;
	}
	if (probe == ASITE_PROBE_FTRACE && !hook->tramp) {
		c[0] = (struct choice){ ASITE_BACKEND_KRETPROBE,
					"probe=ftrace; not exported: no trampoline calls it" };
		return;
	}
	if (probe == ASITE_PROBE_FTRACE) {
		c[0] = (struct choice){ ASITE_BACKEND_DIRECT,
					"probe=ftrace; other tracers see a trampoline as caller" };
		return;
	}
	if (event_has_tracepoint(hook)) {
		c[0] = (struct choice){ ASITE_BACKEND_DIRECT, "its tracepoint is absent" };
		c[1] = (struct choice){ ASITE_BACKEND_KRETPROBE,
					"its tracepoint is absent; a direct call was refused" };
		return;
	}
	c[0] = (struct choice){ ASITE_BACKEND_DIRECT,
				"no tracepoint sees it; the result is needed, none may be missed" };
	c[1] = (struct choice){ ASITE_BACKEND_KRETPROBE,
				"no tracepoint sees it; a direct call was refused" };
}

static void choose(const struct asite_hook *hook, struct choice *c)
{
	memset(c, 0, CHOICES_MAX * sizeof(*c));
	if (hook->tp_register)
		c[0] = (struct choice){ ASITE_BACKEND_TRACEPOINT,
					"a tracepoint: cheapest, shared" };
	else if (hook->on_entry)
		choose_entry(hook, c);
	else
		choose_result(hook, c);
}

/* A function's row is needed only where no tracepoint serves its event. */
static bool has_tracepoint(const char *event)
{
	const struct asite_hook *hook;

	for_each_hook(hook) {
		if (hook->tp_register && hook->state == ASITE_HOOK_ATTACHED &&
		    !strcmp(hook->event, event))
			return true;
	}
	return false;
}

static bool is_unused(const struct asite_hook *hook)
{
	if (!hook->tp_register)
		return has_tracepoint(hook->event);
	return probe == ASITE_PROBE_FTRACE || probe == ASITE_PROBE_KPROBE;
}

/* One try with one backend. */
static int attach_with(struct asite_hook *hook, enum asite_backend backend)
{
	if (is_avoided(backends[backend]->name) || is_avoided(hook->symbol))
		return -EOPNOTSUPP;
	if (!hook->tp_register && !hook->address && !hook->by_name)
		return -ENOENT;
	return backends[backend]->attach(hook);
}

static int attach_row(struct asite_hook *hook)
{
	struct choice choices[CHOICES_MAX];
	int i, err = -EOPNOTSUPP;

	hook->missed = 0;
	hook->err = 0;
	hook->backend = ASITE_BACKEND_NONE;
	hook->why = "";
	if (is_unused(hook)) {
		hook->state = ASITE_HOOK_UNUSED;
		return 0;
	}
	choose(hook, choices);
	for (i = 0; i < CHOICES_MAX && choices[i].backend; i++) {
		err = attach_with(hook, choices[i].backend);
		if (err)
			continue;
		hook->backend = choices[i].backend;
		hook->why = choices[i].why;
		hook->state = ASITE_HOOK_ATTACHED;
		return 0;
	}
	hook->state = ASITE_HOOK_FAILED;
	hook->err = err;
	return err;
}

static const char busy[] =
	": a live patch or BPF holds it, or sysctl kernel.ftrace_enabled is 0";

/* A tracepoint that is not there is no loss while functions see its event. */
static int complain(const struct asite_hook *hook)
{
	if (hook->tp_register)
		return 0;
	if (!hook->required) {
		pr_warn("%s: cannot hook %s (error %d): %s\n",
			hook->event, hook->symbol, hook->err, hook->not_seen);
		return 0;
	}
	pr_err("%s: cannot hook %s with probe=%s (error %d%s); without it %s; try another probe=\n",
	       hook->event, hook->symbol, probe_names[probe], hook->err,
	       hook->err == -EBUSY ? busy : "", hook->not_seen);
	return hook->err;
}

/* Tracepoint rows stand before function rows of the same event. */
static int attach_rows(bool is_free)
{
	struct asite_hook *hook;
	int i, err = 0;

	for_each_hook(hook) {
		if (hook->is_free != is_free || !attach_row(hook))
			continue;
		err = complain(hook);
		if (err)
			return err;
	}
	for (i = 0; i < ASITE_BACKEND_COUNT; i++) {
		if (!backends[i] || !backends[i]->commit)
			continue;
		err = backends[i]->commit();
		if (err) {
			pr_err("%s refuses to start (error %d%s)\n", backends[i]->name, err,
			       err == -EBUSY ? busy : "");
			return err;
		}
	}
	return 0;
}

static void detach_rows(bool is_free)
{
	struct asite_hook *hook;
	int i;

	for_each_hook(hook) {
		if (hook->is_free != is_free || hook->state != ASITE_HOOK_ATTACHED)
			continue;
		backends[hook->backend]->detach(hook);
		/* Its kernel structures still hold the figure. */
		hook->missed = asite_hook_missed(hook);
		hook->state = ASITE_HOOK_OFF;
	}
	for (i = 0; i < ASITE_BACKEND_COUNT; i++) {
		if (backends[i] && backends[i]->finish)
			backends[i]->finish();
	}
}

static bool stuck;

void asite_hooks_stuck(const char *what, int err)
{
	pr_emerg("cannot unhook %s (error %d): the module stays until the next boot\n",
		 what, err);
	stuck = true;
	__module_get(THIS_MODULE);
}

bool asite_hooks_are_stuck(void)
{
	return stuck;
}

bool asite_hooks_hear(void)
{
	const char *deaf = asite_families_deaf();

	if (deaf)
		pr_warn("%s: attached, but no event arrives; see sysctl kernel.ftrace_enabled and kprobes/enabled in debugfs\n",
			deaf);
	return !deaf;
}

int asite_hooks_attach(void)
{
	int err;

	if (stuck)
		return -EBUSY;
	err = attach_rows(true);
	if (err)
		goto fail;
	synchronize_rcu();
	err = attach_rows(false);
	if (err)
		goto fail;
	if (asite_hooks_hear())
		return 0;
	err = -EIO;
fail:
	asite_hooks_detach();
	return err;
}

void asite_hooks_detach(void)
{
	detach_rows(false);
	synchronize_rcu();
	detach_rows(true);
}

/* For reports. */

bool asite_hook_is_loss(const struct asite_hook *hook)
{
	return hook->state == ASITE_HOOK_FAILED && !hook->tp_register;
}

unsigned long asite_hook_missed(const struct asite_hook *hook)
{
	const struct asite_backend_ops *ops = backends[hook->backend];

	if (hook->state != ASITE_HOOK_ATTACHED || !ops->missed)
		return hook->missed;
	return ops->missed(hook);
}

unsigned long asite_hooks_missed(void)
{
	const struct asite_hook *hook;
	unsigned long missed = 0;

	for_each_hook(hook)
		missed += asite_hook_missed(hook);
	return missed;
}

const char *asite_hook_backend_name(const struct asite_hook *hook)
{
	return hook->backend ? backends[hook->backend]->name : "-";
}

const char *asite_hook_state_name(const struct asite_hook *hook)
{
	return state_names[hook->state];
}

const char *asite_probe_name(void)
{
	return probe_names[probe];
}
