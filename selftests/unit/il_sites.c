// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved operations on the site table. Events are counted in the order of
 * track.c: allocation, then (with the object) its free, or `untracked`. After
 * each schedule the index, the slots and all sums are checked.
 */
#define IL_KEYS	4

/* Keys whose search starts at one place. */
static unsigned long callers[IL_KEYS];
/* Events counted per key by the tasks: the model. */
static int events[IL_KEYS];
static unsigned int retired;

static void il_describe(struct asite_site *site)
{
	shim_yield(site, SHIM_WRITE);
	site->size = site->sub;
	shim_yield(site, SHIM_WRITE);
	site->object_size = 60;
}

static void il_kick(struct asite_sitetab *t)
{
	shim_yield(t, SHIM_RMW);
}

static const struct asite_sites_ops il_sites_ops = {
	.describe = il_describe,
	.kick = il_kick,
};

/* The index' real mask; a small part of it is used, which is soon checked. */
static unsigned long whole_mask;

static void sites_make(unsigned int max_sites)
{
	int i;

	memset(events, 0, sizeof(events));
	memset(flags, 0, sizeof(flags));
	if (asite_sites_init(&sites_tab, max_sites, 0, &il_sites_ops))
		exit(2);
	whole_mask = sites_tab.index_mask;
	sites_tab.index_mask = 15 * sizeof(struct asite_key);
	sites_tab.mask_bytes = sites_tab.index_mask;
	for (i = 0; i < IL_KEYS && !callers[i]; i++)
		callers[i] = same_start(CASE_TEXT, i);
}

static void sites_drop(void)
{
	sites_tab.index_mask = whole_mask;
	sites_tab.mask_bytes = whole_mask;
	asite_sites_destroy(&sites_tab);
}

static void sites_start(void)
{
	retired = 0;
	memset(events, 0, sizeof(events));
	memset(flags, 0, sizeof(flags));
	if (sites_tab.index)
		asite_sites_reset(&sites_tab);
	else
		sites_make(40);
}

static struct asite_key *event(int n)
{
	struct asite_key *key = find_kmalloc(callers[n], 64);

	if (!expect(key->counts))
		key = &sites_tab.overflow;
	this_cpu_inc(key->counts->allocs);
	events[n]++;
	return key;
}

static void free_event(struct asite_key *key)
{
	struct asite_counts *counts = asite_sites_counts(&sites_tab, slot_of(key));

	this_cpu_inc(counts->frees);
}

/* Every entry names a slot of its own, wholly described; none is left claimed. */
static void check_index(void)
{
	static unsigned char seen[8 * ASITE_BATCH_SLOTS];
	struct asite_site *site;
	struct asite_key *key;
	unsigned long i;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < asite_sites_entries(&sites_tab); i++) {
		key = &sites_tab.index[i];
		expect(key->caller != ASITE_KEY_CLAIMED);
		if (key->caller <= ASITE_KEY_DEAD)
			continue;
		expect(slot_of(key) > 0 && slot_of(key) < asite_sites_used(&sites_tab));
		expect(!seen[slot_of(key)]++);
		expect(key->counts == asite_sites_counts(&sites_tab, slot_of(key)));
		site = asite_sites_site(&sites_tab, slot_of(key));
		if (expect(site) && key->caller != ASITE_KEY_OVERFLOW)
			expect(site->caller == asite_key_caller(key) && site->sub == key->sub &&
			       site->object_size == 60 && site->state == ASITE_SITE_LIVE);
	}
}

static int caller_number(const struct asite_site *site)
{
	int i;

	for (i = 0; i < IL_KEYS && site->caller != callers[i]; i++)
		;
	return i;
}

/* What was counted because there was no slot. */
static u64 overflow_allocs(void)
{
	struct asite_sum sum;
	u64 all = 0;
	unsigned int slot;

	for (slot = 0; slot < FIRST_SLOT; slot++) {
		asite_sites_sum(&sites_tab, slot, &sum);
		all += sum.allocs;
	}
	return all;
}

/* Per key, over all of its slots, what was counted; the rest overflowed. */
static void sites_check(void)
{
	int got[IL_KEYS] = { }, all = 0, want = 0, i;
	unsigned int slot;

	check_index();
	for (slot = 0; slot < asite_sites_used(&sites_tab); slot++) {
		struct asite_site *site = asite_sites_site(&sites_tab, slot);
		struct asite_sum sum;

		asite_sites_sum(&sites_tab, slot, &sum);
		expect(sum.allocs >= sum.frees + sum.untracked);
		all += sum.allocs;
		if (slot < FIRST_SLOT && !site)
			continue;
		if (expect(site) && caller_number(site) < IL_KEYS)
			got[caller_number(site)] += sum.allocs;
	}
	for (i = 0; i < IL_KEYS; i++) {
		want += events[i];
		expect(got[i] <= events[i]);
	}
	expect_eq(all, want);
}

/* Nothing overflowed: every key has all of its events. */
static void sites_check_no_overflow(void)
{
	sites_check();
	expect_eq(overflow_allocs(), 0);
	expect_eq(atomic_long_read(&sites_tab.full) + atomic_long_read(&sites_tab.late), 0);
}

/* -- claiming ---------------------------------------------------------------- */

static void event_0_twice(void)
{
	struct asite_key *first = event(0);

	/* A published key stays: the second search may find another, not none. */
	expect(!overflowed(event(0)) || overflowed(first));
}

static void event_0(void) { event(0); }
static void event_1(void) { event(1); }
static void event_1_and_0(void) { event(1); event(0); }
static void event_2(void) { event(2); }

/* -- the last slot ------------------------------------------------------------ */

static void sites_start_last(void)
{
	sites_start();
	atomic_set(&sites_tab.next, sites_tab.nr_ready - 1);
}

/* One key got the slot; the others are counted by cause. */
static void sites_check_last(void)
{
	u64 over = overflow_allocs();
	struct asite_sum last;

	check_index();
	expect_eq(asite_sites_used(&sites_tab), sites_tab.nr_ready);
	asite_sites_sum(&sites_tab, sites_tab.nr_ready - 1, &last);
	expect_eq(over + last.allocs, 4);
	expect(last.allocs >= 1);
	expect_eq(atomic_long_read(&sites_tab.full), over);
	expect_eq(atomic_long_read(&sites_tab.late), 0);
}

/* -- growing ------------------------------------------------------------------- */

/* One slot left of the first batch, then none until grown. */
#define READY_AT_START	(ASITE_OVERFLOW_SLOTS + FIRST_READY)

static void sites_start_grow(void)
{
	if (sites_tab.index)
		sites_drop();
	sites_make(FIRST_READY + ASITE_BATCH_SLOTS);
	atomic_set(&sites_tab.next, READY_AT_START - 1);
}

static void grow_once(void)
{
	expect_eq(asite_sites_grow(&sites_tab), 0);
}

static void sites_check_grow(void)
{
	u64 all = 0, over = overflow_allocs();
	struct asite_sum sum;
	unsigned int slot;

	check_index();
	expect_eq(sites_tab.nr_ready, READY_AT_START + ASITE_BATCH_SLOTS);
	expect_eq(atomic_long_read(&sites_tab.late), over);
	expect_eq(atomic_long_read(&sites_tab.full), 0);
	for (slot = READY_AT_START - 1; slot < asite_sites_used(&sites_tab); slot++) {
		expect(asite_sites_site(&sites_tab, slot));
		asite_sites_sum(&sites_tab, slot, &sum);
		all += sum.allocs;
	}
	expect_eq(all + over, 4);
	/* Now there is room: no key may be lost for good. */
	expect(!overflowed(find_kmalloc(callers[3], 64)));
}

/* -- retiring -------------------------------------------------------------------- */

static bool il_match(struct asite_site *site, void *data)
{
	return site->caller == callers[0];
}

static void sites_start_retire(void)
{
	sites_start();
	event(0);
}

static void retire_0(void)
{
	expect_eq(asite_sites_retire(&sites_tab, il_match, NULL), 1);
	flags[0] = 1;
}

/* A later module at the same address: never the old slot, which was the first. */
static void event_0_after_retire(void)
{
	il_wait_for(&flags[0]);
	expect(slot_of(event(0)) > FIRST_SLOT);
}

static void retire_any(void)
{
	retired += asite_sites_retire(&sites_tab, il_match, NULL);
}

/* Each key died once, and was counted by who killed it. */
static void sites_check_retired(void)
{
	unsigned int dead = 0, n = 0;
	unsigned long i;

	sites_check();
	/* The first entry holds no key. */
	for (i = 1; i < asite_sites_entries(&sites_tab); i++) {
		dead += sites_tab.index[i].caller == ASITE_KEY_DEAD;
		n += sites_tab.index[i].caller != ASITE_KEY_EMPTY;
	}
	expect_eq(retired, dead);
	expect_eq(atomic_read(&sites_tab.dead_keys), dead);
	expect_eq(n, asite_sites_used(&sites_tab) - FIRST_SLOT);
}

/* -- watching -------------------------------------------------------------------- */

static void watch_0(bool watch)
{
	expect(asite_sites_watch(&sites_tab, FIRST_SLOT, watch));
}

static void watch_and_not(void)
{
	watch_0(true);
	watch_0(false);
	watch_0(true);
}

/* Whichever form it had when it was looked for: one key, one slot. */
static void sites_check_watched(void)
{
	sites_check();
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + 2);
	expect(asite_key_watched(asite_sites_lookup(&sites_tab, callers[0], 64)));
}

/* A key that is there dies, whatever form it takes meanwhile. */
static void sites_check_watch_retire(void)
{
	sites_check_retired();
	expect_eq(retired, 1);
}

/* It may be dead by then. */
static void try_to_watch(void)
{
	asite_sites_watch(&sites_tab, FIRST_SLOT, true);
	asite_sites_watch(&sites_tab, FIRST_SLOT, false);
}

/* -- reading ------------------------------------------------------------------------ */

static struct asite_key *shared_key;

static void sites_start_read(void)
{
	sites_start();
	shared_key = find_kmalloc(callers[0], 64);
}

static void alloc_here_free_there(void)
{
	event(0);
	flags[0] = 1;
	event(0);
	free_event(shared_key);
}

static void free_there(void)
{
	il_wait_for(&flags[0]);
	free_event(shared_key);
	event(0);
	this_cpu_inc(shared_key->counts->untracked);
}

static void read_sums(void)
{
	struct asite_sum sum;
	int i;

	for (i = 0; i < 2; i++) {
		asite_sites_sum(&sites_tab, FIRST_SLOT, &sum);
		expect(sum.allocs >= sum.frees + sum.untracked && sum.live <= 3);
	}
}

static void sites_check_read(void)
{
	struct asite_sum sum;

	sites_check();
	asite_sites_sum(&sites_tab, FIRST_SLOT, &sum);
	expect(sum.allocs == 3 && sum.frees == 2 && sum.untracked == 1 && sum.live == 0);
}

/* A reader meets slots while they are made: all of a description, or none. */
static void read_sites(void)
{
	struct asite_site *site;
	unsigned int i;

	for (i = FIRST_SLOT; i < asite_sites_used(&sites_tab); i++) {
		site = asite_sites_site(&sites_tab, i);
		if (site)
			expect(site->caller >= CASE_TEXT && site->sub == 64 &&
			       site->size == 64 && site->object_size == 60);
	}
}

/* -- an epoch ------------------------------------------------------------------------- */

static void event_0_then_detach(void) { event(0); flags[0] = 1; }
static void event_1_then_detach(void) { event(1); flags[1] = 1; }

static void sites_new_epoch(void)
{
	il_wait_for(&flags[0]);
	il_wait_for(&flags[1]);
	asite_sites_reset(&sites_tab);
	memset(events, 0, sizeof(events));
	flags[2] = 1;
	event(1);
}

static void sites_attach_again(void)
{
	il_wait_for(&flags[2]);
	event(0);
}

static const struct il_scenario il_sites_scenarios[] = {
	{ "il_sites_same_key", sites_start, sites_check_no_overflow, NULL, 3,
	  { CPU(0, event_0_twice), CPU(1, event_0) } },
	{ "il_sites_same_key_three", sites_start, sites_check_no_overflow, NULL, 2,
	  { CPU(0, event_0), CPU(1, event_0), CPU(2, event_0_twice) } },
	{ "il_sites_irq_same_key", sites_start, sites_check_no_overflow, NULL, 3,
	  { CPU(0, event_0_twice), IRQ(0, event_0, 0), IRQ(0, event_0, 1) } },
	{ "il_sites_colliding_keys", sites_start, sites_check_no_overflow, NULL, 2,
	  { CPU(0, event_0_twice), CPU(1, event_1_and_0), CPU(2, event_2) } },
	{ "il_sites_last_slot", sites_start_last, sites_check_last, NULL, 2,
	  { CPU(0, event_0_twice), CPU(1, event_1), CPU(2, event_2) } },
	{ "il_sites_irq_last_slot", sites_start_last, sites_check_last, NULL, 2,
	  { CPU(0, event_0_twice), IRQ(0, event_1, 0), CPU(1, event_2) } },
	{ "il_sites_grow_claim", sites_start_grow, sites_check_grow, sites_drop, 2,
	  { CPU(0, event_0_twice), CPU(1, event_1_and_0), CPU(2, grow_once) } },
	{ "il_sites_retire", sites_start_retire, sites_check, NULL, 2,
	  { CPU(0, retire_0), CPU(1, event_1), CPU(2, event_0_after_retire) } },
	{ "il_sites_retire_twice", sites_start_retire, sites_check_retired, NULL, 2,
	  { CPU(0, retire_any), CPU(1, retire_any), CPU(2, event_1_and_0) } },
	{ "il_sites_retire_claim", sites_start, sites_check_retired, NULL, 2,
	  { CPU(0, retire_any), CPU(1, event_0), CPU(2, event_1_and_0) } },
	{ "il_sites_watch", sites_start_retire, sites_check_watched, NULL, 2,
	  { CPU(0, event_0_twice), CPU(1, watch_and_not), CPU(2, event_1_and_0) } },
	{ "il_sites_watch_retire", sites_start_retire, sites_check_watch_retire, NULL, 2,
	  { CPU(0, retire_any), CPU(1, try_to_watch), CPU(2, event_1_and_0) } },
	{ "il_sites_reader_never_negative", sites_start_read, sites_check_read, NULL, 2,
	  { CPU(0, alloc_here_free_there), CPU(1, free_there), CPU(2, read_sums) } },
	{ "il_sites_reader_whole_description", sites_start, sites_check_no_overflow, NULL, 2,
	  { CPU(0, event_0), CPU(1, event_1), CPU(2, read_sites) } },
	{ "il_sites_epoch", sites_start, sites_check_no_overflow, NULL, 1,
	  { CPU(0, event_0_then_detach), CPU(1, event_1_then_detach),
	    CPU(2, sites_new_epoch), CPU(3, sites_attach_again) } },
	{ }
};
