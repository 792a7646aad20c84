// SPDX-License-Identifier: GPL-2.0-only
/*
 * Area table: what an entry holds, windows that are full or wrap, missed frees and
 * set-up. The helpers are for random.c, stress.c and the interleaver too.
 */

/* 256 entries. */
#define CASE_AREAS	128UL
#define CASE_ENTRIES	(2 * CASE_AREAS)
/* Where vmalloc begins, without KASLR. */
#define CASE_VMALLOC	0xffffc90000000000UL
#define CASE_PERCPU	0x607ec4000000UL
#define CASE_AREA_MAX	((1ULL << ASITE_AREA_BYTES_BITS) - 1)

static struct asite_areatab areas_tab;

static int areas_init(unsigned long max_areas)
{
	memset(&areas_tab, 0, sizeof(areas_tab));
	return asite_areatab_init(&areas_tab, max_areas);
}

static int areas_end(int err)
{
	asite_areatab_destroy(&areas_tab);
	return err;
}

/* Where an address stands; -1 if nowhere, -2 if twice. */
static long area_place(const struct asite_areatab *t, unsigned long addr)
{
	unsigned long i;
	long place = -1;

	for (i = 0; i <= t->mask; i++) {
		if (t->entries[i].addr == addr)
			place = place == -1 ? (long)i : -2;
	}
	return place;
}

/* At rest: each address once, in its window. */
static bool check_areas(const struct asite_areatab *t, unsigned long live)
{
	unsigned long i, addr, n = 0;
	bool ok = true;

	for (i = 0; i <= t->mask; i++) {
		addr = t->entries[i].addr;
		if (!addr) {
			ok &= expect_eq(t->entries[i].rest, 0);
			continue;
		}
		n++;
		ok &= expect(((i - window_start(addr)) & t->mask) < ASITE_AREA_WINDOW);
		ok &= expect_eq(area_place(t, addr), i);
	}
	return ok & expect_eq(n, live);
}

/* The n-th page of the vmalloc space (from 0) whose window begins at @start. */
static unsigned long area_at(const struct asite_areatab *t, unsigned long start, unsigned int n)
{
	unsigned long addr;

	for (addr = CASE_VMALLOC;; addr += 4096) {
		if (((window_start(addr) ^ start) & t->mask) == 0 && !n--)
			return addr;
	}
}

/* An insert that finds nothing of its own. */
static bool put_area(struct asite_areatab *t, unsigned long addr, u32 slot, u64 bytes)
{
	struct asite_area old = { 1, 2, 3 };
	int got = asite_areatab_insert(t, addr, slot, bytes, &old);

	expect(got == 0 || got == -ENOSPC);
	expect(old.addr == 1 && old.bytes == 2 && old.slot == 3);
	return !got;
}

static void expect_area(const struct asite_area *area, unsigned long addr, u32 slot, u64 bytes)
{
	expect_eq(area->addr, addr);
	expect_eq(area->slot, slot);
	expect_eq(area->bytes, bytes);
}

static void take_area(struct asite_areatab *t, unsigned long addr, u32 slot, u64 bytes)
{
	struct asite_area old = { };

	expect(asite_areatab_follows(t, addr));
	expect(asite_areatab_remove(t, addr, &old));
	expect_area(&old, addr, slot, bytes);
}

static void expect_no_area(struct asite_areatab *t, unsigned long addr)
{
	struct asite_area old = { 1, 2, 3 };

	expect(!asite_areatab_follows(t, addr));
	expect(!asite_areatab_remove(t, addr, &old));
	expect(!asite_areatab_resize(t, addr, 4096, &old));
	expect(old.addr == 1 && old.bytes == 2 && old.slot == 3);
}

/* An area alone, in each window: in its first entry, found once, then unknown. */
static int test_areas_insert_remove(void)
{
	struct asite_areatab *t = &areas_tab;
	unsigned long start, addr;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	for (start = 0; start < CASE_ENTRIES; start++) {
		addr = area_at(t, start, 0);
		expect_no_area(t, addr);
		expect(put_area(t, addr, 7, 8192));
		expect_eq(area_place(t, addr), start);
		expect_eq(asite_areatab_count(t), 1);
		take_area(t, addr, 7, 8192);
		expect_no_area(t, addr);
	}
	check_areas(t, 0);
	return areas_end(0);
}

/* Smallest and largest of each part, in all combinations. */
static int test_areas_extremes(void)
{
	static const unsigned long addrs[] = { 1, 4, CASE_PERCPU, CASE_VMALLOC, ~0UL };
	static const u32 slots[] = { 0, 1, ASITE_MAX_SITES_LIMIT - 1 };
	static const u64 sizes[] = { 0, 4, 4096, CASE_AREA_MAX };
	struct asite_areatab *t = &areas_tab;
	unsigned int i, addr, slot, size;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(addrs) * ARRAY_SIZE(slots) * ARRAY_SIZE(sizes); i++) {
		addr = i % ARRAY_SIZE(addrs);
		slot = i / ARRAY_SIZE(addrs) % ARRAY_SIZE(slots);
		size = i / ARRAY_SIZE(addrs) / ARRAY_SIZE(slots);
		expect(put_area(t, addrs[addr], slots[slot], sizes[size]));
		take_area(t, addrs[addr], slots[slot], sizes[size]);
	}
	check_areas(t, 0);
	return areas_end(0);
}

/* Every bit of the address tells two areas apart. */
static int test_areas_every_address_bit(void)
{
	struct asite_areatab *t = &areas_tab;
	unsigned int bit;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	for (bit = 0; bit < 64; bit++) {
		unsigned long other = CASE_VMALLOC ^ 1UL << bit;

		expect(put_area(t, CASE_VMALLOC, 1, 4096));
		expect_no_area(t, other);
		expect(put_area(t, other, 2, 8192));
		take_area(t, CASE_VMALLOC, 1, 4096);
		expect_no_area(t, CASE_VMALLOC);
		take_area(t, other, 2, 8192);
	}
	check_areas(t, 0);
	return areas_end(0);
}

/* 0 is nobody's, though an empty entry looks like it; more bytes than fit are refused. */
static int test_areas_not_taken(void)
{
	struct asite_areatab *t = &areas_tab;
	struct asite_area old = { };

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	expect_no_area(t, 0);
	expect(!put_area(t, 0, 1, 4096));
	expect_no_area(t, 0);
	expect(!put_area(t, CASE_VMALLOC, 1, CASE_AREA_MAX + 1));
	expect_no_area(t, CASE_VMALLOC);
	expect(put_area(t, CASE_VMALLOC, 1, CASE_AREA_MAX));
	expect(!asite_areatab_resize(t, CASE_VMALLOC, CASE_AREA_MAX + 1, &old));
	expect_area(&old, 0, 0, 0);
	take_area(t, CASE_VMALLOC, 1, CASE_AREA_MAX);
	check_areas(t, 0);
	return areas_end(0);
}

/* Fill the window that begins at @start with areas of its own, numbered from 0. */
static void fill_window(struct asite_areatab *t, unsigned long start)
{
	unsigned int i;

	for (i = 0; i < ASITE_AREA_WINDOW; i++) {
		expect(put_area(t, area_at(t, start, i), i, 4096 * i));
		expect_eq(area_place(t, area_at(t, start, i)), (start + i) & t->mask);
	}
}

/* A full window refuses and is not changed; a place that becomes free is found, each. */
static int test_areas_window_full(void)
{
	static const unsigned long starts[] = { 0, 100, CASE_ENTRIES - ASITE_AREA_WINDOW,
						CASE_ENTRIES - 7, CASE_ENTRIES - 1 };
	struct asite_areatab *t = &areas_tab;
	unsigned int n, i;
	unsigned long addr, other;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	for (n = 0; n < ARRAY_SIZE(starts); n++) {
		asite_areatab_reset(t);
		fill_window(t, starts[n]);
		addr = area_at(t, starts[n], ASITE_AREA_WINDOW);
		for (i = 0; i < ASITE_AREA_WINDOW; i++) {
			other = area_at(t, starts[n], i);
			expect(!put_area(t, addr, 99, 12288));
			expect_no_area(t, addr);
			take_area(t, other, i, 4096 * i);
			expect(put_area(t, addr, 99, 12288));
			expect_eq(area_place(t, addr), (starts[n] + i) & t->mask);
			take_area(t, addr, 99, 12288);
			expect(put_area(t, other, i, 4096 * i));
		}
		check_areas(t, ASITE_AREA_WINDOW);
	}
	return areas_end(0);
}

/* An area whose free was missed is met in each place, with and without one free before it. */
static int test_areas_missed_free(void)
{
	struct asite_areatab *t = &areas_tab;
	struct asite_area old;
	unsigned long addr;
	unsigned int i, free;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	for (i = 0; i < 2 * ASITE_AREA_WINDOW; i++) {
		asite_areatab_reset(t);
		fill_window(t, 60);
		free = i < ASITE_AREA_WINDOW ? 0 : 1;
		addr = area_at(t, 60, i % ASITE_AREA_WINDOW);
		if (free && i % ASITE_AREA_WINDOW)
			take_area(t, area_at(t, 60, 0), 0, 0);
		memset(&old, 0, sizeof(old));
		expect_eq(asite_areatab_insert(t, addr, 500, 5, &old), 1);
		expect_area(&old, addr, i % ASITE_AREA_WINDOW, 4096 * (i % ASITE_AREA_WINDOW));
		expect_eq(area_place(t, addr), 60 + i % ASITE_AREA_WINDOW);
		take_area(t, addr, 500, 5);
		expect_no_area(t, addr);
	}
	return areas_end(0);
}

static int test_areas_resize(void)
{
	struct asite_areatab *t = &areas_tab;
	struct asite_area old = { };
	unsigned int i;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	fill_window(t, 200);
	for (i = 0; i < ASITE_AREA_WINDOW; i++) {
		expect(asite_areatab_resize(t, area_at(t, 200, i), CASE_AREA_MAX - i, &old));
		expect_area(&old, area_at(t, 200, i), i, 4096 * i);
	}
	check_areas(t, ASITE_AREA_WINDOW);
	for (i = 0; i < ASITE_AREA_WINDOW; i++)
		take_area(t, area_at(t, 200, i), i, CASE_AREA_MAX - i);
	check_areas(t, 0);
	return areas_end(0);
}

/* By somebody else than the owner. */
static int test_areas_look(void)
{
	struct asite_area area = {};
	unsigned long addr;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	addr = area_at(&areas_tab, 5, 0);
	expect(!asite_areatab_look(&areas_tab, addr, &area));
	expect(!asite_areatab_look(&areas_tab, 0, &area));
	expect(put_area(&areas_tab, addr, 300, 8192));
	expect(asite_areatab_look(&areas_tab, addr, &area));
	expect_area(&area, addr, 300, 8192);
	expect(asite_areatab_resize(&areas_tab, addr, 4096, &area));
	expect(asite_areatab_look(&areas_tab, addr, &area));
	expect_area(&area, addr, 300, 4096);
	expect_eq(asite_areatab_insert(&areas_tab, addr, 301, 4096, &area), 1);
	expect(asite_areatab_look(&areas_tab, addr, &area));
	expect_area(&area, addr, 301, 4096);
	take_area(&areas_tab, addr, 301, 4096);
	expect(!asite_areatab_look(&areas_tab, addr, &area));
	check_areas(&areas_tab, 0);
	return areas_end(0);
}

static int test_areas_reset_empties(void)
{
	struct asite_areatab *t = &areas_tab;
	unsigned int i, n = 0;

	if (areas_init(CASE_AREAS))
		return -ENOMEM;
	for (i = 0; i < 200; i++)
		n += put_area(t, CASE_PERCPU + 8 * i, i, 64);
	expect_eq(asite_areatab_count(t), n);
	check_areas(t, n);
	asite_areatab_reset(t);
	expect_eq(asite_areatab_count(t), 0);
	for (i = 0; i < 200; i++)
		expect_no_area(t, CASE_PERCPU + 8 * i);
	expect(put_area(t, CASE_PERCPU, 1, 64));
	check_areas(t, 1);
	return areas_end(0);
}

/* The 2^14 areas it was made for, as the allocators lay them out. */
static int test_areas_half_full(void)
{
	static const unsigned long steps[] = { 4096, 8192, 20480, 2UL << 20, 4, 8, 64, 0,
					       /* Poor with one multiply. */
					       908, 15527936 };
	struct asite_areatab *t = &areas_tab;
	unsigned int i, n, held;
	unsigned long addr;

	if (areas_init(1UL << 14))
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		asite_areatab_reset(t);
		addr = steps[i] % 4096 ? CASE_PERCPU : CASE_VMALLOC;
		held = 0;
		for (n = 0; n < 1UL << 14; n++) {
			held += put_area(t, addr, n, 4096);
			/* Guard pages between areas of all sizes. */
			addr += steps[i] ?: (2 + (n * n >> 3) % 20) * 4096;
		}
		expect(held >= (1UL << 14) - 2);
		expect_eq(asite_areatab_count(t), held);
	}
	return areas_end(0);
}

static int test_areas_init_sizes(void)
{
	static const unsigned long ask[] = { 0, 1, 32, 33, 128, 129, 65536 };
	static const unsigned long got[] = { 64, 64, 64, 128, 256, 512, 131072 };
	struct asite_areatab t = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ask); i++) {
		if (asite_areatab_init(&t, ask[i]))
			return -ENOMEM;
		expect_eq(t.mask + 1, got[i]);
		expect_eq((unsigned long)t.entries % 64, 0);
		expect_eq(asite_areatab_bytes(&t), got[i] * 16);
		expect_eq(asite_areatab_count(&t), 0);
		asite_areatab_destroy(&t);
		asite_areatab_destroy(&t);
	}
	memset(&t, 0, sizeof(t));
	expect_eq(asite_areatab_init(&t, ASITE_MAX_AREAS_LIMIT + 1), -EINVAL);
	expect_eq(asite_areatab_init(&t, ~0UL), -EINVAL);
	asite_areatab_destroy(&t);
	return 0;
}

/* Where it was not asked for, or refused, an owner of several tables need not ask. */
static int test_areas_init_out_of_memory(void)
{
	u64 held = asite_mem_used();

	memset(&areas_tab, 0, sizeof(areas_tab));
	asite_areatab_reset(&areas_tab);
	asite_areatab_destroy(&areas_tab);
	case_fail_nth(1);
	expect_eq(areas_init(CASE_AREAS), -ENOMEM);
	case_fail_nth(0);
	expect_eq(asite_mem_used(), held);
	asite_areatab_reset(&areas_tab);
	return areas_end(0);
}

static const struct case_entry areas_cases[] = {
	{ "areas_insert_remove", test_areas_insert_remove },
	{ "areas_extremes", test_areas_extremes },
	{ "areas_every_address_bit", test_areas_every_address_bit },
	{ "areas_not_taken", test_areas_not_taken },
	{ "areas_window_full", test_areas_window_full },
	{ "areas_missed_free", test_areas_missed_free },
	{ "areas_resize", test_areas_resize },
	{ "areas_look", test_areas_look },
	{ "areas_reset_empties", test_areas_reset_empties },
	{ "areas_half_full", test_areas_half_full },
	{ "areas_init_sizes", test_areas_init_sizes },
	{ "areas_init_out_of_memory", test_areas_init_out_of_memory },
	{ }
};
