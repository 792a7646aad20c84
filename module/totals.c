// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rows add up to, and how that compares with what the kernel says that it uses.
 *
 * Context: task.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include <allocsite/estimate.h>
#include <allocsite/page_memory.h>
#include <allocsite/sample.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/totals.h>
#include <allocsite/track.h>

u64 asite_report_shown(u64 value)
{
	return asite_sample_bytes ? asite_estimate_round(value) : value;
}

/* What an overflow site's key tells. */
static enum asite_kind kind_of(const struct asite_site *site)
{
	static const u8 kinds[ASITE_TAG_MASK + 1] = {
		[ASITE_TAG_SLAB]		= ASITE_KMALLOC,
		[ASITE_TAG_PAGE]		= ASITE_PAGE,
		[ASITE_TAG_VMALLOC]		= ASITE_VMALLOC,
		[ASITE_TAG_PERCPU]		= ASITE_PERCPU,
		[ASITE_TAG_SLAB_PAGES]		= ASITE_SLAB_PAGES,
		[ASITE_TAG_LARGE_PAGES]		= ASITE_LARGE_PAGES,
		[ASITE_TAG_VMALLOC_PAGES]	= ASITE_VMALLOC_PAGES,
		[ASITE_TAG_PERCPU_PAGES]	= ASITE_PERCPU_PAGES,
	};

	return site->kind == ASITE_OVERFLOW ? kinds[asite_kind_tag(site->sub)] : site->kind;
}

void asite_totals_add(struct asite_totals *totals, const struct asite_row *row,
		      const struct asite_site *site)
{
	enum asite_kind kind = kind_of(site);

	asite_report_add_row(&totals->kinds[kind], row);
	if (!asite_kind_is_backing(kind, site->sub))
		asite_report_add_row(&totals->sum, row);
}

static void show_line(struct seq_file *m, const char *what, const char *name,
		      const struct asite_row *row)
{
	seq_printf(m, "# %s %s %llu %llu\n", what, name, asite_report_shown(row->bytes),
		   asite_report_shown(row->live));
}

static void show_kinds(struct seq_file *m, const struct asite_totals *totals)
{
	const struct asite_row *kinds = totals->kinds;
	struct asite_row slab = kinds[ASITE_KMALLOC];

	asite_report_add_row(&slab, &kinds[ASITE_KMALLOC_LARGE]);
	asite_report_add_row(&slab, &kinds[ASITE_KMEM_CACHE]);
	show_line(m, "kind", "slab", &slab);
	show_line(m, "kind", "page", &kinds[ASITE_PAGE]);
	show_line(m, "kind", "vmalloc", &kinds[ASITE_VMALLOC]);
	show_line(m, "kind", "percpu", &kinds[ASITE_PERCPU]);
	show_line(m, "backing", "slab_pages", &kinds[ASITE_SLAB_PAGES]);
	show_line(m, "backing", "large_pages", &kinds[ASITE_LARGE_PAGES]);
	show_line(m, "backing", "vmalloc_pages", &kinds[ASITE_VMALLOC_PAGES]);
	show_line(m, "backing", "percpu_pages", &kinds[ASITE_PERCPU_PAGES]);
	show_line(m, "backing", "slab_ext", &kinds[ASITE_SLAB_EXT]);
}

/* Of all pages, backing or not: each is in one row. */
static u64 page_bytes(const struct asite_totals *totals)
{
	return totals->kinds[ASITE_PAGE].bytes + totals->kinds[ASITE_SLAB_PAGES].bytes +
	       totals->kinds[ASITE_LARGE_PAGES].bytes + totals->kinds[ASITE_VMALLOC_PAGES].bytes +
	       totals->kinds[ASITE_PERCPU_PAGES].bytes;
}

/* Memory that was in use before, and is not any more, was freed without having been followed. */
static void show_residual(struct seq_file *m, const struct asite_totals *totals)
{
	u64 used = asite_state.on ? asite_page_memory_used() : asite_state.used_after;
	u64 slab_used = asite_state.on ? asite_state_slab_bytes() : asite_state.slab_after;
	s64 growth = used - asite_state.used_before;
	s64 tracked = asite_report_shown(page_bytes(totals));
	s64 unknown = asite_page_memory_unknown();
	s64 slab = slab_used - asite_state.slab_before;

	seq_printf(m, "# residual_bytes %lld growth_bytes %lld tracked_page_bytes %lld unknown_free_bytes %lld\n",
		   growth - tracked + unknown, growth, tracked, unknown);
	seq_printf(m, "# slab_growth_bytes %lld slab_pages_bytes %llu\n", slab,
		   asite_report_shown(totals->kinds[ASITE_SLAB_PAGES].bytes));
}

void asite_totals_show(struct seq_file *m, const struct asite_totals *totals)
{
	const struct asite_row *sum = &totals->sum;

	seq_printf(m, "# total %llu %llu %llu %llu\n", asite_report_shown(sum->bytes),
		   asite_report_shown(sum->live), asite_report_shown(sum->allocs),
		   asite_report_shown(sum->requested));
	show_kinds(m, totals);
	if (asite_track.pages.leaves)
		show_residual(m, totals);
}
