// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guards of the production box. A work looks once a second while counting is on;
 * what it finds is acted on through state.c, with one line in the log.
 *
 * Contexts: task. No lock is held while the work is waited for.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/workqueue.h>

#include <allocsite/hooks.h>
#include <allocsite/report.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/watch.h>

static unsigned int off_after;
module_param(off_after, uint, 0600);
MODULE_PARM_DESC(off_after, "turn off by itself after so many seconds (0: never)");

static ulong loss_limit = 1000000;
module_param(loss_limit, ulong, 0600);
MODULE_PARM_DESC(loss_limit,
		 "turn off by itself when so many objects could not be accounted (0: never, default 1000000)");

/* When this epoch began, in jiffies; under asite_state_lock. */
static unsigned long began;

u64 asite_watch_losses(void)
{
	const struct asite_sitetab *sites = &asite_track.sites;

	return asite_stats_sum(ASITE_STAT_UNTRACKED) +
	       atomic_long_read(&sites->full) + atomic_long_read(&sites->late) +
	       asite_hooks_missed();
}

/* NULL while there is no reason to go off. */
static const char *reason_to_go_off(void)
{
	unsigned int seconds = READ_ONCE(off_after);
	unsigned long limit = READ_ONCE(loss_limit);

	if (limit && asite_watch_losses() > limit)
		return "losses passed loss_limit";
	if (seconds && time_after_eq(jiffies, began + seconds * (unsigned long)HZ))
		return "off_after passed";
	if (!asite_hooks_hear())
		return "a hook hears nothing any more (kprobes switched off?)";
	return NULL;
}

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_work, look);

/* Going off may take long: not on the queue that others wait for. */
static void look_later(void)
{
	queue_delayed_work(system_long_wq, &look_work, HZ);
}

static void look(struct work_struct *work)
{
	if (asite_state_check(reason_to_go_off))
		look_later();
}

void asite_watch_start(void)
{
	began = jiffies;
	look_later();
}

/* Out of memory: who holds it, while there is still a log to read it in. */
static int on_oom(struct notifier_block *nb, unsigned long unused, void *freed)
{
	static unsigned long next;	/* under asite_table_lock */

	if (!mutex_trylock(&asite_table_lock))
		return NOTIFY_OK;
	if (!next || time_after(jiffies, next)) {
		next = jiffies + 10 * HZ;
		asite_report_log_top();
	}
	mutex_unlock(&asite_table_lock);
	return NOTIFY_OK;
}

static struct notifier_block oom_nb = {
	.notifier_call = on_oom,
};

int asite_watch_init(void)
{
	return register_oom_notifier(&oom_nb);
}

void asite_watch_exit(void)
{
	unregister_oom_notifier(&oom_nb);
	cancel_delayed_work_sync(&look_work);
}
