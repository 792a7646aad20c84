/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text formats of the reports; files and modes are in debugfs.c. Formats are
 * described in README.md, their versions are in abi.h.
 */
#ifndef ALLOCSITE_REPORT_H
#define ALLOCSITE_REPORT_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include <allocsite/row_filter.h>
#include <allocsite/stacks_evict.h>
#include <allocsite/totals.h>

/**
 * struct asite_snapshot - all sites at one time, so that small reads agree
 * @epoch: asite_state.epoch it was taken in
 * @evict: tells which stacks were evicted since
 * @nr: rows
 * @bytes: memory it takes
 * @totals: sums of the columns
 * @variance: of the totals
 * @hidden: objects allocated ever by callers that are hidden
 * @filter: of stacks: which rows were taken, "" for all
 * @rows: rows, sorted
 */
struct asite_snapshot {
	unsigned int epoch;
	struct asite_stacks_mark evict;
	unsigned int nr;
	size_t bytes;
	struct asite_totals totals;
	struct asite_variance variance;
	u64 hidden;
	char filter[ASITE_ROW_FILTER_LEN];
	struct asite_row rows[];
};

enum asite_snapshot_kind {
	ASITE_SNAPSHOT_SITES,		/* by caller and size, largest first */
	ASITE_SNAPSHOT_CALLERS,		/* by caller, for allocinfo */
	ASITE_SNAPSHOT_STACKS,		/* by stack, largest first */
};

/**
 * asite_report_snapshot() - take a snapshot
 * @kind: how to group and sort
 *
 * Allocations do not wait for it.
 *
 * Context: task, may sleep; takes asite_table_lock.
 * Return: the snapshot, or NULL without memory.
 */
struct asite_snapshot *asite_report_snapshot(enum asite_snapshot_kind kind);

/**
 * asite_report_snapshot_free() - free a snapshot
 * @snap: the snapshot
 *
 * Context: task, may sleep.
 */
void asite_report_snapshot_free(struct asite_snapshot *snap);

/**
 * asite_report_sites_head() - lines before the rows of sites
 * @m: where to
 * @snap: the snapshot
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_sites_head(struct seq_file *m, const struct asite_snapshot *snap);

/**
 * asite_report_sites_row() - one row of sites
 * @m: where to
 * @snap: the snapshot
 * @row: the row
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_sites_row(struct seq_file *m, const struct asite_snapshot *snap,
			    const struct asite_row *row);

/**
 * asite_report_stacks_head() - lines before the rows of stacks
 * @m: where to
 * @snap: the snapshot
 *
 * Context: task.
 */
void asite_report_stacks_head(struct seq_file *m, const struct asite_snapshot *snap);

/**
 * asite_report_stacks_row() - one row of stacks
 * @m: where to
 * @snap: the snapshot, by stack
 * @row: the row
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_stacks_row(struct seq_file *m, const struct asite_snapshot *snap,
			     const struct asite_row *row);

/**
 * asite_report_folded_row() - one stack as flame graphs are made of: root;...;leaf bytes
 * @m: where to
 * @snap: the snapshot, by stack
 * @row: the row
 *
 * Live bytes; nothing for what has none, and for backing.
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_folded_row(struct seq_file *m, const struct asite_snapshot *snap,
			     const struct asite_row *row);

/**
 * asite_report_stack_stats() - lines of the stats file about stacks
 * @m: where to
 *
 * Context: task, may sleep; asite_table_lock held.
 */
void asite_report_stack_stats(struct seq_file *m);

/* What the reports' rows share. */

/* The line of columns; @last: what the last one is. */
void asite_report_show_columns(struct seq_file *m, const char *last);

/* Takes asite_table_lock; the row's site, or NULL if its slot means another one by now. */
const struct asite_site *asite_report_begin_row(struct seq_file *m,
						const struct asite_snapshot *snap,
						const struct asite_row *row);

/* Releases it. */
void asite_report_end_row(void);

/* Numbers, kind, size, cache and call site. */
void asite_report_show_row(struct seq_file *m, const struct asite_row *row,
			   const struct asite_site *site);

/**
 * asite_report_allocinfo_head() - lines before the rows of allocinfo
 * @m: where to
 * @snap: the snapshot
 *
 * The same two lines as /proc/allocinfo (lib/alloc_tag.c).
 *
 * Context: task.
 */
void asite_report_allocinfo_head(struct seq_file *m, const struct asite_snapshot *snap);

/**
 * asite_report_allocinfo_row() - one row of allocinfo
 * @m: where to
 * @snap: the snapshot
 * @row: the row
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_allocinfo_row(struct seq_file *m, const struct asite_snapshot *snap,
				const struct asite_row *row);

/**
 * asite_report_stats() - the stats file
 * @m: where to
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_stats(struct seq_file *m);

/**
 * asite_report_hooks() - the hooks file
 * @m: where to
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_hooks(struct seq_file *m);

/**
 * asite_report_control() - what reading control shows
 * @m: where to
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_report_control(struct seq_file *m);

/**
 * asite_report_log_top() - the ten largest sites to the kernel log
 *
 * Allocates nothing: it is called when there is no memory.
 *
 * Context: task, asite_table_lock held.
 */
void asite_report_log_top(void);

#endif /* ALLOCSITE_REPORT_H */
