// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of losses and internal events: storage, names, sums. What each
 * means is in stats.h; formatting is in report.c.
 *
 * No locks: each CPU writes its own, readers add up.
 */
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <allocsite/mem.h>
#include <allocsite/stats.h>

struct asite_stats __percpu *asite_stats;

static const char * const names[] = {
	[ASITE_STAT_UNTRACKED]		= "untracked_objects",
	[ASITE_STAT_STALE]		= "stale_replaced",
	[ASITE_STAT_RETAGGED]		= "retagged_objects",
	[ASITE_STAT_UNKNOWN]		= "unknown_frees",
	[ASITE_STAT_UNTRACKED_PAGES]	= "untracked_pages",
	[ASITE_STAT_STALE_PAGES]	= "stale_pages",
	[ASITE_STAT_UNKNOWN_PAGES]	= "unknown_freed_pages",
	[ASITE_STAT_ISOLATED]		= "isolated_pages",
	[ASITE_STAT_ISOLATED_BACK]	= "isolated_pages_back",
	[ASITE_STAT_ISOLATED_KEPT]	= "isolated_pages_kept",
	[ASITE_STAT_MOVED_PAGES]	= "moved_pages",
	[ASITE_STAT_UNTRACKED_AREAS]	= "untracked_areas",
	[ASITE_STAT_UNKNOWN_PERCPU]	= "unknown_percpu_frees",
	[ASITE_STAT_WALKS_SLOW]		= "walks_slow",
	[ASITE_STAT_WALKS_LOST]		= "walks_lost",
	[ASITE_STAT_STEPS_FULL]		= "steps_full",
	[ASITE_STAT_STACKS]		= "stacks_walked",
	[ASITE_STAT_STACKS_FULL]	= "stacks_of_full_depth",
	[ASITE_STAT_STACKS_CUT]		= "stacks_cut_at_interrupt",
	[ASITE_STAT_STACKS_LOST]	= "stacks_lost",
	[ASITE_STAT_STACKS_NONE]	= "stacks_without_site",
	[ASITE_STAT_STACKS_SLOW]	= "stacks_slow",
	[ASITE_STAT_FRAMES_SLOW]	= "frames_slow",
	[ASITE_STAT_FRAMES_FULL]	= "frames_full",
	[ASITE_STAT_STACKS_CHECKED]	= "stacks_checked",
	[ASITE_STAT_STACKS_WRONG]	= "stacks_wrong",
	[ASITE_STAT_GROW_FAILED]	= "grow_failed",
	[ASITE_STAT_SHEAF_LOST]		= "rcu_sheaves_lost",
	[ASITE_STAT_TEXT_LOST]		= "text_lost",
	[ASITE_STAT_RETIRED]		= "keys_retired",
	[ASITE_STAT_TEST_DROPPED]	= "test_dropped_frees",
};

static_assert(ARRAY_SIZE(names) == ASITE_STAT_COUNT, "a name for each counter");

int asite_stats_init(void)
{
	asite_stats = asite_mem_alloc_percpu(sizeof(*asite_stats));
	return asite_stats ? 0 : -ENOMEM;
}

void asite_stats_exit(void)
{
	asite_mem_free_percpu(asite_stats, sizeof(*asite_stats));
	asite_stats = NULL;
}

void asite_stats_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(asite_stats, cpu), 0, sizeof(*asite_stats));
}

u64 asite_stats_sum(enum asite_stat id)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(asite_stats, cpu)->count[id]);
	return sum;
}

const char *asite_stats_name(enum asite_stat id)
{
	return names[id];
}
