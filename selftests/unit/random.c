// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations on the cores against naive models, seed printed; KTAP out.
 * The live-object model knows per object what the table must answer; the site
 * model knows per key which slot it has and per slot what was counted.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../cases/cases.c"
#include "seed.h"

#define STEPS		200000
#define OBJECTS		900
#define CHECK_EVERY	1000

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static unsigned long rng;

static unsigned long below(unsigned long n)
{
	return seed_next(&rng) % n;
}

/* -- live objects ---------------------------------------------------------- */

/* STALE: freed, but the free was missed: the word is still there. */
enum life { GONE, LIVE, STALE };

struct object {
	unsigned long addr;
	enum life life;
	long rest;
};

static struct object model[OBJECTS];
static unsigned int nr_words;

/* Addresses in steps of @step bytes; 0: anywhere, each once. */
static void lay_out(unsigned long step)
{
	unsigned int i;

	nr_words = 0;
	for (i = 0; i < OBJECTS; i++) {
		model[i] = (struct object){ .addr = CASE_BASE + 8 + i * step };
		if (!step)
			model[i].addr = CASE_BASE + (below(CASE_HIGHEST / 2 / OBJECTS / 8) +
				CASE_HIGHEST / 2 / OBJECTS / 8 * i) * 8;
	}
}

static bool bucket_full(const struct asite_objtab *t, unsigned long bucket)
{
	int i;

	for (i = 0; i < ASITE_BUCKET_WORDS; i++) {
		if (!t->words[bucket * ASITE_BUCKET_WORDS + i])
			return false;
	}
	return true;
}

static bool all_full(const struct asite_objtab *t, unsigned long obj)
{
	bool full = bucket_full(t, home_bucket(t, obj));
	int n;

	for (n = 0; n < ASITE_FAR_BUCKETS; n++)
		full &= bucket_full(t, far_bucket(t, obj, n));
	return full;
}

static void insert_object(struct asite_objtab *t, struct object *o)
{
	unsigned int slot = below(ASITE_MAX_SITES_LIMIT);
	u64 old = 0;
	unsigned int gen = below(8);
	enum asite_insert got;

	got = asite_objtab_insert(t, o->addr, asite_objtab_bits(slot, gen), &old);
	if (got == ASITE_INSERT_FULL) {
		expect(o->life == GONE && all_full(t, o->addr));
		return;
	}
	expect_eq(got, o->life == STALE ? ASITE_INSERT_STALE : ASITE_INSERTED);
	if (o->life == STALE) {
		expect_eq(old ^ asite_objtab_tag(o->addr), o->rest);
		nr_words--;
	}
	o->life = LIVE;
	o->rest = rest_of(slot, gen);
	nr_words++;
}

static void remove_object(struct asite_objtab *t, struct object *o)
{
	expect_eq(asite_objtab_remove(t, o->addr), o->life == GONE ? -1 : o->rest);
	nr_words -= o->life != GONE;
	o->life = GONE;
}

static void step_object(struct asite_objtab *t, unsigned int grow)
{
	struct object *o = &model[below(OBJECTS)];

	if (o->life == LIVE && !below(20))
		o->life = STALE;
	else if (o->life == LIVE || below(10) >= grow)
		remove_object(t, o);
	else
		insert_object(t, o);
}

static void random_objtab(void)
{
	static const unsigned long steps[] = { 8, 16, 24, 64, 96, 4096, 1UL << 27, 0 };
	struct asite_objtab t = { };
	unsigned int i, n;

	if (asite_objtab_init(&t, CASE_TABLE, CASE_HIGHEST))
		exit(2);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		lay_out(steps[i]);
		asite_objtab_reset(&t);
		for (n = 0; n < STEPS; n++) {
			step_object(&t, 2 + n / (STEPS / 4) * 2);
			if (n % CHECK_EVERY == 0)
				check_objtab(&t, nr_words);
		}
		check_objtab(&t, nr_words);
		for (n = 0; n < OBJECTS; n++)
			remove_object(&t, &model[n]);
		check_objtab(&t, 0);
	}
	asite_objtab_destroy(&t);
}

/* -- sites ------------------------------------------------------------------- */

#define KEYS		1500
#define SLOTS		(ASITE_OVERFLOW_SLOTS + 1200)

/* The slot each key has, -1 before its first event and after it is retired. */
static int slot_of_key[KEYS];
static u64 allocs[SLOTS], frees[SLOTS];

static bool match_key(struct asite_site *site, void *data)
{
	return site->kind != ASITE_OVERFLOW && site->caller == *(unsigned long *)data;
}

static unsigned long caller_of(unsigned int k)
{
	return CASE_TEXT + k / 3 * 7;
}

static void step_event(unsigned int k)
{
	unsigned long size = 8UL << k % 3;
	struct asite_key *key = asite_sites_find(&sites_tab, caller_of(k), size, ASITE_KMALLOC);
	int slot = slot_of(key);

	expect(slot >= 0 && slot < SLOTS);
	if (slot_of_key[k] >= 0)
		expect_eq(slot, slot_of_key[k]);
	else if (!overflowed(key))
		slot_of_key[k] = slot;
	if (overflowed(key))
		expect_eq(asite_sites_site(&sites_tab, slot)->size, size);
	else
		expect(asite_sites_site(&sites_tab, slot)->caller == caller_of(k));
	shim_cpu = below(SHIM_NR_CPUS);
	this_cpu_inc(key->counts->allocs);
	allocs[slot]++;
	shim_cpu = below(SHIM_NR_CPUS);
	if (frees[slot] < allocs[slot] && below(2)) {
		this_cpu_inc(asite_sites_counts(&sites_tab, slot)->frees);
		frees[slot]++;
	}
}

static void step_retire(unsigned int k)
{
	unsigned long caller = caller_of(k);
	unsigned int want = 0, i;

	for (i = k / 3 * 3; i < k / 3 * 3 + 3 && i < KEYS; i++) {
		want += slot_of_key[i] >= 0;
		slot_of_key[i] = -1;
	}
	expect_eq(asite_sites_retire(&sites_tab, match_key, &caller), want);
}

static void check_sites(void)
{
	struct asite_sum sum;
	unsigned int slot;

	for (slot = 0; slot < asite_sites_used(&sites_tab); slot++) {
		asite_sites_sum(&sites_tab, slot, &sum);
		expect_eq(sum.allocs, allocs[slot]);
		expect_eq(sum.live, allocs[slot] - frees[slot]);
	}
}

static void forget_sites(void)
{
	memset(slot_of_key, -1, sizeof(slot_of_key));
	memset(allocs, 0, sizeof(allocs));
	memset(frees, 0, sizeof(frees));
}

static void random_sites(void)
{
	unsigned int n;

	if (sites_init(SLOTS - ASITE_OVERFLOW_SLOTS))
		exit(2);
	forget_sites();
	for (n = 0; n < STEPS; n++) {
		step_event(below(KEYS));
		/* The worker comes some time after the kick. */
		if (sites_kicks && !below(50)) {
			sites_kicks = 0;
			expect_eq(asite_sites_grow(&sites_tab), 0);
		}
		if (!below(3000))
			step_retire(below(KEYS));
		if (n % CHECK_EVERY == 0)
			check_sites();
		if (n == STEPS / 2) {
			check_sites();
			asite_sites_reset(&sites_tab);
			forget_sites();
		}
	}
	check_sites();
	shim_cpu = 0;
	sites_end(0);
}

#include "random_areas.c"
#include "random_pagemap.c"
#include "random_depot.c"

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "random_objtab", random_objtab },
	{ "random_sites", random_sites },
	{ "random_areas", random_areas },
	{ "random_pagemap", random_pagemap },
	{ "random_depot", random_depot },
};

/* Each test begins with the seed, so that one alone can be repeated. */
static int run_all(unsigned long seed, int number)
{
	unsigned int i;
	int failed = 0;
	bool ok;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		rng = seed;
		tests[i].run();
		ok = !case_failures();
		failed += !ok;
		case_print("%s %d %s SEED=0x%lx\n", case_result(ok), ++number, tests[i].name, seed);
	}
	return failed;
}

int main(void)
{
	unsigned long seeds[SEEDS_MAX];
	int i, n = get_seeds(seeds), failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	case_print("KTAP version 1\n1..%d\n", n * (int)ARRAY_SIZE(tests));
	for (i = 0; i < n; i++)
		failed += run_all(seeds[i], i * (int)ARRAY_SIZE(tests));
	return failed ? 1 : 0;
}
