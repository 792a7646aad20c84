// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved operations on the area table. Areas are numbered; all have one window, in
 * which areas from FILL on can be put beforehand, the area FILL + i at its i-th place.
 * Each operation checks its own result; after each schedule the whole table is checked.
 */
#define AREA_START	40UL	/* of 64 entries: the window wraps */
enum { FILL = 8, AREAS = FILL + ASITE_AREA_WINDOW };

static struct asite_areatab il_areas;
static unsigned long area_addrs[AREAS];
static bool area_live[AREAS];
/* Bytes of an area times this: what resizing changes. */
static u64 area_scale[AREAS];
static unsigned int area_refused;

static u32 area_slot(int n)
{
	return 10 + n;
}

static u64 area_bytes(int n)
{
	return 4096 * (n + 1) * area_scale[n];
}

static void areas_start(void)
{
	int n;

	if (!il_areas.entries) {
		if (asite_areatab_init(&il_areas, 32))
			exit(2);
		for (n = 0; n < AREAS; n++)
			area_addrs[n] = area_at(&il_areas, AREA_START, n);
	}
	asite_areatab_reset(&il_areas);
	memset(area_live, 0, sizeof(area_live));
	memset(flags, 0, sizeof(flags));
	for (n = 0; n < AREAS; n++)
		area_scale[n] = 1;
	area_refused = 0;
}

/* An entry as an insert would leave it. */
static void place_area(int n, unsigned int place)
{
	struct asite_area_entry *e = entry_at(&il_areas, AREA_START, place);

	e->addr = area_addrs[n];
	e->rest = pack_rest(area_slot(n), area_bytes(n));
	area_live[n] = true;
}

/* All places but one are taken. */
static void areas_start_one_place(void)
{
	unsigned int i;

	areas_start();
	for (i = 0; i < ASITE_AREA_WINDOW; i++) {
		if (i != 5)
			place_area(FILL + i, i);
	}
}

/* No place is left, and area 0 is in one. */
static void areas_start_full(void)
{
	areas_start_one_place();
	place_area(0, 5);
}

static void areas_start_three(void)
{
	areas_start();
	place_area(0, 0);
	place_area(1, 1);
	place_area(2, 2);
}

static void area_in(int n, int want)
{
	struct asite_area old = { };

	expect_eq(asite_areatab_insert(&il_areas, area_addrs[n], area_slot(n), area_bytes(n),
				       &old), want);
	if (want == 1)
		expect_area(&old, area_addrs[n], area_slot(n), area_bytes(n) / 2);
	area_live[n] = true;
}

/* There may be no room. */
static void area_in_if_room(int n)
{
	area_live[n] = put_area(&il_areas, area_addrs[n], area_slot(n), area_bytes(n));
	area_refused += !area_live[n];
}

static void area_out(int n)
{
	area_live[n] = false;
	take_area(&il_areas, area_addrs[n], area_slot(n), area_bytes(n));
}

static void area_out_if_in(int n)
{
	if (area_live[n])
		area_out(n);
}

static void area_double(int n)
{
	struct asite_area old = { };

	expect(asite_areatab_resize(&il_areas, area_addrs[n], 2 * area_bytes(n), &old));
	expect_area(&old, area_addrs[n], area_slot(n), area_bytes(n));
	area_scale[n] *= 2;
}

static void areas_check(void)
{
	unsigned int n, live = 0;
	struct asite_area area;
	long place;

	for (n = 0; n < AREAS; n++) {
		place = area_place(&il_areas, area_addrs[n]);
		expect_eq(place >= 0, area_live[n]);
		if (place < 0)
			continue;
		live++;
		read_area(&il_areas.entries[place], area_addrs[n], &area);
		expect_area(&area, area_addrs[n], area_slot(n), area_bytes(n));
	}
	check_areas(&il_areas, live);
}

static void areas_in_out_0(void) { area_in(0, 0); area_out(0); }
static void areas_in_out_1(void) { area_in(1, 0); area_out(1); }
static void areas_in_2(void) { area_in(2, 0); }
static void areas_out_0_in_3(void) { area_out(0); area_in(3, 0); }
static void areas_out_1_in_4(void) { area_out(1); area_in(4, 0); }
static void areas_out_2(void) { area_out(2); }
static void areas_in_out_5(void) { area_in(5, 0); area_out(5); }

static void areas_unknown(void)
{
	expect_no_area(&il_areas, area_addrs[6]);
}

/* -- a place that becomes free, and who takes it ----------------------------- */

static void areas_out_0(void) { area_out(0); }
static void areas_try_1(void) { area_in_if_room(1); area_out_if_in(1); }
static void areas_try_2(void) { area_in_if_room(2); }
static void areas_try_in_1(void) { area_in_if_room(1); }

static void areas_check_one_refused(void)
{
	expect_eq(area_refused, 1);
	areas_check();
}

/* -- hand over, missed frees, sizes ------------------------------------------- */

static void areas_give_1(void) { area_out(1); flags[0] = 1; }
static void areas_reuse_1(void) { il_wait_for(&flags[0]); area_in(1, 0); }

/* Area 2's free was missed; its second life is twice as large. */
static void areas_reuse_stale_2(void) { area_scale[2] = 2; area_in(2, 1); }
static void areas_double_2(void) { area_double(2); area_double(2); }

/* The place of area 0 is area 1's in between. */
static void areas_out_1_in_0_again(void)
{
	area_out(0);
	area_in(1, 0);
	area_out(1);
	area_in(0, 0);
}

/* Its own slot, or none yet: never another's. */
static void areas_look_0(void)
{
	struct asite_area area;

	if (asite_areatab_look(&il_areas, area_addrs[0], &area))
		expect(!area.slot || area.slot == area_slot(0));
}

static const struct il_scenario il_areas_scenarios[] = {
	{ "il_areas_insert_insert", areas_start, areas_check, NULL, 2,
	  { CPU(0, areas_in_out_0), CPU(1, areas_in_out_1) } },
	{ "il_areas_insert_three", areas_start, areas_check, NULL, 1,
	  { CPU(0, areas_in_out_0), CPU(1, areas_in_out_1), CPU(2, areas_in_2) } },
	{ "il_areas_remove_insert", areas_start_three, areas_check, NULL, 2,
	  { CPU(0, areas_out_0_in_3), CPU(1, areas_out_1_in_4) } },
	{ "il_areas_unknown", areas_start_three, areas_check, NULL, 1,
	  { CPU(0, areas_out_0_in_3), CPU(1, areas_out_2), CPU(2, areas_unknown) } },
	{ "il_areas_reuse_place", areas_start_full, areas_check, NULL, 2,
	  { CPU(0, areas_out_0), CPU(1, areas_try_1) } },
	{ "il_areas_last_place", areas_start_one_place, areas_check_one_refused, NULL, 2,
	  { CPU(0, areas_try_in_1), CPU(1, areas_try_2) } },
	{ "il_areas_last_place_reused", areas_start_full, areas_check, NULL, 1,
	  { CPU(0, areas_out_0), CPU(1, areas_try_1), CPU(2, areas_try_2) } },
	{ "il_areas_irq_insert_in_insert", areas_start, areas_check, NULL, 2,
	  { CPU(0, areas_in_out_0), IRQ(0, areas_in_2, 0), IRQ(0, areas_in_out_1, 1) } },
	{ "il_areas_irq_in_remove", areas_start_three, areas_check, NULL, 2,
	  { CPU(0, areas_out_0_in_3), IRQ(0, areas_in_out_5, 0) } },
	{ "il_areas_hand_over", areas_start_three, areas_check, NULL, 1,
	  { CPU(0, areas_give_1), CPU(1, areas_reuse_1), CPU(2, areas_out_0_in_3) } },
	{ "il_areas_missed_free", areas_start_three, areas_check, NULL, 2,
	  { CPU(0, areas_reuse_stale_2), CPU(1, areas_out_0_in_3) } },
	{ "il_areas_look", areas_start_full, areas_check, NULL, 3,
	  { CPU(0, areas_out_1_in_0_again), CPU(1, areas_look_0) } },
	{ "il_areas_resize", areas_start_three, areas_check, NULL, 2,
	  { CPU(0, areas_double_2), CPU(1, areas_out_1_in_4) } },
	{ }
};
