// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand, for test builds only: drops every n-th free that would have
 * found its object, to prove that missed frees heal; lets handlers be slow. Not part of
 * allocsite.ko.
 *
 * Context: any; no locks.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/preempt.h>

#include <allocsite/stats.h>
#include <allocsite/testing.h>
#include <allocsite/track.h>

static unsigned int drop_free_nth;
module_param(drop_free_nth, uint, 0600);
MODULE_PARM_DESC(drop_free_nth, "test build: drop every n-th free of a followed object (0: none)");

static unsigned int pause_bytes;
module_param(pause_bytes, uint, 0600);
MODULE_PARM_DESC(pause_bytes, "test build: objects of so many bytes are counted late, while stacks are on (0: none)");

static unsigned int pause_ms = 1;
module_param(pause_ms, uint, 0600);
MODULE_PARM_DESC(pause_ms, "test build: how late");

static atomic_t frees;

bool asite_testing_drop(const void *ptr)
{
	unsigned int nth = READ_ONCE(drop_free_nth);

	if (!nth || !asite_objtab_follows(&asite_track.objs, (unsigned long)ptr))
		return false;
	if ((unsigned int)atomic_inc_return(&frees) % nth)
		return false;
	asite_stat_inc(ASITE_STAT_TEST_DROPPED);
	return true;
}

void asite_testing_wait(size_t requested)
{
	if (requested && requested == READ_ONCE(pause_bytes) && in_task())
		mdelay(READ_ONCE(pause_ms));
}
