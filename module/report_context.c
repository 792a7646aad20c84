// SPDX-License-Identifier: GPL-2.0-only
/*
 * The context file: taking a snapshot of all rings, its format, and what control and stats say
 * of contexts. Why a record is shown, or not, is in ring.h; recording is in context.c.
 *
 * Contexts: task.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include <asm/cpufeature.h>

#include <allocsite/abi.h>
#include <allocsite/context.h>
#include <allocsite/mem.h>
#include <allocsite/sample.h>
#include <allocsite/stack_text.h>
#include <allocsite/stacks.h>
#include <allocsite/stacks_evict.h>
#include <allocsite/state.h>
#include <allocsite/text.h>
#include <allocsite/track.h>

/* Under asite_table_lock. */
static char text[ASITE_TEXT_LEN];

static const char * const where_names[] = {
	[ASITE_IN_TASK]		= "task",
	[ASITE_IN_SOFTIRQ]	= "softirq",
	[ASITE_IN_HARDIRQ]	= "hardirq",
	[ASITE_IN_NMI]		= "nmi",
};

static_assert(ARRAY_SIZE(where_names) == ASITE_IN_COUNT, "a name for each");

/* A context as it was when the snapshot was taken. */
struct head {
	char *name;
	bool gone;
	unsigned int nr;
	struct asite_ring_counts counts;
};

/**
 * struct asite_context_snapshot - what the rings said at one time
 * @epoch: asite_state.epoch it was taken in
 * @evict: tells which stacks were evicted since
 * @nr: records
 * @bytes: memory it takes
 * @now_ns: the time, as records have it
 * @moving: pages moved all the while: theirs are left out
 * @heads: all contexts; those not in use have no name
 * @rows: records of objects that were live
 */
struct asite_context_snapshot {
	unsigned int epoch;
	struct asite_stacks_mark evict;
	unsigned int nr;
	size_t bytes;
	u64 now_ns;
	bool moving;
	struct head heads[ASITE_CONTEXTS_LIMIT];
	struct asite_ring_row rows[];
};

/* Is it live? In the order of the families. */

static bool is_live_page(const struct asite_record *r, u64 bytes)
{
	const u32 *place = asite_pagemap_word(&asite_track.pages, r->object >> ASITE_FRAME_SHIFT);
	/* Acquire: what was done before it was published is seen. */
	u32 word = place ? smp_load_acquire(place) : 0;

	return (word & ASITE_PAGE_SLOT) == asite_objtab_bits(r->slot, 0) &&
	       (bytes == PAGE_SIZE || word & ASITE_PAGE_HEAD);
}

static bool is_live_area(const struct asite_record *r, u64 *bytes)
{
	struct asite_area area;

	if (!boot_cpu_has(X86_FEATURE_CX16) ||
	    !asite_areatab_look(&asite_track.areas, r->object, &area) || area.slot != r->slot)
		return false;
	/* It may have been made smaller, or larger. */
	*bytes = area.bytes;
	return true;
}

static const struct asite_site *site_of(const struct asite_ring_row *row)
{
	return asite_sites_site(&asite_track.sites, row->user);
}

/* The call site's slot; 0, which nobody records: its stack was evicted. */
static unsigned int site_slot(const struct asite_record *r)
{
	const struct asite_sitetab *t = &asite_track.sites;
	unsigned int slot = r->slot;

	if (slot >= t->first_stack)
		slot = asite_stacks_owner(t, slot);
	return slot < t->first_stack ? slot : 0;
}

static bool is_live(struct asite_ring_row *row)
{
	const struct asite_record *r = &row->record;
	const struct asite_site *site;

	row->user = site_slot(r);
	site = site_of(row);

	if (!site)
		return false;
	row->bytes = site->size;
	if (asite_kind_is_area(site->sub))
		return is_live_area(r, &row->bytes);
	if (asite_kind_is_pages(site->sub))
		return is_live_page(r, row->bytes);
	return asite_objtab_look(&asite_track.objs, r->object) >> ASITE_GEN_BITS == r->slot;
}

/* Taking a snapshot. */

/*
 * Not those whose slot is another site's by now, evicted and given out again; of a site that has
 * the same context there is a newer record.
 */
static unsigned int keep_own(struct asite_ring_row *rows, unsigned int nr, unsigned int context)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (READ_ONCE(site_of(&rows[i])->context) == context)
			rows[kept++] = rows[i];
	}
	return kept;
}

static void read_rings(struct asite_context_snapshot *snap)
{
	struct asite_ring_row *rows;
	unsigned int i, n;

	snap->nr = 0;
	for (i = 0; i < ASITE_CONTEXTS_LIMIT; i++) {
		if (!asite_contexts[i].ring)
			continue;
		rows = snap->rows + snap->nr;
		n = asite_ring_live(asite_contexts[i].ring, rows, is_live);
		snap->nr += keep_own(rows, n, i + 1);
	}
}

static void leave_out_pages(struct asite_context_snapshot *snap)
{
	unsigned int i, nr = 0;

	for (i = 0; i < snap->nr; i++) {
		if (!asite_kind_is_pages(site_of(&snap->rows[i])->sub))
			snap->rows[nr++] = snap->rows[i];
	}
	snap->nr = nr;
}

/* How often to try before pages are left out: their moves come in bursts. */
#define TRIES	20

/* A record that moved meanwhile may have been seen in two places, or in none. */
static void read_until_nothing_moves(struct asite_context_snapshot *snap)
{
	unsigned int i;
	long done;

	for (i = 0; i < TRIES; i++) {
		done = asite_context_moves_done();
		read_rings(snap);
		if (asite_context_moves_begun() == done)
			return;
		usleep_range(1000, 2000);
	}
	snap->moving = true;
	leave_out_pages(snap);
}

static int compare_times(const void *a, const void *b)
{
	const struct asite_ring_row *x = a, *y = b;

	if (x->record.time_ns != y->record.time_ns)
		return x->record.time_ns > y->record.time_ns ? -1 : 1;
	return x->record.seq > y->record.seq ? -1 : x->record.seq < y->record.seq;
}

static void fill_heads(struct asite_context_snapshot *snap)
{
	const struct asite_context *c;
	struct head *head;
	unsigned int i;

	for (i = 0; i < ASITE_CONTEXTS_LIMIT; i++) {
		c = &asite_contexts[i];
		head = &snap->heads[i];
		if (!c->name || !c->ring)
			continue;
		head->name = kstrdup(c->name, GFP_KERNEL | __GFP_NOWARN);
		head->gone = !c->length;
		head->nr = c->ring->nr;
		asite_ring_counts(c->ring, &head->counts);
	}
}

static unsigned int room_needed(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ASITE_CONTEXTS_LIMIT; i++)
		nr += asite_contexts[i].ring ? asite_contexts[i].ring->nr : 0;
	return nr;
}

struct asite_context_snapshot *asite_context_snapshot(void)
{
	struct asite_context_snapshot *snap;
	size_t bytes;

	mutex_lock(&asite_table_lock);
	bytes = struct_size(snap, rows, room_needed());
	snap = kvzalloc(bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (snap) {
		snap->bytes = bytes;
		asite_mem_account(bytes);
		snap->epoch = asite_state.epoch;
		asite_stacks_evict_mark(&snap->evict);
		snap->now_ns = ktime_get_mono_fast_ns();
		read_until_nothing_moves(snap);
		fill_heads(snap);
		sort(snap->rows, snap->nr, sizeof(*snap->rows), compare_times, NULL);
	}
	mutex_unlock(&asite_table_lock);
	return snap;
}

void asite_context_snapshot_free(struct asite_context_snapshot *snap)
{
	unsigned int i;

	for (i = 0; i < ASITE_CONTEXTS_LIMIT; i++)
		kfree(snap->heads[i].name);
	asite_mem_account(-(long)snap->bytes);
	kvfree(snap);
}

unsigned int asite_context_rows(const struct asite_context_snapshot *snap)
{
	return snap->nr;
}

/* Format. */

static void show_head(struct seq_file *m, const struct asite_context_snapshot *snap)
{
	const struct head *head;
	bool any = false;

	seq_printf(m, "allocsite context - version: %d\n", ASITE_CONTEXT_VERSION);
	seq_puts(m, "# bytes time_ns pid tgid comm cpu where cgroup stack (leaf first, ' < ' between frames)\n");
	seq_printf(m, "# now_ns %llu\n", snap->now_ns);
	for (head = snap->heads; head < snap->heads + ASITE_CONTEXTS_LIMIT; head++) {
		if (!head->nr)
			continue;
		any = true;
		seq_printf(m, "# context %s%s: records %u recorded %llu overwritten %llu lost %llu dropped %llu\n",
			   head->name ?: "[name lost]", head->gone ? " (gone)" : "", head->nr,
			   head->counts.recorded, head->counts.overwritten, head->counts.lost,
			   head->counts.dropped);
	}
	if (!any)
		seq_puts(m, "# none on: write 'context SITE on' to control, SITE as in sites\n");
	if (asite_sample_bytes)
		seq_printf(m, "# sampled: 1 in %u bytes: slab objects of the sample only\n",
			   asite_sample_bytes);
	if (snap->moving)
		seq_puts(m, "# pages are left out: they moved all the while\n");
}

/* A task may call itself anything: one word, no control characters. */
static void show_comm(struct seq_file *m, const char *comm)
{
	char out[4 * ASITE_RING_COMM + 1];
	unsigned int i, n = 0;

	for (i = 0; i < ASITE_RING_COMM && comm[i]; i++) {
		if (comm[i] > ' ' && comm[i] < 0x7f && comm[i] != '\\')
			out[n++] = comm[i];
		else
			n += scnprintf(out + n, sizeof(out) - n, "\\%03o", (unsigned char)comm[i]);
	}
	out[n] = '\0';
	seq_printf(m, " %-15s", n ? out : "-");
}

static void show_stack(struct seq_file *m, const struct asite_context_snapshot *snap,
		       unsigned int slot)
{
	unsigned int i, nr, first = asite_track.sites.first_stack;
	const u32 *frames;

	if (slot < first) {
		seq_puts(m, " < [no stack]\n");
		return;
	}
	frames = asite_depot_frames(&asite_stacks, slot - first, &nr);
	asite_stacks_evict_text(m, &snap->evict, slot, " < [evicted]", &nr);
	for (i = 0; i < nr; i++) {
		asite_stack_text(slot - first, frames[i], text);
		seq_printf(m, " < %s", text);
	}
	seq_putc(m, '\n');
}

static void show_row(struct seq_file *m, const struct asite_context_snapshot *snap,
		     const struct asite_ring_row *row)
{
	const struct asite_record *r = &row->record;

	seq_printf(m, "%12llu %16llu %7d %7d", row->bytes, r->time_ns, r->pid, r->tgid);
	show_comm(m, r->comm);
	seq_printf(m, " %3u %-7s %6llu", r->cpu, where_names[r->context], r->cgroup);
	asite_text_site(site_of(row), text);
	seq_printf(m, " %s", text);
	show_stack(m, snap, r->slot);
}

void asite_context_show(struct seq_file *m, const struct asite_context_snapshot *snap,
			unsigned int i)
{
	if (!i) {
		show_head(m, snap);
		return;
	}
	mutex_lock(&asite_table_lock);
	if (snap->epoch == asite_state.epoch)
		show_row(m, snap, &snap->rows[i - 1]);
	else if (i == snap->nr)
		seq_puts(m, "# cut short: counting began anew while this was read\n");
	mutex_unlock(&asite_table_lock);
}

void asite_context_show_control(struct seq_file *m)
{
	const struct asite_context *c;

	for (c = asite_contexts; c < asite_contexts + ASITE_CONTEXTS_LIMIT; c++) {
		if (c->name && c->ring)
			seq_printf(m, "context %s on %u%s\n", c->name, c->ring->nr,
				   c->length ? "" : " (gone)");
	}
}

void asite_context_show_stats(struct seq_file *m)
{
	struct asite_ring_counts counts = {};
	unsigned int i;

	for (i = 0; i < ASITE_CONTEXTS_LIMIT; i++) {
		if (asite_contexts[i].ring)
			asite_ring_counts(asite_contexts[i].ring, &counts);
	}
	seq_printf(m, "contexts_on %u\n", asite_contexts_on);
	seq_printf(m, "context_recorded %llu\n", counts.recorded);
	seq_printf(m, "context_overwritten %llu\n", counts.overwritten);
	seq_printf(m, "context_lost %llu\n", counts.lost);
	seq_printf(m, "context_dropped %llu\n", counts.dropped);
}
