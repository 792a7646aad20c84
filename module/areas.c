// SPDX-License-Identifier: GPL-2.0-only
/*
 * Area table: claiming, releasing and set-up. Layout and invariants are in
 * areas.h.
 *
 * This is a core: plain data structure, built in the module and in user space.
 * It knows nothing of vmalloc or percpu but that addresses tell areas apart,
 * nothing of sites but a slot number, and nothing of hooks.
 *
 * Contexts: insert, remove and resize run in any context. The rest needs a
 * task and, where it writes, every hook detached.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <allocsite/areas.h>
#include <allocsite/mem.h>
#include <compat/pair.h>

/* A window must not meet itself. */
#define MIN_ENTRIES	(2UL * ASITE_AREA_WINDOW)

static size_t entries_bytes(const struct asite_areatab *t)
{
	return (t->mask + 1) * sizeof(*t->entries);
}

/*
 * Where the window of an address begins. vmalloc addresses are multiples of a page and
 * often equal strides apart (thread stacks), percpu pointers are multiples of 4. One multiply
 * by 2^64 / golden ratio is poor on some strides (of the first 4,096 multiples of 4 KiB and of
 * 4 bytes, 1 in 74), hence two.
 */
static unsigned long window_start(unsigned long addr)
{
	u64 h = (addr >> 2) * 0x9E3779B97F4A7C15UL;

	return (h >> 32 ^ h) * 0x9E3779B97F4A7C15UL >> 32;
}

static struct asite_area_entry *entry_at(const struct asite_areatab *t,
					 unsigned long start, unsigned int i)
{
	return &t->entries[(start + i) & t->mask];
}

static u64 pack_rest(u32 slot, u64 bytes)
{
	return bytes << ASITE_SLOT_BITS | slot;
}

static bool bytes_fit(u64 bytes)
{
	return !(bytes >> ASITE_AREA_BYTES_BITS);
}

/* The caller owns the area: its second word is his and stable. */
static void read_area(const struct asite_area_entry *e, unsigned long addr,
		      struct asite_area *area)
{
	u64 rest = READ_ONCE(e->rest);

	area->addr = addr;
	area->bytes = rest >> ASITE_SLOT_BITS;
	area->slot = rest & ((1U << ASITE_SLOT_BITS) - 1);
}

/*
 * The entry of an area that the caller owns. Others claim and release entries of the window
 * meanwhile, but none with this address: a relaxed read tells. What was written to the entry
 * by the area's owner before is visible by whatever handed the area over.
 */
static struct asite_area_entry *find_entry(const struct asite_areatab *t, unsigned long addr)
{
	unsigned long start = window_start(addr);
	struct asite_area_entry *e;
	unsigned int i;

	/* Or an empty entry would do. */
	if (!addr)
		return NULL;
	for (i = 0; i < ASITE_AREA_WINDOW; i++) {
		e = entry_at(t, start, i);
		if (READ_ONCE(e->addr) == addr)
			return e;
	}
	return NULL;
}

bool asite_areatab_follows(const struct asite_areatab *t, unsigned long addr)
{
	return find_entry(t, addr);
}

static struct asite_area_entry *claim_entry(struct asite_areatab *t, unsigned long addr)
{
	unsigned long start = window_start(addr);
	struct asite_area_entry *e;
	unsigned int i;

	for (i = 0; i < ASITE_AREA_WINDOW; i++) {
		e = entry_at(t, start, i);
		/* Pairs with the release in asite_areatab_remove(). */
		if (!READ_ONCE(e->addr) && !cmpxchg(&e->addr, 0, addr))
			return e;
	}
	return NULL;
}

int asite_areatab_insert(struct asite_areatab *t, unsigned long addr, u32 slot,
			 u64 bytes, struct asite_area *old)
{
	struct asite_area_entry *e;

	if (!addr || !bytes_fit(bytes))
		return -ENOSPC;
	e = find_entry(t, addr);
	if (e) {
		read_area(e, addr, old);
		/* Release: as below. */
		smp_store_release(&e->rest, pack_rest(slot, bytes));
		return 1;
	}
	e = claim_entry(t, addr);
	if (!e)
		return -ENOSPC;
	/* Release: for asite_areatab_look(); no other reads it before he owns the area. */
	smp_store_release(&e->rest, pack_rest(slot, bytes));
	return 0;
}

bool asite_areatab_remove(struct asite_areatab *t, unsigned long addr,
			  struct asite_area *old)
{
	struct asite_area_entry *e = find_entry(t, addr);

	if (!e)
		return false;
	read_area(e, addr, old);
	/* As it shall be in a free entry: see asite_areatab_look(). */
	WRITE_ONCE(e->rest, 0);
	/*
	 * Release: the second word was read before another may claim the entry and write it
	 * (pairs with the cmpxchg in claim_entry()), and the entry is free before whoever
	 * gets the address next inserts it.
	 */
	smp_store_release(&e->addr, 0);
	return true;
}

/*
 * Two loads could meet another's second word between twice the same address. A fence is in the
 * instruction: acquire.
 */
bool asite_areatab_look(const struct asite_areatab *t, unsigned long addr,
			struct asite_area *area)
{
	const struct asite_area_entry *e = find_entry(t, addr);
	struct asite_area_entry now;

	if (!e)
		return false;
	asite_k_read_pair(e, &now);
	if (now.addr != addr)
		return false;
	read_area(&now, addr, area);
	return true;
}

bool asite_areatab_resize(struct asite_areatab *t, unsigned long addr, u64 bytes,
			  struct asite_area *old)
{
	struct asite_area_entry *e = find_entry(t, addr);

	if (!e || !bytes_fit(bytes))
		return false;
	read_area(e, addr, old);
	WRITE_ONCE(e->rest, pack_rest(old->slot, bytes));
	return true;
}

unsigned long asite_areatab_count(const struct asite_areatab *t)
{
	unsigned long i, count = 0;

	for (i = 0; i <= t->mask; i++) {
		if (!(i & 0xffff))
			cond_resched();
		count += READ_ONCE(t->entries[i].addr) != 0;
	}
	return count;
}

size_t asite_areatab_bytes(const struct asite_areatab *t)
{
	return entries_bytes(t);
}

int asite_areatab_init(struct asite_areatab *t, unsigned long max_areas)
{
	if (max_areas > ASITE_MAX_AREAS_LIMIT)
		return -EINVAL;
	t->mask = roundup_pow_of_two(max(2 * max_areas, MIN_ENTRIES)) - 1;
	t->entries = asite_mem_alloc(entries_bytes(t));
	return t->entries ? 0 : -ENOMEM;
}

void asite_areatab_destroy(struct asite_areatab *t)
{
	if (!t->entries)
		return;
	asite_mem_free(t->entries, entries_bytes(t));
	t->entries = NULL;
}

void asite_areatab_reset(struct asite_areatab *t)
{
	size_t step = 1UL << 20;
	size_t done;

	if (!t->entries)
		return;
	for (done = 0; done < entries_bytes(t); done += step) {
		memset((char *)t->entries + done, 0, min(step, entries_bytes(t) - done));
		cond_resched();
	}
}
