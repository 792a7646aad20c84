/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sharing.c and scaling.c do to the cores: the order of updates of track.h, objects that lie
 * in slabs as the kernel's do, and both tables, laid out as struct asite_track is.
 *
 * Included once by each of them, with the cores as one translation unit.
 */
#ifndef SELFTESTS_UNIT_SCALE_H
#define SELFTESTS_UNIT_SCALE_H

#include "../../module/objtab.c"
#include "../../module/sites.c"

#include "../cases/cases.h"
#include "seed.h"

#define SCALE_TEXT	0xffffffff81000000UL
#define SCALE_SIZE	64UL
#define SCALE_PER_SLAB	(4096 / SCALE_SIZE)

/* As struct asite_track. */
static struct {
	struct asite_sitetab sites;
	struct asite_objtab objs;
} track;

static void no_kick(struct asite_sitetab *t)
{
}

static void describe_scale(struct asite_site *site)
{
	site->size = site->sub;
}

static const struct asite_sites_ops scale_ops = {
	.describe	= describe_scale,
	.kick		= no_kick,
};

/* False: no memory. */
static bool scale_init(unsigned int max_sites, size_t table_bytes)
{
	memset(&track, 0, sizeof(track));
	return !asite_sites_init(&track.sites, max_sites, 0, &scale_ops) &&
	       !asite_objtab_init(&track.objs, table_bytes, 1ULL << ASITE_ADDR_BITS);
}

static void scale_exit(void)
{
	asite_objtab_destroy(&track.objs);
	asite_sites_destroy(&track.sites);
}

/* As asite_track_kmalloc(). */
static inline void scale_allocate(unsigned long obj, unsigned long caller)
{
	struct asite_key *key = asite_sites_find(&track.sites, caller, SCALE_SIZE, ASITE_KMALLOC);
	struct asite_counts __percpu *counts = key->counts;
	u64 old;

	this_cpu_inc(counts->allocs);
	this_cpu_add(counts->requested, SCALE_SIZE);
	if (asite_objtab_insert(&track.objs, obj, key->bits, &old) == ASITE_INSERT_FULL)
		this_cpu_inc(counts->untracked);
}

/* As asite_track_free(). */
static inline void scale_free(unsigned long obj)
{
	long rest = asite_objtab_remove(&track.objs, obj);

	if (rest >= 0)
		this_cpu_inc(asite_sites_counts_of(&track.sites, rest)->frees);
}

/* Page numbers in another order, no two the same; @pages is a power of two, at least 4096. */
static inline unsigned long scale_permute(unsigned long page, unsigned long pages)
{
	int round;

	for (round = 0; round < 3; round++) {
		page = page * 0x9E3779B1UL & (pages - 1);
		page ^= page >> 7;
	}
	return page;
}

/* Object @i of a CPU: its slabs are pages anywhere in @ram bytes. */
static inline unsigned long scale_object(unsigned int cpu, unsigned long i, unsigned int slabs,
					 unsigned long ram)
{
	unsigned long page = scale_permute(cpu * slabs + i / SCALE_PER_SLAB, ram / 4096);

	return CASE_BASE + page * 4096 + i % SCALE_PER_SLAB * SCALE_SIZE;
}

#endif /* SELFTESTS_UNIT_SCALE_H */
