// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which cache lines of the cores go from one CPU to another, and how often: all CPUs are played
 * in turn by one thread, so the answer is exact and the same on each machine. For each line it is
 * known who holds a copy: who writes must take it from all others, who reads must get it from who
 * wrote last (caches without end, so that nothing but sharing moves a line). KTAP out, with the
 * figures in "#" lines; selftests/bench/SCALING.md has what follows from them.
 *
 * Not seen: plain reads of what is written once (slot_counts, the pointers in the tables), for
 * which the layout is checked instead.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "scale.h"

#define MAX_SITES	4096
#define SITES		64	/* that all CPUs allocate at */
#define SLABS		16	/* of each CPU */
#define OBJECTS		(SLABS * SCALE_PER_SLAB)
#define RAM_PER_CPU	(512UL << 20)
#define RAM_PER_TABLE	256	/* as live_mb=0 does, at the least */
#define STEPS		20000
#define LINE		64

static_assert(SHIM_NR_CPUS <= 64, "a bit for each CPU");

enum region { WORDS, AWAY, INDEX, SHARED, REGIONS };
static const char *const region_names[] = {
	"live words", "away counts", "index", "table heads",
};

/* Memory that is watched: who has a copy of each line, one bit for each CPU. */
static struct {
	unsigned long start, bytes;
	u64 *holders;
	unsigned long moves;
} regions[REGIONS];
static bool watching;
static unsigned long pairs;

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

/* --- Lines that move ---------------------------------------------------------- */

static void touch(enum region r, unsigned long offset, bool writes)
{
	u64 *holders = &regions[r].holders[offset / LINE], me = 1ULL << shim_cpu;

	/* Nobody has it: that costs a miss, but no other CPU. */
	if (*holders & ~me && (writes || !(*holders & me)))
		regions[r].moves += watching;
	*holders = writes ? me : *holders | me;
}

/* Every marked access of the cores. A per-CPU counter is given as CPU 0's. */
void shim_yield(const volatile void *addr, enum shim_kind kind)
{
	unsigned int r;

	if (kind == SHIM_PERCPU)
		return;
	for (r = 0; r < REGIONS; r++)
		if ((unsigned long)addr - regions[r].start < regions[r].bytes)
			touch(r, (unsigned long)addr - regions[r].start, kind != SHIM_READ);
}

static void watch(enum region r, const void *start, size_t bytes)
{
	regions[r].start = (unsigned long)start & -(unsigned long)LINE;
	regions[r].bytes = (unsigned long)start + bytes - regions[r].start;
	regions[r].holders = calloc(regions[r].bytes / LINE + 1, sizeof(u64));
	if (!regions[r].holders)
		exit(2);
}

/* --- What the CPUs do --------------------------------------------------------- */

static struct {
	unsigned long free[OBJECTS], live[OBJECTS];
	unsigned int nr_free, nr_live;
} cpus[SHIM_NR_CPUS];
static unsigned long rng, next_caller;

static unsigned long ram(void)
{
	return RAM_PER_CPU * SHIM_NR_CPUS;
}

static unsigned long take(unsigned long *list, unsigned int *n)
{
	unsigned int i = seed_next(&rng) % *n;
	unsigned long obj = list[i];

	list[i] = list[--*n];
	return obj;
}

static unsigned long some_caller(bool new_site)
{
	return SCALE_TEXT + 16 * (new_site ? next_caller++ : seed_next(&rng) % SITES);
}

/* CPU @cpu allocates an object of its slabs; @by frees one that @cpu allocated. */
static void do_pair(int cpu, int by, bool new_site)
{
	unsigned long obj = take(cpus[cpu].free, &cpus[cpu].nr_free);

	shim_cpu = cpu;
	scale_allocate(obj, some_caller(new_site));
	cpus[cpu].live[cpus[cpu].nr_live++] = obj;
	obj = take(cpus[cpu].live, &cpus[cpu].nr_live);
	shim_cpu = by;
	scale_free(obj);
	cpus[cpu].free[cpus[cpu].nr_free++] = obj;
	pairs += watching;
}

/* @mixed: the objects of a slab are of all CPUs in turn, as when sheaves of objects travel. */
static unsigned long own_object(int cpu, unsigned long i, bool mixed)
{
	return mixed ? scale_object(0, i * SHIM_NR_CPUS + cpu, SLABS, ram()) :
		       scale_object(cpu, i, SLABS, ram());
}

static void set_up(unsigned int fill_percent, bool mixed)
{
	unsigned long words = ram() / RAM_PER_TABLE / sizeof(u64), i;
	unsigned int slabs = words / 100 * fill_percent / SCALE_PER_SLAB + 1;
	int cpu;

	/* Live and still: what makes objects meet. */
	for (i = 0; i < slabs * SCALE_PER_SLAB; i++) {
		shim_cpu = i / SCALE_PER_SLAB % SHIM_NR_CPUS;
		scale_allocate(scale_object(0, OBJECTS * SHIM_NR_CPUS + i, SLABS, ram()),
			       some_caller(false));
	}
	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++) {
		cpus[cpu].nr_live = 0;
		cpus[cpu].nr_free = OBJECTS;
		for (i = 0; i < OBJECTS; i++)
			cpus[cpu].free[i] = own_object(cpu, i, mixed);
		shim_cpu = cpu;
		while (cpus[cpu].nr_live < OBJECTS / 2) {
			i = take(cpus[cpu].free, &cpus[cpu].nr_free);
			scale_allocate(i, some_caller(false));
			cpus[cpu].live[cpus[cpu].nr_live++] = i;
		}
	}
}

static void run(bool cross, bool new_site)
{
	int step, cpu;

	pairs = 0;
	for (step = 0; step < 2 * STEPS / SHIM_NR_CPUS; step++) {
		watching = step >= STEPS / SHIM_NR_CPUS;
		for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++)
			do_pair(cpu, cross ? (cpu + 1) % SHIM_NR_CPUS : cpu, new_site);
	}
	watching = false;
}

/* --- Tests ---------------------------------------------------------------------- */

struct scenario {
	const char *name;
	unsigned int max_sites;
	unsigned int fill_percent;
	bool cross, new_site;
	double limit[REGIONS];	/* moves for a pair, at most */
	bool mixed;
};

static const struct scenario scenarios[] = {
	{ "own_frees_1_percent", MAX_SITES, 1, false, false, { 0.03, 0.03, 0, 0 } },
	{ "own_frees_10_percent", MAX_SITES, 10, false, false, { 0.05, 0.03, 0, 0 } },
	{ "own_frees_25_percent", MAX_SITES, 25, false, false, { 0.25, 0.03, 0, 0 } },
	{ "cross_frees_1_percent", MAX_SITES, 1, true, false, { 2, 0.1, 0, 0 } },
	{ "cross_frees_10_percent", MAX_SITES, 10, true, false, { 2.1, 0.4, 0, 0 } },
	{ "own_frees_mixed_slabs", MAX_SITES, 1, false, false, { 2.9, 0.6, 0, 0 }, true },
	{ "new_site_each", 200000, 1, false, true, { 0.03, 0.03, 1.6, 2.1 } },
	{ "no_site_left", SITES, 1, false, true, { 0.03, 0.03, 0, 2.1 } },
};

static bool run_scenario(const struct scenario *s)
{
	bool ok = true;
	unsigned int r;

	rng = 1;
	next_caller = SITES;
	if (!scale_init(s->max_sites, ram() / RAM_PER_TABLE))
		exit(2);
	while (s->new_site && track.sites.nr_ready < min(track.sites.max_sites, 64U << 9))
		if (add_batch(&track.sites))
			exit(2);
	watch(WORDS, track.objs.words, words_bytes(&track.objs));
	watch(AWAY, track.objs.away, away_bytes(&track.objs));
	watch(INDEX, track.sites.index, index_bytes(&track.sites));
	watch(SHARED, &track, sizeof(track));
	set_up(s->fill_percent, s->mixed);
	run(s->cross, s->new_site);
	for (r = 0; r < REGIONS; r++) {
		double moves = (double)regions[r].moves / pairs;

		case_print("# %u CPUs, %s: %.4f moves of %s for a pair\n", SHIM_NR_CPUS, s->name,
			   moves, region_names[r]);
		ok &= moves <= s->limit[r];
		regions[r].moves = 0;
		regions[r].bytes = 0;
		free(regions[r].holders);
	}
	scale_exit();
	return ok;
}

/* Counters of two CPUs never share a line, nor do those of two batches. */
static bool layout_of_counters(void)
{
	bool ok = BATCH_COUNTS_BYTES % LINE == 0 && LINE % sizeof(struct asite_counts) == 0;

	return ok && SHIM_PERCPU_STRIDE % LINE == 0;
}

static unsigned long line_of(const void *place)
{
	return (unsigned long)place / LINE;
}

/* What a new site or a lack of slots writes is in no line that other events read. */
static bool layout_of_heads(void)
{
	unsigned long written = line_of(&track.sites.next);

	return line_of(&track.sites.dead_keys) == written &&
	       line_of(&track.sites.nr_ready) != written &&
	       line_of(&track.objs.words) != written;
}

int main(void)
{
	unsigned int i, n = ARRAY_SIZE(scenarios), failed = 0;
	bool ok = layout_of_counters();

	case_print("KTAP version 1\n1..%u\n", n + 2);
	failed += !ok;
	case_print("%s 1 sharing_layout_of_counters\n", case_result(ok));
	ok = layout_of_heads();
	failed += !ok;
	case_print("%s 2 sharing_layout_of_heads\n", case_result(ok));
	for (i = 0; i < n; i++) {
		ok = run_scenario(&scenarios[i]);
		failed += !ok;
		case_print("%s %u sharing_%s\n", case_result(ok), i + 3, scenarios[i].name);
	}
	return failed != 0;
}
