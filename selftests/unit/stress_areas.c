// SPDX-License-Identifier: GPL-2.0-only
/*
 * Areas under stress; included by stress.c. For each entry there is a plain variable that
 * belongs to whoever has the entry, as its second word does: TSan reports a race on it if
 * claim and release do not order one owner's accesses before the next one's.
 */
static struct asite_areatab areas;
static unsigned long owner_of[CASE_ENTRIES];
static u64 areas_untracked, areas_stale;

/* The variable of an area's entry; NULL if it is not followed. */
static unsigned long *owner_variable(unsigned long addr)
{
	struct asite_area_entry *e = find_entry(&areas, addr);

	return e ? &owner_of[e - areas.entries] : NULL;
}

static u32 slot_for(unsigned long addr)
{
	return addr / 4096 % ASITE_MAX_SITES_LIMIT;
}

static void allocate_area(unsigned long addr, unsigned long *rng)
{
	struct asite_area old;
	u64 bytes = 4096 * (1 + seed_next(rng) % 64);

	switch (asite_areatab_insert(&areas, addr, slot_for(addr), bytes, &old)) {
	case 1:
		expect(old.addr == addr && old.slot == slot_for(addr));
		__atomic_add_fetch(&areas_stale, 1, __ATOMIC_RELAXED);
		break;
	case 0:
		break;
	default:
		__atomic_add_fetch(&areas_untracked, 1, __ATOMIC_RELAXED);
		return;
	}
	*owner_variable(addr) = addr;
	if (seed_next(rng) % 4)
		return;
	expect(asite_areatab_resize(&areas, addr, bytes + 4096, &old));
	expect(old.slot == slot_for(addr) && old.bytes == bytes);
}

static void release_area(unsigned long addr)
{
	unsigned long *variable = owner_variable(addr);
	struct asite_area old;

	if (variable)
		expect_eq(*variable, addr);
	if (!asite_areatab_remove(&areas, addr, &old))
		return;
	expect(variable && old.addr == addr && old.slot == slot_for(addr));
	expect(old.bytes >= 4096 && old.bytes <= 4096 * 65);
}

static void check_area_stress(void)
{
	case_print("# %llu areas, %llu untracked, %llu frees missed, %llu of them met\n",
		   events, areas_untracked, lost, areas_stale);
	expect(events > 1000 && areas_untracked > 10 && areas_stale > 10 && areas_stale <= lost);
	check_areas(&areas, 0);
}

static const struct subject area_subject = {
	.name = "stress_areas",
	.base = CASE_VMALLOC,
	.step = 8192,
	.allocate = allocate_area,
	.release = release_area,
	.check = check_area_stress,
};
