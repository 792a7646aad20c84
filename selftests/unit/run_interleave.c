// SPDX-License-Identifier: GPL-2.0-only
/* Runs the interleaver's scenarios, exhaustive and random; KTAP out. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../cases/cases.c"
#include "interleave.h"
#include "il_objtab.c"
#include "il_sites.c"
#include "il_sample.c"
#include "il_areas.c"
#include "il_pagemap.c"
#include "il_ring.c"
#include "il_depot.c"
#include "seed.h"

#define RANDOM_SCHEDULES	1000

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static unsigned long seeds[SEEDS_MAX];
static int nr_seeds;

static bool run_scenario(const struct il_scenario *s)
{
	int i;

	for (i = 0; i < nr_seeds; i++) {
		if (!il_run(s, RANDOM_SCHEDULES, seeds[i], i == 0))
			return false;
	}
	return true;
}

/* What runs now, for the handler. */
static const char *running;
static int running_number;

static void crashed(int signal)
{
	case_print("not ok %d %s # died of signal %d\n", running_number, running, signal);
	il_print_trail();
	_exit(1);
}

static int run_table(const struct il_scenario *s, int *number)
{
	int failed = 0;

	for (; s->name; s++) {
		unsigned long before = il_schedules();
		bool ok;

		running = s->name;
		running_number = *number + 1;
		ok = run_scenario(s);

		failed += !ok;
		case_print("%s %d %s # %lu schedules\n", case_result(ok), ++*number, s->name,
			   il_schedules() - before);
	}
	return failed;
}

int main(void)
{
	int number = 0, failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGSEGV, crashed);
	nr_seeds = get_seeds(seeds);
	case_print("KTAP version 1\n1..%zu\n", ARRAY_SIZE(il_objtab_scenarios) +
		   ARRAY_SIZE(il_sites_scenarios) + ARRAY_SIZE(il_sample_scenarios) +
		   ARRAY_SIZE(il_areas_scenarios) + ARRAY_SIZE(il_pagemap_scenarios) +
		   ARRAY_SIZE(il_ring_scenarios) + ARRAY_SIZE(il_depot_scenarios) - 7);
	case_print("# the last of the random seeds: SEED=0x%lx\n", seeds[nr_seeds - 1]);
	failed = run_table(il_objtab_scenarios, &number);
	failed += run_table(il_sites_scenarios, &number);
	failed += run_table(il_sample_scenarios, &number);
	failed += run_table(il_areas_scenarios, &number);
	failed += run_table(il_pagemap_scenarios, &number);
	failed += run_table(il_ring_scenarios, &number);
	failed += run_table(il_depot_scenarios, &number);
	return failed ? 1 : 0;
}
