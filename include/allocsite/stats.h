/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of what is not an allocation or a free of some site: losses and
 * internal events, by name. Each is written on slow paths only.
 *
 * Context: asite_stat_inc() anywhere, NMI included.
 */
#ifndef ALLOCSITE_STATS_H
#define ALLOCSITE_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

enum asite_stat {
	ASITE_STAT_UNTRACKED,	/* allocations the live table had no room for */
	ASITE_STAT_STALE,	/* words replaced: their free was missed */
	ASITE_STAT_RETAGGED,	/* one object reported twice: the last caller wins */
	ASITE_STAT_UNKNOWN,	/* frees of objects that were not followed */
	ASITE_STAT_UNTRACKED_PAGES, /* pages that the map has no place for */
	ASITE_STAT_STALE_PAGES,	/* pages allocated again without a free that was seen */
	ASITE_STAT_UNKNOWN_PAGES, /* pages freed that were not followed */
	ASITE_STAT_ISOLATED,	/* free pages that the kernel took for itself, without an event */
	ASITE_STAT_ISOLATED_BACK, /* of them, those put back so, or followed from then on */
	ASITE_STAT_ISOLATED_KEPT, /* those freed with an event, and kept isolated */
	ASITE_STAT_MOVED_PAGES,	/* pages freed whose content had moved to one nobody told of */
	ASITE_STAT_UNTRACKED_AREAS, /* vmalloc and percpu objects beyond max_areas */
	ASITE_STAT_UNKNOWN_PERCPU, /* frees of percpu objects that were not followed */
	ASITE_STAT_WALKS_SLOW,	/* walks past wrappers that the kernel's unwinder made */
	ASITE_STAT_WALKS_LOST,	/* walks past a wrapper that found no caller */
	ASITE_STAT_STEPS_FULL,	/* steps past wrappers that found no place */
	ASITE_STAT_STACKS,	/* stacks walked; to their end, but for these: */
	ASITE_STAT_STACKS_FULL,	/* stacks of as many frames as were asked for */
	ASITE_STAT_STACKS_CUT,	/* stacks that end where an interrupt came, or on another stack */
	ASITE_STAT_STACKS_LOST,	/* stacks that the unwinder could not walk on */
	ASITE_STAT_STACKS_NONE,	/* objects whose call site was not found on the stack */
	ASITE_STAT_STACKS_SLOW,	/* stacks, not cut or lost, for which the unwinder was asked */
	ASITE_STAT_FRAMES_SLOW,	/* frames that the unwinder was asked for */
	ASITE_STAT_FRAMES_FULL,	/* steps that found no place */
	ASITE_STAT_STACKS_CHECKED, /* stacks compared with the kernel's */
	ASITE_STAT_STACKS_WRONG, /* of them, those that differ */
	ASITE_STAT_GROW_FAILED,	/* no memory for a further batch of sites */
	ASITE_STAT_SHEAF_LOST,	/* sheaves of kfree_rcu() that were not understood */
	ASITE_STAT_TEXT_LOST,	/* no memory for the text of a retired site */
	ASITE_STAT_RETIRED,	/* keys retired */
	ASITE_STAT_TEST_DROPPED, /* frees dropped by a test build */
	ASITE_STAT_COUNT,
};

struct asite_stats {
	u64 count[ASITE_STAT_COUNT];
};

/* Set before the first hook is attached, freed after the last is gone. */
extern struct asite_stats __percpu *asite_stats;

static inline void asite_stat_inc(enum asite_stat id)
{
	this_cpu_inc(asite_stats->count[id]);
}

static inline void asite_stat_add(enum asite_stat id, u64 n)
{
	this_cpu_add(asite_stats->count[id], n);
}

/**
 * asite_stats_init() - allocate the counters
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int asite_stats_init(void);

/**
 * asite_stats_exit() - free the counters
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_stats_exit(void);

/**
 * asite_stats_reset() - set every counter to zero
 *
 * Context: task; no hook may be attached.
 */
void asite_stats_reset(void);

/**
 * asite_stats_sum() - one counter over all CPUs
 * @id: which
 *
 * Context: any.
 * Return: events.
 */
u64 asite_stats_sum(enum asite_stat id);

/**
 * asite_stats_name() - a counter's name in reports
 * @id: which
 *
 * Context: any.
 * Return: a constant string.
 */
const char *asite_stats_name(enum asite_stat id);

#endif /* ALLOCSITE_STATS_H */
