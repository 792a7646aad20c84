// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved writers of a ring, owners of objects, and its reader. Each allocation has a number;
 * what a reader shows was live at some time while it read: not freed before, and published.
 */
#define RING_IDS	32

/* By number of the allocation: its word was cleared, or replaced. */
static bool ring_dead[RING_IDS];
/* Number of the allocation of each object. */
static int ring_owner[RING_OBJECTS];
static int ring_moves_begun, ring_moves_done;

static void il_ring_start(void)
{
	if (!case_ring.records && asite_ring_init(&case_ring, 2))
		exit(2);
	asite_ring_reset(&case_ring);
	memset(ring_words, 0, sizeof(ring_words));
	memset(ring_dead, 0, sizeof(ring_dead));
	memset(ring_owner, 0, sizeof(ring_owner));
	memset(flags, 0, sizeof(flags));
	ring_moves_begun = 0;
	ring_moves_done = 0;
	ring_last_id = 0;
	ring_newest = 0;
}

static void ring_in(int n)
{
	ring_owner[n] = ring_alloc(n, RING_SLOT);
}

static void ring_out(int n)
{
	WRITE_ONCE(ring_words[n], 0);
	ring_dead[ring_owner[n]] = true;
}

static void ring_start_live(void)
{
	il_ring_start();
	ring_in(0);
	ring_in(1);
}

/* The same address, the same slot. */
static void ring_out_in_0(void) { ring_out(0); ring_in(0); }
static void ring_out_in_1(void) { ring_out(1); ring_in(1); ring_out(1); }
static void ring_in_2_3(void) { ring_in(2); ring_in(3); }
static void ring_in_4_out(void) { ring_in(4); ring_out(4); }

static void ring_reader(void)
{
	bool dead[RING_IDS];
	unsigned int i, nr;
	int done = READ_ONCE(ring_moves_done);

	memcpy(dead, ring_dead, sizeof(dead));
	nr = ring_read();
	if (READ_ONCE(ring_moves_begun) != done)
		return;
	for (i = 0; i < nr; i++) {
		expect(ring_rows[i].record.pid > 0 && ring_rows[i].record.pid <= ring_last_id);
		expect(!dead[ring_rows[i].record.pid]);
		expect(ring_published[ring_rows[i].record.pid]);
	}
}

/* As context.c and the page map do it: records, then words, between two counts. */
static void ring_migrate_0_to_5(void)
{
	WRITE_ONCE(ring_moves_begun, 1);
	asite_ring_move(&case_ring, ring_object(5), ring_object(0), 64);
	WRITE_ONCE(ring_words[5], ring_words[0]);
	ring_owner[5] = ring_owner[0];
	WRITE_ONCE(ring_words[0], 0);
	WRITE_ONCE(ring_moves_done, 1);
	ring_in(0);
}

/* An earlier object was where the page goes. */
static void ring_start_move(void)
{
	il_ring_start();
	ring_in(5);
	ring_out(5);
	ring_in(0);
}

/* At rest each live object is shown, if its record is one of the newest, and nothing else. */
static void il_ring_check(void)
{
	unsigned int i, nr = ring_read(), found = 0;
	u64 newest = 0;

	for (i = 0; i < RING_OBJECTS; i++) {
		if (ring_words[i])
			found += ring_shown(nr, ring_owner[i]);
	}
	expect_eq(found, nr);
	for (i = 0; i < case_ring.nr; i++) {
		expect(!(case_ring.records[i].seq & BUSY));
		newest = max(newest, ticket_of(case_ring.records[i].seq));
	}
	expect_eq(newest, ring_newest);
	if (!atomic_long_read(&case_ring.passed))
		expect(!atomic_long_read(&case_ring.lost));
}

static const struct il_scenario il_ring_scenarios[] = {
	{ "il_ring_reader", ring_start_live, il_ring_check, NULL, 3,
	  { CPU(0, ring_out_in_0), CPU(1, ring_reader) } },
	{ "il_ring_reader_two", ring_start_live, il_ring_check, NULL, 2,
	  { CPU(0, ring_out_in_0), CPU(1, ring_out_in_1), CPU(2, ring_reader) } },
	{ "il_ring_wraps", ring_start_live, il_ring_check, NULL, 2,
	  { CPU(0, ring_out_in_0), CPU(1, ring_in_2_3), CPU(2, ring_reader) } },
	{ "il_ring_irq", ring_start_live, il_ring_check, NULL, 2,
	  { CPU(0, ring_out_in_0), IRQ(0, ring_in_4_out, 0), IRQ(0, ring_in_2_3, 1),
	    CPU(1, ring_reader) } },
	{ "il_ring_move", ring_start_move, il_ring_check, NULL, 3,
	  { CPU(0, ring_migrate_0_to_5), CPU(1, ring_reader) } },
	{ }
};
