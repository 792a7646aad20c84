// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is there: leaves of the page map for it, and how much of it is in use.
 *
 * Context: task, may sleep.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/vmstat.h>

#include <allocsite/page_memory.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <compat/zone.h>

static unsigned int pages_mb = 1024;
module_param(pages_mb, uint, 0400);
MODULE_PARM_DESC(pages_mb, "memory for the page map at most, in MiB; it takes 1/1024 of RAM (default 1024)");

/* Zones whose pages are allocated: those of devices are not. */
static struct zone *next_zone_of(int nid, int *i)
{
	struct zone *zone;

	while (*i < MAX_NR_ZONES) {
		zone = &NODE_DATA(nid)->node_zones[(*i)++];
		if (managed_zone(zone))
			return zone;
	}
	return NULL;
}

static size_t missing(void)
{
	struct zone *zone;
	size_t bytes = 0;
	int nid, i;

	for_each_online_node(nid) {
		i = 0;
		while ((zone = next_zone_of(nid, &i)))
			bytes += asite_pagemap_missing(&asite_track.pages, zone->zone_start_pfn,
						       zone->spanned_pages);
	}
	return bytes;
}

static int add_all(void)
{
	struct zone *zone;
	int nid, i, err;

	for_each_online_node(nid) {
		i = 0;
		while ((zone = next_zone_of(nid, &i))) {
			err = asite_pagemap_add(&asite_track.pages, zone->zone_start_pfn,
						zone->spanned_pages);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Bringing memory online frees it, with events: frees of nothing. */
static void mark_coming(unsigned long pfn, unsigned long frames)
{
	unsigned long i;
	u32 *word;

	for (i = 0; i < frames; i++) {
		word = asite_pagemap_word(&asite_track.pages, pfn + i);
		if (word && !READ_ONCE(*word))
			WRITE_ONCE(*word, ASITE_PAGE_MOVED | ASITE_PAGE_OLD);
	}
}

/* Memory that is refused is counted page by page as it is used. */
static int on_memory(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct memory_notify *range = data;
	int err;

	if (event != MEM_GOING_ONLINE)
		return NOTIFY_OK;
	mutex_lock(&asite_table_lock);
	err = asite_pagemap_add(&asite_track.pages, range->start_pfn, range->nr_pages);
	mark_coming(range->start_pfn, range->nr_pages);
	mutex_unlock(&asite_table_lock);
	if (err)
		pr_warn("no page map for %lu pages that are being added (error %d): they are counted as untracked_pages\n",
			range->nr_pages, err);
	return NOTIFY_OK;
}

static struct notifier_block memory_nb = {
	.notifier_call = on_memory,
};

int asite_page_memory_init(void)
{
	size_t bytes;
	int err;

	err = asite_pagemap_init(&asite_track.pages);
	if (err)
		return err;
	bytes = missing();
	if (bytes > (size_t)pages_mb << 20) {
		pr_err("the page map takes %zu MiB: load with pages_mb=%zu, or without page in kinds=\n",
		       bytes >> 20, bytes >> 20);
		asite_pagemap_destroy(&asite_track.pages);
		return -E2BIG;
	}
	/* What comes between is added twice. */
	err = register_memory_notifier(&memory_nb);
	if (err)
		goto destroy;
	mutex_lock(&asite_table_lock);
	err = add_all();
	mutex_unlock(&asite_table_lock);
	if (!err)
		return 0;
	unregister_memory_notifier(&memory_nb);
destroy:
	asite_pagemap_destroy(&asite_track.pages);
	return err;
}

void asite_page_memory_exit(void)
{
	unregister_memory_notifier(&memory_nb);
	asite_pagemap_destroy(&asite_track.pages);
}

static long free_pages_of(struct zone *zone)
{
	long pages = zone_page_state_snapshot(zone, NR_FREE_PAGES);
	int cpu;

	for_each_possible_cpu(cpu)
		pages += asite_k_zone_pcp_count(zone, cpu);
	return pages;
}

u64 asite_page_memory_used(void)
{
	long pages = totalram_pages();
	struct zone *zone;
	int nid, i;

	for_each_online_node(nid) {
		i = 0;
		while ((zone = next_zone_of(nid, &i)))
			pages -= free_pages_of(zone);
	}
	return (u64)max(pages, 0L) << PAGE_SHIFT;
}

s64 asite_page_memory_unknown(void)
{
	u64 isolated = asite_stats_sum(ASITE_STAT_ISOLATED);
	u64 pages = asite_stats_sum(ASITE_STAT_UNKNOWN_PAGES);

	/* 0 where it is not seen: then nothing is known of the others, either. */
	if (isolated)
		pages += asite_stats_sum(ASITE_STAT_MOVED_PAGES) +
			 asite_stats_sum(ASITE_STAT_ISOLATED_BACK) -
			 asite_stats_sum(ASITE_STAT_ISOLATED_KEPT) - isolated;
	return (s64)pages * (s64)PAGE_SIZE;
}
