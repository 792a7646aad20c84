// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every text format, one function per record. Files, modes and writes are in
 * debugfs.c; how addresses become text is in text.c.
 *
 * A report is a snapshot taken at open: rows of racing duplicates are added up,
 * sorted, and the same for all reads of that open file. Text is looked up row by
 * row, under asite_table_lock, since a module may go between two reads.
 *
 * Contexts: task; nothing here is called from a hook, and no hook waits for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <allocsite/abi.h>
#include <allocsite/context.h>
#include <allocsite/estimate.h>
#include <allocsite/hooks.h>
#include <allocsite/mem.h>
#include <allocsite/report.h>
#include <allocsite/row_filter.h>
#include <allocsite/sample.h>
#include <allocsite/stacks.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/text.h>
#include <allocsite/totals.h>
#include <allocsite/track.h>
#include <allocsite/walk.h>
#include <allocsite/watch.h>

/* One buffer for symbol text, under asite_table_lock: too large for a stack. */
static char text[ASITE_TEXT_LEN];

/* Estimates, where only a sample is followed. */

/* What is no slab memory is followed whole: nothing has to stand for what was not. */
static u64 weight_of(const struct asite_site *site)
{
	return asite_kind_tag(site->sub) == ASITE_TAG_SLAB ?
	       asite_estimate_weight(site->size, asite_sample_bytes) : ASITE_WEIGHT_ONE;
}

/* From counts of the sample to estimates: see struct asite_row. */
static void scale_row(struct asite_row *row, const struct asite_site *site)
{
	u64 weight = weight_of(site);

	row->sampled_live = row->live;
	row->sampled_allocs = row->allocs;
	row->bytes = asite_estimate(row->bytes, weight);
	row->live = asite_estimate(row->live, weight);
	row->allocs = asite_estimate(row->allocs, weight);
	row->requested = asite_estimate(row->requested, weight);
}

/* Of one row; those of several add up. */
static void add_variance(struct asite_variance *to, const struct asite_row *row,
			 const struct asite_site *site)
{
	u64 weight = weight_of(site);

	to->bytes += asite_estimate_variance(row->sampled_live, weight, site->size);
	to->live += asite_estimate_variance(row->sampled_live, weight, 1);
	to->allocs += asite_estimate_variance(row->sampled_allocs, weight, 1);
}

static void show_errors(struct seq_file *m, const struct asite_variance *variance)
{
	seq_printf(m, " %12llu %10llu %12llu",
		   asite_estimate_round(asite_estimate_error(variance->bytes)),
		   asite_estimate_round(asite_estimate_error(variance->live)),
		   asite_estimate_round(asite_estimate_error(variance->allocs)));
}

static void show_row_errors(struct seq_file *m, const struct asite_row *row,
			    const struct asite_site *site)
{
	struct asite_variance variance = {};

	add_variance(&variance, row, site);
	show_errors(m, &variance);
	seq_printf(m, " %8llu %8llu", row->sampled_live, row->sampled_allocs);
}

static void show_sampled(struct seq_file *m, const char *what)
{
	if (asite_sample_bytes)
		seq_printf(m, "# sampled: 1 in %u bytes%s\n", asite_sample_bytes, what);
}

/* Taking a snapshot. */

static const struct asite_site *site_of(const struct asite_row *row)
{
	return asite_sites_site(&asite_track.sites, row->slot);
}

/* Order that brings together what is one line: see same_line(). */
static int compare_keys(const void *a, const void *b)
{
	const struct asite_row *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->pass != y->pass)
		return x->pass < y->pass ? -1 : 1;
	if (x->sub != y->sub)
		return x->sub < y->sub ? -1 : 1;
	return x->destroyed - y->destroyed;
}

static int compare_bytes(const void *a, const void *b)
{
	const struct asite_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->allocs != y->allocs)
		return x->allocs > y->allocs ? -1 : 1;
	return 0;
}

/*
 * One address is one function's while it is live, and in one retirement. One cache
 * address is one cache's until it is destroyed.
 */
static bool same_line(const struct asite_row *a, const struct asite_row *b,
		      enum asite_snapshot_kind kind)
{
	if (a->caller != b->caller || a->pass != b->pass || a->state != b->state)
		return false;
	if (kind == ASITE_SNAPSHOT_CALLERS)
		return true;
	return a->sub == b->sub && !a->destroyed && !b->destroyed;
}

void asite_report_add_row(struct asite_row *to, const struct asite_row *from)
{
	to->bytes += from->bytes;
	to->live += from->live;
	to->allocs += from->allocs;
	to->requested += from->requested;
	to->sampled_live += from->sampled_live;
	to->sampled_allocs += from->sampled_allocs;
}

static void fill_row(struct asite_row *row, unsigned int slot, const struct asite_site *site)
{
	struct asite_sum sum;

	asite_sites_sum(&asite_track.sites, slot, &sum);
	row->caller = site->caller;
	row->sub = site->sub;
	row->pass = site->pass;
	row->state = site->state;
	row->destroyed = READ_ONCE(site->destroyed);
	/* Of a stack it may mean another one when the row is shown; a call site's does not. */
	row->slot = slot;
	row->stack = 0;
	if (slot >= asite_track.sites.first_stack) {
		row->slot = asite_stacks_owner(&asite_track.sites, slot);
		row->stack = slot;
	}
	row->live = sum.live;
	row->allocs = sum.allocs;
	row->bytes = sum.live_bytes;
	row->requested = site->kind == ASITE_KMEM_CACHE ?
			 sum.allocs * site->object_size : sum.requested;
	if (asite_sample_bytes)
		scale_row(row, site);
}

static void merge_rows(struct asite_snapshot *snap, enum asite_snapshot_kind kind)
{
	unsigned int i, nr = 0;

	sort(snap->rows, snap->nr, sizeof(*snap->rows), compare_keys, NULL);
	for (i = 0; i < snap->nr; i++) {
		if (nr && same_line(&snap->rows[nr - 1], &snap->rows[i], kind))
			asite_report_add_row(&snap->rows[nr - 1], &snap->rows[i]);
		else
			snap->rows[nr++] = snap->rows[i];
	}
	snap->nr = nr;
}

/* Totals are of all rows. */
static void finish_rows(struct asite_snapshot *snap, enum asite_snapshot_kind kind)
{
	unsigned int i, nr = 0;

	for (i = 0; i < snap->nr; i++) {
		struct asite_row *row = &snap->rows[i];

		asite_totals_add(&snap->totals, row, site_of(row));
		row->hidden = !asite_text_site(site_of(row), text);
		if (row->hidden)
			snap->hidden += row->allocs;
		if (kind != ASITE_SNAPSHOT_STACKS || asite_row_filter_takes(site_of(row), text))
			snap->rows[nr++] = *row;
		if (!(i % 64))
			cond_resched();
	}
	snap->nr = nr;
	if (kind == ASITE_SNAPSHOT_STACKS)
		strscpy(snap->filter, asite_row_filter_text(), sizeof(snap->filter));
}

static void fill_snapshot(struct asite_snapshot *snap, unsigned int used,
			  enum asite_snapshot_kind kind)
{
	const struct asite_site *site;
	long slot = -1;

	snap->epoch = asite_state.epoch;
	asite_stacks_evict_mark(&snap->evict);
	/* Slots that are published while this goes on are in the next snapshot. */
	while ((slot = asite_stacks_next_slot(slot)) >= 0 && snap->nr < used) {
		if (!(slot % 64))
			cond_resched();
		site = asite_sites_site(&asite_track.sites, slot);
		if (!site)
			continue;
		fill_row(&snap->rows[snap->nr], slot, site);
		if (asite_sample_bytes && !asite_kind_is_backing(site->kind, site->sub))
			add_variance(&snap->variance, &snap->rows[snap->nr], site);
		if (snap->rows[snap->nr].allocs)
			snap->nr++;
	}
	if (kind != ASITE_SNAPSHOT_STACKS)
		merge_rows(snap, kind);
	finish_rows(snap, kind);
	cond_resched();
	sort(snap->rows, snap->nr, sizeof(*snap->rows), compare_bytes, NULL);
}

struct asite_snapshot *asite_report_snapshot(enum asite_snapshot_kind kind)
{
	struct asite_snapshot *snap;
	unsigned int used;

	mutex_lock(&asite_table_lock);
	used = asite_stacks_used_slots();
	snap = kvzalloc(struct_size(snap, rows, used),
			GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (snap) {
		snap->bytes = struct_size(snap, rows, used);
		asite_mem_account(snap->bytes);
		fill_snapshot(snap, used, kind);
	}
	mutex_unlock(&asite_table_lock);
	return snap;
}

void asite_report_snapshot_free(struct asite_snapshot *snap)
{
	asite_mem_account(-(long)snap->bytes);
	kvfree(snap);
}

/* sites */

static void show_loss(struct seq_file *m, const char *name, u64 count)
{
	if (count)
		seq_printf(m, "# loss %s %llu\n", name, count);
}

static u64 overflow_objects(void)
{
	return atomic_long_read(&asite_track.sites.full) +
	       atomic_long_read(&asite_track.sites.late);
}

static void show_losses(struct seq_file *m, const struct asite_snapshot *snap)
{
	static const enum asite_stat losses[] = {
		ASITE_STAT_UNTRACKED, ASITE_STAT_STALE, ASITE_STAT_SHEAF_LOST,
		ASITE_STAT_UNTRACKED_PAGES, ASITE_STAT_STALE_PAGES, ASITE_STAT_UNTRACKED_AREAS,
		ASITE_STAT_WALKS_LOST,
		ASITE_STAT_GROW_FAILED, ASITE_STAT_TEXT_LOST, ASITE_STAT_TEST_DROPPED,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(losses); i++)
		show_loss(m, asite_stats_name(losses[i]), asite_stats_sum(losses[i]));
	show_loss(m, "overflow_objects", overflow_objects());
	show_loss(m, "hidden_objects", asite_report_shown(snap->hidden));
	show_loss(m, "missed_events", asite_hooks_missed());
}

/* Absent hooks: what is said here is wrong with the table as a whole. */
static void show_not_seen(struct seq_file *m)
{
	const struct asite_hook *hook;

	for (hook = asite_hooks_next(NULL); hook; hook = asite_hooks_next(hook)) {
		if (asite_hook_is_loss(hook))
			seq_printf(m, "# not_seen %s: %s\n", hook->symbol, hook->not_seen);
	}
}

static void show_state(struct seq_file *m, const char *prefix)
{
	seq_printf(m, "%sstate %s", prefix, asite_state.on ? "on" : "off");
	if (asite_state.off_why)
		seq_printf(m, " (%s)", asite_state.off_why);
	seq_putc(m, '\n');
}

void asite_report_show_columns(struct seq_file *m, const char *last)
{
	seq_puts(m, "# live_bytes live_objects total_objects requested_bytes");
	if (asite_sample_bytes)
		seq_puts(m, " live_bytes_error live_objects_error total_objects_error sampled_live sampled_total");
	seq_printf(m, " kind size cache %s\n", last);
}

void asite_report_sites_head(struct seq_file *m, const struct asite_snapshot *snap)
{
	seq_printf(m, "allocsite sites - version: %d\n",
		   asite_sample_bytes ? ASITE_SITES_SAMPLED_VERSION : ASITE_SITES_VERSION);
	asite_report_show_columns(m, "site");
	mutex_lock(&asite_table_lock);
	show_state(m, "# ");
	show_sampled(m, ": estimates, *_error: standard errors; losses are of the sample");
	seq_printf(m, "# slab_before_bytes %llu\n", asite_state.slab_before);
	show_losses(m, snap);
	show_not_seen(m);
	mutex_unlock(&asite_table_lock);
	asite_totals_show(m, &snap->totals);
	if (!asite_sample_bytes)
		return;
	seq_puts(m, "# total_error");
	show_errors(m, &snap->variance);
	seq_putc(m, '\n');
}

/* Under asite_table_lock. False: the table began anew, slots mean others now. */
static bool is_current(struct seq_file *m, const struct asite_snapshot *snap,
		       const struct asite_row *row)
{
	if (snap->epoch == asite_state.epoch)
		return true;
	if (row == &snap->rows[snap->nr - 1])
		seq_puts(m, "# cut short: counting began anew while this was read\n");
	return false;
}

static void show_cache(struct seq_file *m, const struct asite_site *site)
{
	if (!site->cache[0]) {
		seq_puts(m, " -");
		return;
	}
	seq_putc(m, ' ');
	seq_escape(m, site->cache, " \t\n\\");
	if (READ_ONCE(site->destroyed))
		seq_puts(m, "(destroyed)");
}

const struct asite_site *asite_report_begin_row(struct seq_file *m,
						const struct asite_snapshot *snap,
						const struct asite_row *row)
{
	mutex_lock(&asite_table_lock);
	return is_current(m, snap, row) ? site_of(row) : NULL;
}

void asite_report_end_row(void)
{
	mutex_unlock(&asite_table_lock);
}

void asite_report_show_row(struct seq_file *m, const struct asite_row *row,
			   const struct asite_site *site)
{
	asite_text_site(site, text);
	seq_printf(m, "%12llu %10llu %12llu %14llu", asite_report_shown(row->bytes),
		   asite_report_shown(row->live), asite_report_shown(row->allocs),
		   asite_report_shown(row->requested));
	if (asite_sample_bytes)
		show_row_errors(m, row, site);
	seq_printf(m, " %-13s %8u", asite_kind_name(site->kind), site->size);
	show_cache(m, site);
	seq_printf(m, " %s", row->hidden ? ASITE_TEXT_HIDDEN : text);
}

void asite_report_sites_row(struct seq_file *m, const struct asite_snapshot *snap,
			    const struct asite_row *row)
{
	const struct asite_site *site = asite_report_begin_row(m, snap, row);

	if (site) {
		asite_report_show_row(m, row, site);
		seq_putc(m, '\n');
	}
	asite_report_end_row();
}

/* allocinfo */

void asite_report_allocinfo_head(struct seq_file *m, const struct asite_snapshot *snap)
{
	seq_printf(m, "allocinfo - version: %s\n", ASITE_ALLOCINFO_VERSION);
	seq_puts(m, "#     <size>  <calls> <tag info>\n");
	show_sampled(m, ": sizes and calls are estimates");
}

void asite_report_allocinfo_row(struct seq_file *m, const struct asite_snapshot *snap,
				const struct asite_row *row)
{
	const struct asite_site *site = asite_report_begin_row(m, snap, row);

	if (site) {
		asite_text_site(site, text);
		seq_printf(m, "%12llu %8llu %s func:%.*s\n",
			   asite_report_shown(row->bytes), asite_report_shown(row->live),
			   row->hidden ? ASITE_TEXT_HIDDEN : text,
			   row->hidden ? 6 : (int)strcspn(text, "+"),
			   row->hidden ? "hidden" : text);
	}
	asite_report_end_row();
}

/* stats */

static void show_stat(struct seq_file *m, const char *name, u64 value)
{
	seq_printf(m, "%s %llu\n", name, value);
}

static void show_site_stats(struct seq_file *m)
{
	const struct asite_sitetab *t = &asite_track.sites;
	u64 used = atomic_read(&t->next) - ASITE_OVERFLOW_SLOTS;

	show_stat(m, "overflow_objects", overflow_objects());
	show_stat(m, "overflow_objects_full", atomic_long_read(&t->full));
	show_stat(m, "overflow_objects_late", atomic_long_read(&t->late));
	show_stat(m, "missed_events", asite_hooks_missed());
	show_stat(m, "losses_total", asite_watch_losses());
	show_stat(m, "sites_used", used);
	show_stat(m, "sites_max", t->max_sites - ASITE_OVERFLOW_SLOTS);
	show_stat(m, "sites_ready", t->nr_ready - ASITE_OVERFLOW_SLOTS);
	show_stat(m, "index_entries", asite_sites_entries(t));
	show_stat(m, "index_dead", atomic_read(&t->dead_keys));
}

static void show_live_stats(struct seq_file *m)
{
	const struct asite_objtab *t = &asite_track.objs;
	u64 away;

	show_stat(m, "live_words_used", asite_objtab_count(t, -1, &away));
	show_stat(m, "live_words_away", away);
	show_stat(m, "live_words", t->mask + 1);
	show_stat(m, "live_table_bytes", asite_objtab_bytes(t));
	show_stat(m, "steps_learned", asite_walk_learned());
	if (asite_track.areas.entries)
		show_stat(m, "areas_used", asite_areatab_count(&asite_track.areas));
	if (!asite_track.pages.leaves)
		return;
	show_stat(m, "pages_tracked", asite_pagemap_count(&asite_track.pages));
	show_stat(m, "page_map_bytes", asite_pagemap_bytes(&asite_track.pages));
}

static void show_sample_stats(struct seq_file *m)
{
	unsigned int full, used = asite_filter_count(&full);

	show_sampled(m, ": what counts objects counts those of the sample");
	seq_printf(m, "# %s is not told: no free says whether its object was seen\n",
		   asite_stats_name(ASITE_STAT_UNKNOWN));
	show_stat(m, "filter_places_used", used);
	show_stat(m, "filter_places_full", full);
}

void asite_report_stats(struct seq_file *m)
{
	enum asite_stat id;

	seq_printf(m, "allocsite stats - version: %d\n# name value\n", ASITE_STATS_VERSION);
	mutex_lock(&asite_table_lock);
	for (id = 0; id < ASITE_STAT_COUNT; id++) {
		if (!asite_sample_bytes || id != ASITE_STAT_UNKNOWN)
			show_stat(m, asite_stats_name(id), asite_stats_sum(id));
	}
	show_site_stats(m);
	asite_report_stack_stats(m);
	asite_context_show_stats(m);
	show_stat(m, "sample_bytes", asite_sample_bytes);
	if (asite_sample_bytes)
		show_sample_stats(m);
	show_stat(m, "epoch", asite_state.epoch);
	show_stat(m, "slab_before_bytes", asite_state.slab_before);
	show_stat(m, "own_memory_bytes", asite_mem_used());
	mutex_unlock(&asite_table_lock);
	/* A walk over the whole table: nobody shall wait for it. */
	show_live_stats(m);
}

/* hooks */

static void show_hook(struct seq_file *m, const struct asite_hook *hook)
{
	if (hook->state == ASITE_HOOK_UNUSED)
		return;
	seq_printf(m, "%s\t%s\t%s\t%s\t%lu\t%s\t%s\n", hook->event,
		   asite_hook_backend_name(hook), hook->symbol, asite_hook_state_name(hook),
		   asite_hook_missed(hook), hook->why[0] ? hook->why : "-", hook->not_seen);
}

void asite_report_hooks(struct seq_file *m)
{
	const struct asite_hook *hook;

	seq_printf(m, "allocsite hooks - version: %d\n", ASITE_HOOKS_VERSION);
	seq_puts(m, "# event backend symbol state missed why not_seen_if_absent (tab-separated)\n");
	mutex_lock(&asite_table_lock);
	seq_printf(m, "# probe %s\n", asite_probe_name());
	show_sampled(m, "");
	for (hook = asite_hooks_next(NULL); hook; hook = asite_hooks_next(hook))
		show_hook(m, hook);
	mutex_unlock(&asite_table_lock);
}

/* control */

void asite_report_control(struct seq_file *m)
{
	seq_printf(m, "allocsite control - version: %d\n", ASITE_CONTROL_VERSION);
	seq_puts(m, "# on     attach all hooks and begin to count anew\n"
		    "# off    detach all hooks, freeze the reports\n"
		    "# reset  begin to count anew\n"
		    "# stacks N    keep N frames of each object's stack from now on (2 to 64)\n"
		    "# stacks off  no longer; those that are kept stay\n"
		    "# filter [site=SYMBOL] [module=NAME] [kind=KIND] [size=N[-M]]  rows of stacks and folded\n"
		    "# filter off  all rows\n"
		    "# context SITE on [N]  record who allocated each live object of it, the newest N\n"
		    "# context SITE off     no longer\n"
		    "# wrap +SYMBOL  charge what this function allocates to its callers\n"
		    "# wrap -SYMBOL  no longer\n");
	mutex_lock(&asite_table_lock);
	show_state(m, "");
	if (*asite_row_filter_text())
		seq_printf(m, "filter %s\n", asite_row_filter_text());
	asite_context_show_control(m);
	mutex_unlock(&asite_table_lock);
	asite_wrap_show(m);
}

/* The log, when memory runs out: no allocation, rows are not added up. */

#define TOP	10

static void note_top(struct asite_row *top, const struct asite_row *row)
{
	unsigned int i = TOP;

	while (i && row->bytes > top[i - 1].bytes) {
		if (i < TOP)
			top[i] = top[i - 1];
		i--;
	}
	if (i < TOP)
		top[i] = *row;
}

void asite_report_log_top(void)
{
	static struct asite_row top[TOP];	/* under asite_table_lock */
	const struct asite_site *site;
	struct asite_row row;
	unsigned int i;
	long slot = -1;

	memset(top, 0, sizeof(top));
	while ((slot = asite_stacks_next_slot(slot)) >= 0) {
		site = asite_sites_site(&asite_track.sites, slot);
		if (!(slot % 64))
			cond_resched();
		if (!site)
			continue;
		memset(&row, 0, sizeof(row));
		fill_row(&row, slot, site);
		note_top(top, &row);
	}
	pr_info("out of memory: largest sites (bytes, objects, size, site)%s\n",
		asite_sample_bytes ? ", estimates" : "");
	for (i = 0; i < TOP && top[i].bytes; i++) {
		site = site_of(&top[i]);
		asite_text_site(site, text);
		pr_info("%12llu %10llu %8u %s\n", asite_report_shown(top[i].bytes),
			asite_report_shown(top[i].live), site->size, text);
	}
}
