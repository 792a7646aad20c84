// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack depot with very many stacks: 1,000,000 distinct ones kept, the same through a depot
 * that holds a few thousand, storms of evictions, and what stacks of real depth take beside
 * lib/stackdepot's layouts; KTAP out.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../cases/cases.c"
#include "seed.h"

#define MANY	1000000U
#define BOUNDED	4096U
/* Objects of the storm that are live at a time. */
#define LIVE	1500U

/* What a stack depot of the module has. */
static const u16 real_classes[] = { 7, 11, 15, 19, 23, 27, 31, 47, 63 };

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static int many_init(unsigned int max_stacks)
{
	return depot_init_with(real_classes, ARRAY_SIZE(real_classes), max_stacks, 1ULL << 32);
}

static void grow_if_kicked(void)
{
	if (!depot_kicks)
		return;
	depot_kicks = 0;
	expect_eq(asite_depot_grow(&depot), 0);
}

static void many_distinct(void)
{
	static u32 handle[MANY];
	struct asite_depot_stats stats;
	struct asite_depot_stack stack;
	unsigned int n, nr, wrong = 0;
	long got;

	if (many_init(MANY + 10 * ASITE_DEPOT_POOL))
		exit(2);
	for (n = 0; n < MANY; n++) {
		nr = real_stack(&stack, n);
		got = find_stack(&depot, &stack, nr);
		wrong += got < 0;
		handle[n] = got;
		grow_if_kicked();
	}
	for (n = 0; n < MANY; n++) {
		nr = real_stack(&stack, n);
		wrong += find_stack(&depot, &stack, nr) != handle[n];
	}
	asite_depot_stats(&depot, &stats);
	case_print("# %llu records, %llu MiB of pools, %llu of index, far %llu, late %llu\n",
		   stats.records, stats.pool_bytes >> 20, stats.index_bytes >> 20, stats.far,
		   stats.late);
	expect_eq(wrong, 0);
	expect_eq(stats.records, MANY);
	check_depot(&depot);
	depot_end(0);
}

/* Each is recorded when it is first seen, however many came before. */
static void many_through_bounded(void)
{
	static long recent[LIVE];
	struct asite_depot_stack stack;
	unsigned int n, nr, at, lost = 0;

	memset(depot_live, 0, sizeof(depot_live));
	if (many_init(BOUNDED))
		exit(2);
	for (n = 0; n < MANY; n++) {
		at = n % LIVE;
		if (n >= LIVE && recent[at] >= 0)
			depot_live[recent[at]]--;
		nr = real_stack(&stack, n);
		recent[at] = find_stack(&depot, &stack, nr);
		lost += recent[at] < 0;
		if (recent[at] >= 0)
			depot_live[recent[at]]++;
		grow_if_kicked();
		if (asite_depot_evict_wanted(&depot))
			evict(&depot, 512);
	}
	case_print("# %u not recorded of %u, %llu evicted\n", lost, MANY, depot.evict.evicted);
	expect_eq(lost, 0);
	expect(depot.evict.evicted > MANY - BOUNDED);
	check_depot(&depot);
	depot_end(0);
}

/* All evicted, over and over: nothing is used up, not even places of the index. */
static void evict_storms(void)
{
	unsigned int round, i, lost = 0;
	struct asite_depot_stack stack;

	memset(depot_live, 0, sizeof(depot_live));
	if (depot_init_7(BOUNDED))
		exit(2);
	for (round = 0; round < 500; round++) {
		for (i = 0; i < 1000; i++) {
			make_stack(&stack, 300, round * 1000 + i, 1 + i % 7);
			lost += find_stack(&depot, &stack, 1 + i % 7) < 0;
			grow_if_kicked();
		}
		evict(&depot, 1000);
	}
	case_print("# %u of 500,000 not recorded, %llu places dead of %llu\n", lost,
		   depot_stat(&depot, dead), places(&depot));
	expect_eq(lost, 0);
	check_depot(&depot);
	depot_end(0);
}

/* Depths of 8 to 24 frames, each as often, the leaf included. */
static void bytes_per_stack(void)
{
	struct asite_depot_stats stats;
	struct asite_depot_stack stack;
	unsigned int n, i, nr;
	double records, exact;

	if (many_init(65536))
		exit(2);
	for (n = 0; n < 60000; n++) {
		nr = 7 + n % 17;
		make_stack(&stack, 300 + n % 700, n, nr);
		for (i = 1; i < nr; i++)
			stack.frames[i] += n / 17 % 512 * 7;
		expect(find_stack(&depot, &stack, nr) >= 0);
		grow_if_kicked();
	}
	asite_depot_stats(&depot, &stats);
	records = stats.records;
	exact = stats.exact_bytes / records;
	case_print("# %llu stacks, bytes of each: record %.1f, of it rounding %.1f, index %.1f\n",
		   stats.records, (stats.used_bytes + stats.rounding_bytes) / records,
		   stats.rounding_bytes / records, stats.index_bytes / records);
	case_print("# all of the depot %.1f; lib/stackdepot %.1f, in slots of 64 frames %.1f\n",
		   stats.bytes / records, exact, stats.fixed_bytes / records);
	expect_eq(stats.records, 60000);
	expect((stats.used_bytes + stats.rounding_bytes) / records <= exact / 2);
	expect(stats.bytes / records <= exact / 2 + 10);
	depot_end(0);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "depot_many_distinct", many_distinct },
	{ "depot_many_through_bounded", many_through_bounded },
	{ "depot_evict_storms", evict_storms },
	{ "depot_bytes_per_stack", bytes_per_stack },
};

int main(void)
{
	int i, failed = 0;
	bool ok;

	setvbuf(stdout, NULL, _IOLBF, 0);
	case_print("KTAP version 1\n1..%zu\n", ARRAY_SIZE(tests));
	for (i = 0; i < (int)ARRAY_SIZE(tests); i++) {
		tests[i].run();
		ok = !case_failures();
		failed += !ok;
		case_print("%s %d %s\n", case_result(ok), i + 1, tests[i].name);
	}
	return !!failed;
}
