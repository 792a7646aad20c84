// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand, for test builds only: drops every n-th free that would have
 * found its object, to prove that missed frees heal. Not part of allocsite.ko.
 *
 * Context: any; no locks.
 */
#include <linux/atomic.h>
#include <linux/module.h>

#include <allocsite/stats.h>
#include <allocsite/testing.h>
#include <allocsite/track.h>

static unsigned int drop_free_nth;
module_param(drop_free_nth, uint, 0600);
MODULE_PARM_DESC(drop_free_nth, "test build: drop every n-th free of a followed object (0: none)");

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
