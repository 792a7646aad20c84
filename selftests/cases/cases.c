// SPDX-License-Identifier: GPL-2.0-only
/*
 * All cases and the cores they look into, as one translation unit: the cases
 * place objects by the cores' own static placement functions. Whoever includes
 * this file gives it case_print(), case_fail_nth(), case_text() and asite_mem_*.
 *
 * Invariant: a case leaves no memory behind; cases_run() checks that.
 */
#include "../../module/objtab.c"
#include "../../module/sites.c"
#include "../../module/poisson.c"
#include "../../module/filter.c"
#include "../../module/estimate.c"
#include "../../module/areas.c"
#include "../../module/pagemap.c"
#include "../../module/ring.c"
#include "../../module/depot.c"
#if ASITE_EVICT
#include "../../module/depot_evict.c"
#endif

#include "cases.h"
#include "check.c"
#include "objtab_place.c"
#include "objtab_word.c"
#include "objtab_stale.c"
#include "sites_claim.c"
#include "sites_count.c"
#include "sites_memory.c"
#include "sites_kinds.c"
#include "sites_watch.c"
#include "filter.c"
#include "sample_numbers.c"
#include "areas.c"
#include "pagemap.c"
#include "pagemap_swap.c"
#include "ring.c"
#include "depot_find.c"
#include "depot_pools.c"
#include "depot_walk.c"
#if ASITE_EVICT
#include "depot_evict.c"
#else
static const struct case_entry depot_evict_cases[] = { { } };
#endif

#define NOTES_PER_CASE	8

/* Failed expectations since case_failures() was asked. */
static unsigned int failures;

bool case_expect(bool ok, const char *func, int line, const char *what)
{
	if (!ok && failures++ < NOTES_PER_CASE)
		case_print("# %s:%d: not so: %s\n", func, line, what);
	return ok;
}

bool case_expect_eq(u64 a, u64 b, const char *func, int line, const char *what)
{
	if (a != b && failures++ < NOTES_PER_CASE)
		case_print("# %s:%d: not so: %s (0x%llx and 0x%llx)\n", func, line, what, a, b);
	return a == b;
}

unsigned int case_failures(void)
{
	unsigned int was = failures;

	failures = 0;
	return was;
}

static bool run_case(const struct case_entry *c)
{
	u64 held = asite_mem_used();
	int err = c->run();

	if (err)
		case_print("# %s: error %d\n", c->name, err);
	case_fail_nth(0);
	expect_eq(asite_mem_used(), held);
	return !case_failures() && !err;
}

static const struct case_entry *const case_tables[] = {
	objtab_place_cases, objtab_word_cases, objtab_stale_cases,
	sites_claim_cases, sites_count_cases, sites_memory_cases, sites_kinds_cases,
	sites_watch_cases,
	filter_cases, sample_number_cases, areas_cases,
	pagemap_cases, pagemap_swap_cases, ring_cases,
	depot_find_cases, depot_pools_cases, depot_walk_cases, depot_evict_cases,
};

static unsigned int count_cases(void)
{
	const struct case_entry *c;
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(case_tables); i++)
		for (c = case_tables[i]; c->name; c++)
			n++;
	return n;
}

/* Runs every case, prints KTAP, returns how many failed. */
static unsigned int cases_run(void)
{
	unsigned int i, n = 0, failed = 0;
	const struct case_entry *c;
	bool ok;

	case_print("KTAP version 1\n1..%u\n", count_cases());
	for (i = 0; i < ARRAY_SIZE(case_tables); i++) {
		for (c = case_tables[i]; c->name; c++) {
			ok = run_case(c);
			failed += !ok;
			case_print("%s %u %s\n", case_result(ok), ++n, c->name);
		}
	}
	return failed;
}
