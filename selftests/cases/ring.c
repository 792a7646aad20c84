// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ring of records: which are shown. The table of live words is an array here, one for each of a
 * few objects; a record's pid is a number of the allocation.
 */
#define RING_OBJECTS	24
#define RING_SLOT	300U

static struct asite_ring case_ring;
/* Slot of the live object; 0: none. */
static u32 ring_words[RING_OBJECTS];
static int ring_last_id;
/* By number of the allocation: it was, or is about to be, live. */
static bool ring_published[16384];
/* The newest that was written. */
static u64 ring_newest;
static struct asite_ring_row ring_rows[64];

static unsigned long ring_object(unsigned int n)
{
	return CASE_BASE + 64 * n;
}

static bool ring_is_live(struct asite_ring_row *row)
{
	unsigned long n = (row->record.object - CASE_BASE) / 64;

	row->bytes = 64;
	return n < RING_OBJECTS && READ_ONCE(ring_words[n]) == row->record.slot;
}

static int ring_init(unsigned int nr)
{
	memset(&case_ring, 0, sizeof(case_ring));
	memset(ring_words, 0, sizeof(ring_words));
	ring_last_id = 0;
	ring_newest = 0;
	return asite_ring_init(&case_ring, nr);
}

static int ring_end(int err)
{
	asite_ring_destroy(&case_ring);
	return err;
}

/* Record, then publish; returns the number of the allocation. */
static int ring_alloc(unsigned int n, u32 slot)
{
	struct asite_record record = { .object = ring_object(n), .slot = slot };

	record.pid = ++ring_last_id;
	ring_published[record.pid] = false;
	if (asite_ring_put(&case_ring, &record))
		ring_newest = max(ring_newest, ticket_of(record.seq));
	/* Others may go on in between. */
	(void)READ_ONCE(ring_words[n]);
	ring_published[record.pid] = true;
	WRITE_ONCE(ring_words[n], slot);
	return record.pid;
}

static unsigned int ring_read(void)
{
	return asite_ring_live(&case_ring, ring_rows, ring_is_live);
}

/* Is this allocation among those that were read? */
static bool ring_shown(unsigned int nr, int id)
{
	unsigned int i, times = 0;

	for (i = 0; i < nr; i++)
		times += ring_rows[i].record.pid == id;
	expect(times <= 1);
	return times;
}

static int test_ring_live_only(void)
{
	struct asite_ring_counts counts = {};
	int a, b, c;
	unsigned int nr;

	if (ring_init(16))
		return -ENOMEM;
	expect_eq(ring_read(), 0);
	a = ring_alloc(1, RING_SLOT);
	b = ring_alloc(2, RING_SLOT + 1);
	c = ring_alloc(3, RING_SLOT);
	nr = ring_read();
	expect(nr == 3 && ring_shown(nr, a) && ring_shown(nr, b) && ring_shown(nr, c));
	expect_eq(ring_rows[0].bytes, 64);
	ring_words[2] = 0;
	nr = ring_read();
	expect(nr == 2 && ring_shown(nr, a) && ring_shown(nr, c));
	/* Another site's object at the same address. */
	ring_words[1] = RING_SLOT + 1;
	nr = ring_read();
	expect(nr == 1 && ring_shown(nr, c));
	asite_ring_counts(&case_ring, &counts);
	expect(counts.recorded == 3 && !counts.overwritten && !counts.lost && !counts.dropped);
	return ring_end(0);
}

/* The same address from the same slot, again and again: the last one's record is its. */
static int test_ring_same_address(void)
{
	int last = 0, i;
	unsigned int nr;

	if (ring_init(16))
		return -ENOMEM;
	for (i = 0; i < 10; i++) {
		last = ring_alloc(5, RING_SLOT);
		nr = ring_read();
		expect(nr == 1 && ring_shown(nr, last));
	}
	/* Recorded, and not live yet, nor will it be: there was no room. */
	ring_words[5] = 0;
	ring_alloc(5, RING_SLOT);
	ring_words[5] = 0;
	expect_eq(ring_read(), 0);
	return ring_end(0);
}

static int test_ring_keeps_newest(void)
{
	struct asite_ring_counts counts = {};
	unsigned int i, nr;

	if (ring_init(5))
		return -ENOMEM;
	for (i = 0; i < 13; i++)
		ring_alloc(i, RING_SLOT);
	nr = ring_read();
	expect_eq(nr, 5);
	for (i = 0; i < 13; i++)
		expect_eq(ring_shown(nr, i + 1), i >= 8);
	asite_ring_counts(&case_ring, &counts);
	expect(counts.recorded == 13 && counts.overwritten == 8 && !counts.lost);
	asite_ring_reset(&case_ring);
	expect_eq(ring_read(), 0);
	i = ring_alloc(3, RING_SLOT);
	nr = ring_read();
	expect(nr == 1 && ring_shown(nr, i));
	return ring_end(0);
}

/* As writers that were interrupted leave places. */
static void ring_interrupt(unsigned int first, unsigned int nr)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		case_ring.records[i % case_ring.nr].seq |= BUSY;
}

static void ring_go_on(void)
{
	unsigned int i;

	for (i = 0; i < case_ring.nr; i++)
		case_ring.records[i].seq &= ~BUSY;
}

/* Places that are being written are passed over; what they had is as good as overwritten. */
static int test_ring_passes_over(void)
{
	struct asite_ring_counts counts = {};
	unsigned int i, nr;
	int id;

	if (ring_init(8))
		return -ENOMEM;
	for (i = 0; i < 8; i++)
		ring_alloc(i, RING_SLOT);
	/* Ticket 9's and 10's. */
	ring_interrupt(1, 2);
	id = ring_alloc(10, RING_SLOT);
	expect_eq(case_ring.records[3].pid, id);
	expect_eq(ring_read(), 6);
	ring_go_on();
	nr = ring_read();
	expect(nr == 6 && ring_shown(nr, id) && ring_shown(nr, 4) && !ring_shown(nr, 1) &&
	       !ring_shown(nr, 2) && !ring_shown(nr, 3));
	asite_ring_counts(&case_ring, &counts);
	expect(counts.recorded == 9 && counts.overwritten == 3 && !counts.lost);
	return ring_end(0);
}

/* Lost: older records are not shown any more, since one may be of the same address. */
static int test_ring_lost(void)
{
	struct asite_ring_counts counts = {};
	unsigned int i, nr;
	int id;

	if (ring_init(16))
		return -ENOMEM;
	for (i = 0; i < 6; i++)
		ring_alloc(i, RING_SLOT);
	/* Tickets 7 to 10; then object 2 is another one, from the same slot. */
	ring_interrupt(7, ASITE_RING_TRIES);
	ring_alloc(2, RING_SLOT);
	expect_eq(ring_read(), 0);
	ring_go_on();
	expect_eq(ring_read(), 0);
	asite_ring_counts(&case_ring, &counts);
	expect(counts.recorded == 6 && counts.lost == 1 && counts.dropped == 6);
	id = ring_alloc(9, RING_SLOT);
	nr = ring_read();
	expect(nr == 1 && ring_shown(nr, id));
	return ring_end(0);
}

static int test_ring_lost_from_one(void)
{
	struct asite_ring_counts counts = {};

	if (ring_init(1))
		return -ENOMEM;
	ring_alloc(1, RING_SLOT);
	expect_eq(ring_read(), 1);
	ring_interrupt(0, 1);
	ring_alloc(2, RING_SLOT);
	ring_go_on();
	expect_eq(ring_read(), 0);
	asite_ring_counts(&case_ring, &counts);
	expect(counts.recorded == 1 && counts.lost == 1);
	return ring_end(0);
}

/* A writer that was interrupted before it had its place: a newer record is in it. */
static int test_ring_late_ticket(void)
{
	unsigned int nr;
	int i, id = 0;

	if (ring_init(2))
		return -ENOMEM;
	for (i = 0; i < 4; i++)
		id = ring_alloc(i, RING_SLOT);
	/* Ticket 2 comes late: its place has 4, that of 3 and 4 these. */
	atomic_long_set(&case_ring.next, 1);
	i = ring_alloc(9, RING_SLOT);
	nr = ring_read();
	expect(nr == 2 && ring_shown(nr, i) && ring_shown(nr, id));
	return ring_end(0);
}

static int test_ring_move(void)
{
	unsigned int nr;
	int a, b, other;

	if (ring_init(16))
		return -ENOMEM;
	a = ring_alloc(0, RING_SLOT);
	b = ring_alloc(1, RING_SLOT);
	other = ring_alloc(2, RING_SLOT);
	/* Of an earlier object where they go, and of one that is none of these. */
	ring_alloc(8, RING_SLOT);
	ring_alloc(7, RING_SLOT);
	asite_ring_move(&case_ring, ring_object(8), ring_object(0), 128);
	ring_words[8] = RING_SLOT;
	ring_words[9] = RING_SLOT;
	ring_words[0] = 0;
	ring_words[1] = 0;
	nr = ring_read();
	expect(nr == 4 && ring_shown(nr, a) && ring_shown(nr, b) && ring_shown(nr, other));
	/* What takes their place has no record of theirs. */
	ring_words[0] = RING_SLOT;
	ring_words[1] = RING_SLOT;
	expect_eq(ring_read(), 4);
	/* Numbers in between are not theirs. */
	asite_ring_move(&case_ring, ring_object(20) + 1, ring_object(8) + 1, 128);
	expect_eq(ring_read(), 4);
	return ring_end(0);
}

/* At rest: those of the newest that are the last of their object, and live. */
static int test_ring_random(void)
{
	unsigned int i, n, nr, want, step, rng = 12345;
	int last[RING_OBJECTS] = {};

	if (ring_init(16))
		return -ENOMEM;
	for (step = 0; step < 5000; step++) {
		rng = rng * 1103515245 + 12345;
		n = rng >> 16 & 15;
		if (ring_words[n])
			ring_words[n] = 0;
		else if (rng >> 28 < 12)
			last[n] = ring_alloc(n, RING_SLOT + (rng >> 27 & 1));
		nr = ring_read();
		for (i = 0, want = 0; i < RING_OBJECTS; i++) {
			if (!ring_words[i] || last[i] <= ring_last_id - 16)
				continue;
			want++;
			expect(ring_shown(nr, last[i]));
		}
		if (!expect_eq(nr, want))
			break;
	}
	return ring_end(0);
}

static int test_ring_out_of_memory(void)
{
	memset(&case_ring, 0, sizeof(case_ring));
	case_fail_nth(1);
	expect_eq(asite_ring_init(&case_ring, 100), -ENOMEM);
	case_fail_nth(0);
	return ring_end(0);
}

static const struct case_entry ring_cases[] = {
	{ "ring_live_only", test_ring_live_only },
	{ "ring_same_address", test_ring_same_address },
	{ "ring_keeps_newest", test_ring_keeps_newest },
	{ "ring_passes_over", test_ring_passes_over },
	{ "ring_lost", test_ring_lost },
	{ "ring_lost_from_one", test_ring_lost_from_one },
	{ "ring_late_ticket", test_ring_late_ticket },
	{ "ring_move", test_ring_move },
	{ "ring_random", test_ring_random },
	{ "ring_out_of_memory", test_ring_out_of_memory },
	{ }
};
