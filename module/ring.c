// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ring of records: writing, moving, and telling which are of live objects. Rules, and why they
 * hold, are in ring.h.
 *
 * This is a core: plain data structure, built in the module and in user space.
 *
 * Contexts: put and move in any, NMI included; the rest in a task.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <allocsite/mem.h>
#include <allocsite/ring.h>

#define BUSY	1ULL

static_assert(sizeof(struct asite_record) == 64, "a record is a cache line");

static u64 ticket_of(u64 seq)
{
	return seq >> 1;
}

static size_t places_bytes(const struct asite_ring *ring)
{
	return ring->nr * sizeof(*ring->records);
}

/* Writing. */

/* NULL: a place with such a ticket was not to be had. */
static struct asite_record *claim(struct asite_ring *ring, u64 *ticket)
{
	struct asite_record *place;
	unsigned int i;
	u64 seq;

	for (i = 0; i < ASITE_RING_TRIES; i++) {
		*ticket = atomic_long_inc_return(&ring->next);
		place = &ring->records[*ticket % ring->nr];
		seq = READ_ONCE(place->seq);
		/* A fence: what is written to it is written after. */
		if (!(seq & BUSY) && ticket_of(seq) < *ticket &&
		    cmpxchg(&place->seq, seq, *ticket << 1 | BUSY) == seq)
			return place;
		atomic_long_inc(&ring->passed);
	}
	return NULL;
}

/* An older record may be of an object that this one is of: see ring.h. */
static void lose(struct asite_ring *ring, u64 ticket)
{
	long valid_from = atomic_long_read(&ring->valid_from);

	atomic_long_inc(&ring->lost);
	while (valid_from < (long)ticket &&
	       !atomic_long_try_cmpxchg(&ring->valid_from, &valid_from, (long)ticket))
		;
}

bool asite_ring_put(struct asite_ring *ring, struct asite_record *new)
{
	struct asite_record *place;
	u64 ticket;

	place = claim(ring, &ticket);
	if (place) {
		new->seq = ticket << 1 | BUSY;
		*place = *new;
		/* Pairs with the acquire in copy_record(). */
		smp_store_release(&place->seq, ticket << 1);
	} else {
		lose(ring, ticket);
	}
	/* Before the live word: pairs with the acquire of who looks for it. */
	smp_wmb();
	return place;
}

static bool lies_in(unsigned long object, unsigned long start, unsigned long bytes)
{
	return object - start < bytes && !((object - start) % 8);
}

/*
 * No writer has an object of the caller's under way, so a place that is being written is another's,
 * whose object this cmpxchg does not change, or that is written after.
 */
void asite_ring_move(struct asite_ring *ring, unsigned long to, unsigned long from,
		     unsigned long bytes)
{
	unsigned long object;
	unsigned int i;

	for (i = 0; i < ring->nr; i++) {
		object = READ_ONCE(ring->records[i].object);
		if (object == ASITE_RING_NOBODY)
			continue;
		if (lies_in(object, to, bytes))
			cmpxchg(&ring->records[i].object, object, ASITE_RING_NOBODY);
		else if (lies_in(object, from, bytes))
			cmpxchg(&ring->records[i].object, object, object - from + to);
	}
}

/* Reading. */

/* False: there is none, or it is being written. @newest is raised to what is seen. */
static bool copy_record(const struct asite_record *from, struct asite_record *to, u64 *newest)
{
	/* Pairs with the release in asite_ring_put(). */
	u64 seq = smp_load_acquire(&from->seq), again;

	*newest = max(*newest, ticket_of(seq));
	if (!seq || seq & BUSY)
		return false;
	*to = *from;
	to->seq = seq;
	/* The copy is whole if nobody has claimed the place since. */
	smp_rmb();
	again = READ_ONCE(from->seq);
	*newest = max(*newest, ticket_of(again));
	return again == seq;
}

/* Pass A. */
static void note_live(const struct asite_ring *ring, struct asite_ring_row *rows,
		      bool (*live)(struct asite_ring_row *row))
{
	unsigned int i;
	u64 unused = 0;

	for (i = 0; i < ring->nr; i++) {
		if (!(i % 256))
			cond_resched();
		rows[i].live_seq = 0;
		if (copy_record(&ring->records[i], &rows[i].record, &unused) &&
		    rows[i].record.object != ASITE_RING_NOBODY && live(&rows[i]))
			rows[i].live_seq = rows[i].record.seq;
	}
}

/* Pass B. Those that cannot be copied are left out; returns how many there are. */
static unsigned int copy_all(const struct asite_ring *ring, struct asite_ring_row *rows,
			     u64 *newest)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ring->nr; i++) {
		if (!(i % 256))
			cond_resched();
		if (!copy_record(&ring->records[i], &rows[i].record, newest))
			continue;
		if (rows[i].record.seq != rows[i].live_seq)
			rows[i].live_seq = 0;
		rows[nr++] = rows[i];
	}
	return nr;
}

static int compare_objects(const void *a, const void *b)
{
	const struct asite_ring_row *x = a, *y = b;

	if (x->record.object != y->record.object)
		return x->record.object < y->record.object ? -1 : 1;
	return x->record.seq < y->record.seq ? -1 : x->record.seq > y->record.seq;
}

/* The last of its object, and none that a loss or a newer one casts doubt on. */
static bool is_shown(const struct asite_ring_row *row, const struct asite_ring_row *next,
		     u64 oldest)
{
	return row->live_seq && ticket_of(row->record.seq) > oldest &&
	       (!next || next->record.object != row->record.object);
}

/* Records with a ticket up to this are not shown. */
static u64 oldest_of(const struct asite_ring *ring, u64 newest)
{
	u64 valid_from = atomic_long_read(&ring->valid_from);

	return max(valid_from, newest > ring->nr ? newest - ring->nr : 0);
}

unsigned int asite_ring_live(const struct asite_ring *ring, struct asite_ring_row *rows,
			     bool (*live)(struct asite_ring_row *row))
{
	unsigned int i, nr, shown = 0;
	u64 newest = 0, oldest;

	note_live(ring, rows, live);
	/* All of B after all of A. */
	smp_rmb();
	nr = copy_all(ring, rows, &newest);
	/* What was lost before a word was seen is known by now. */
	smp_rmb();
	oldest = oldest_of(ring, newest);
	cond_resched();
	sort(rows, nr, sizeof(*rows), compare_objects, NULL);
	for (i = 0; i < nr; i++) {
		if (is_shown(&rows[i], i + 1 < nr ? &rows[i + 1] : NULL, oldest))
			rows[shown++] = rows[i];
	}
	return shown;
}

void asite_ring_counts(const struct asite_ring *ring, struct asite_ring_counts *counts)
{
	u64 passed = atomic_long_read(&ring->passed), newest = atomic_long_read(&ring->next);
	u64 valid_from = atomic_long_read(&ring->valid_from), recorded = newest - passed, there = 0;
	unsigned int i;
	u64 ticket;

	for (i = 0; i < ring->nr; i++) {
		ticket = ticket_of(READ_ONCE(ring->records[i].seq));
		if (!ticket || ticket + ring->nr <= newest)
			continue;
		there++;
		counts->dropped += ticket <= valid_from;
	}
	counts->recorded += recorded;
	counts->overwritten += recorded > there ? recorded - there : 0;
	counts->lost += atomic_long_read(&ring->lost);
}

/* Set-up. */

int asite_ring_init(struct asite_ring *ring, unsigned int nr)
{
	ring->nr = nr;
	ring->records = asite_mem_alloc(places_bytes(ring));
	return ring->records ? 0 : -ENOMEM;
}

void asite_ring_destroy(struct asite_ring *ring)
{
	asite_mem_free(ring->records, places_bytes(ring));
	ring->records = NULL;
}

void asite_ring_reset(struct asite_ring *ring)
{
	memset(ring->records, 0, places_bytes(ring));
	atomic_long_set(&ring->next, 0);
	atomic_long_set(&ring->passed, 0);
	atomic_long_set(&ring->lost, 0);
	atomic_long_set(&ring->valid_from, 0);
}
