// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats of stacks and folded. How a snapshot is taken and shared by all reads of an open
 * file is in report.c.
 *
 * Contexts: task.
 */
#include <linux/seq_file.h>
#include <linux/string.h>

#include <allocsite/abi.h>
#include <allocsite/frames.h>
#include <allocsite/report.h>
#include <allocsite/sample.h>
#include <allocsite/stack_text.h>
#include <allocsite/stacks.h>
#include <allocsite/stacks_evict.h>
#include <allocsite/state.h>
#include <allocsite/text.h>
#include <allocsite/track.h>

/* Under asite_table_lock. */
static char text[ASITE_TEXT_LEN];

/* The frames above a row's call site; 0 where it is of a call site that has objects without. */
static unsigned int frames_of(const struct asite_row *row, u32 *handle, const u32 **frames)
{
	unsigned int nr;

	if (!row->stack)
		return 0;
	*handle = row->stack - asite_track.sites.first_stack;
	*frames = asite_depot_frames(&asite_stacks, *handle, &nr);
	return nr;
}

/* stacks */

void asite_report_stacks_head(struct seq_file *m, const struct asite_snapshot *snap)
{
	seq_printf(m, "allocsite stacks - version: %d\n", ASITE_STACKS_VERSION);
	asite_report_show_columns(m, "frames (leaf first, ' < ' between them)");
	if (READ_ONCE(asite_stacks_depth))
		seq_printf(m, "# stacks of %u frames at most\n", READ_ONCE(asite_stacks_depth));
	else
		seq_puts(m, "# stacks off: write 'stacks N' to control, or load with stacks=N\n");
	if (snap->filter[0])
		seq_printf(m, "# filter %s\n", snap->filter);
}

void asite_report_stacks_row(struct seq_file *m, const struct asite_snapshot *snap,
			     const struct asite_row *row)
{
	const struct asite_site *site = asite_report_begin_row(m, snap, row);
	const u32 *frames;
	unsigned int i, nr;
	u32 handle;

	if (site) {
		asite_report_show_row(m, row, site);
		nr = frames_of(row, &handle, &frames);
		asite_stacks_evict_text(m, &snap->evict, row->stack, " < [evicted]", &nr);
		for (i = 0; i < nr; i++) {
			asite_stack_text(handle, frames[i], text);
			seq_printf(m, " < %s", text);
		}
		seq_puts(m, row->stack ? "\n" : " < [no stack]\n");
	}
	asite_report_end_row();
}

/* stats */

static void show_stat(struct seq_file *m, const char *name, u64 value)
{
	seq_printf(m, "depot_%s %llu\n", name, value);
}

void asite_report_stack_stats(struct seq_file *m)
{
	struct asite_depot_stats s;
	unsigned int known, varies;

	seq_printf(m, "stacks_depth %u\n", READ_ONCE(asite_stacks_depth));
	if (!asite_stacks.index)
		return;
	asite_depot_stats(&asite_stacks, &s);
	known = asite_frames_learned(&varies);
	seq_printf(m, "frames_learned %u\nframes_without_step %u\n", known, varies);
	show_stat(m, "stacks", s.records);
	show_stat(m, "bytes", s.bytes);
	show_stat(m, "pool_bytes", s.pool_bytes);
	show_stat(m, "index_bytes", s.index_bytes);
	show_stat(m, "used_bytes", s.used_bytes);
	show_stat(m, "rounding_bytes", s.rounding_bytes);
	show_stat(m, "inserts", s.inserts);
	show_stat(m, "races", s.races);
	show_stat(m, "index_dead", s.dead);
	show_stat(m, "lost_full", s.full);
	show_stat(m, "lost_late", s.late);
	show_stat(m, "lost_far", s.far);
	show_stat(m, "refused", s.refused);
	show_stat(m, "stackdepot_fixed_bytes", s.fixed_bytes);
	show_stat(m, "stackdepot_exact_bytes", s.exact_bytes);
	asite_stacks_evict_stats(m);
}

/* folded: what flamegraph.pl and speedscope read. Functions, root first; no head. */

/* A function's name: what follows it, and blanks, would end it. */
static void put_function(struct seq_file *m, const char *symbol)
{
	if (symbol[0] == '[')
		seq_escape(m, symbol, " ;\t\n\\");
	else
		seq_printf(m, "%.*s", (int)strcspn(symbol, "+ ;"), symbol);
}

void asite_report_folded_row(struct seq_file *m, const struct asite_snapshot *snap,
			     const struct asite_row *row)
{
	const struct asite_site *site = asite_report_begin_row(m, snap, row);
	const u32 *frames;
	unsigned int nr;
	u32 handle;

	if (site && asite_report_shown(row->bytes) &&
	    !asite_kind_is_backing(site->kind, site->sub)) {
		if (!row->stack)
			seq_puts(m, "[no_stack];");
		nr = frames_of(row, &handle, &frames);
		asite_stacks_evict_text(m, &snap->evict, row->stack, "[evicted];", &nr);
		for (; nr; nr--) {
			asite_stack_text(handle, frames[nr - 1], text);
			put_function(m, text);
			seq_putc(m, ';');
		}
		if (row->hidden)
			strscpy(text, ASITE_TEXT_HIDDEN, sizeof(text));
		else
			asite_text_site(site, text);
		put_function(m, text);
		seq_printf(m, " %llu\n", asite_report_shown(row->bytes));
	}
	asite_report_end_row();
}
