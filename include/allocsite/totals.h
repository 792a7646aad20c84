/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a report, and what they add up to: by kind, and against what the kernel says that it
 * uses. Backing memory is kept out of the sum.
 *
 * Context: task.
 */
#ifndef ALLOCSITE_TOTALS_H
#define ALLOCSITE_TOTALS_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include <allocsite/sites.h>

/**
 * struct asite_row - one line of a report
 * @bytes: live bytes; the sort key of sites
 * @live: live objects
 * @allocs: objects allocated ever
 * @requested: bytes asked for ever
 * @caller: groups and sorts, with what follows
 * @sub: as in struct asite_site
 * @pass: as in struct asite_site
 * @slot: slot whose description is printed: a call site's
 * @stack: slot of its stack; 0: it has none, or the row is of several
 * @state: as in struct asite_site
 * @destroyed: as in struct asite_site
 * @hidden: it is no call site
 * @sampled_live: live objects in the sample
 * @sampled_allocs: objects of the sample, allocated ever
 *
 * In sampled mode the first four are estimates with ASITE_ESTIMATE_BITS fractional bits, since
 * rows of small counts would lose much by being rounded before they are summed.
 */
struct asite_row {
	u64 bytes;
	u64 live;
	u64 allocs;
	u64 requested;
	unsigned long caller;
	unsigned long sub;
	unsigned int pass;
	unsigned int slot;
	u8 state;
	bool destroyed;
	bool hidden;
	unsigned int stack;
	u64 sampled_live;
	u64 sampled_allocs;
};

/**
 * struct asite_variance - squares of the standard errors of estimates
 * @bytes: of live bytes
 * @live: of live objects
 * @allocs: of objects allocated ever
 */
struct asite_variance {
	__uint128_t bytes;
	__uint128_t live;
	__uint128_t allocs;
};

/**
 * struct asite_totals - sums of rows
 * @sum: of all rows but those of backing memory
 * @kinds: by enum asite_kind; overflow sites by what their key tells
 */
struct asite_totals {
	struct asite_row sum;
	struct asite_row kinds[ASITE_KIND_COUNT];
};

/**
 * asite_report_add_row() - add a row's figures to another's
 * @to: where to
 * @from: the row
 */
void asite_report_add_row(struct asite_row *to, const struct asite_row *from);

/**
 * asite_report_shown() - a figure of a row or of sums, as printed
 * @value: the figure
 *
 * Return: itself, or rounded if it is an estimate.
 */
u64 asite_report_shown(u64 value);

/**
 * asite_totals_add() - count a row
 * @totals: the sums
 * @row: the row
 * @site: what it is of
 */
void asite_totals_add(struct asite_totals *totals, const struct asite_row *row,
		      const struct asite_site *site);

/**
 * asite_totals_show() - the lines of sums at the head of sites
 * @m: where to
 * @totals: the sums
 *
 * "# total": all rows but backing. "# kind", "# backing": live bytes and objects of each. Then,
 * where pages are followed, what of the growth of memory in use is not accounted for.
 */
void asite_totals_show(struct seq_file *m, const struct asite_totals *totals);

#endif /* ALLOCSITE_TOTALS_H */
