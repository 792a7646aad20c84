// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads, each a CPU, allocate and free objects through the cores in the
 * order of track.c, and hand objects to each other: first with live words and sites,
 * where a reader sums all the time and another thread makes batches and retires sites;
 * then with areas, with page frames, and with stacks. Built with TSan; KTAP out.
 *
 * Locks: boxes[n].lock hands objects to thread n and orders their accesses, as
 * whatever passes an object between CPUs does in the kernel; owner_lock is what
 * asite_state_lock is in the module.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../cases/cases.c"
#include "seed.h"

#define THREADS		SHIM_NR_CPUS
#define HELD		256	/* objects per thread: 4 x 256 are too many for 512 words */
#define BOX		128
/* Slots of the batches that asite_sites_init() makes, and callers for some more. */
#define MADE_AT_START	(ASITE_BATCH_SLOTS + SPARE_SLOTS)
#define CALLERS		(MADE_AT_START + 1000)

struct box {
	pthread_mutex_t lock;
	unsigned long objects[BOX];
	int n;
};

/* What is stressed, and the addresses for it. */
struct subject {
	const char *name;
	unsigned long base, step;
	void (*allocate)(unsigned long obj, unsigned long *rng);
	void (*release)(unsigned long obj);
	void (*check)(void);
	void *(*owner)(void *arg);		/* beside the workers, or NULL */
	void *(*reader)(void *arg);
};

static const struct subject *subject;
static struct asite_objtab tab;
static struct box boxes[THREADS] = {
	[0 ... THREADS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static pthread_mutex_t owner_lock = PTHREAD_MUTEX_INITIALIZER;
static int stop, kicked;
static u64 events, lost;
static unsigned long first_seed;

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

/* The first race is enough to read. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "halt_on_error=1";
}

/* The index whose places are claimed, of the present subject. */
static const void *contended;
static u64 contended_bytes;

/* Before a key is claimed another thread gets a turn, and may claim what was seen empty. */
void shim_yield(const volatile void *addr, enum shim_kind kind)
{
	unsigned long offset = (unsigned long)addr - (unsigned long)contended;

	if (kind == SHIM_RMW && offset < contended_bytes)
		sched_yield();
}

static void kick_stress(struct asite_sitetab *t)
{
	WRITE_ONCE(kicked, 1);
}

static void describe_stress(struct asite_site *site)
{
	site->size = site->sub;
}

static const struct asite_sites_ops stress_ops = {
	.describe = describe_stress,
	.kick = kick_stress,
};

static void stale_found(u64 old)
{
	u64 slot = (old & ((1ULL << ASITE_TAG_SHIFT) - 1)) >> ASITE_GEN_BITS;

	this_cpu_inc(asite_sites_counts(&sites_tab, slot)->frees);
}

static unsigned long random_caller(unsigned long *rng)
{
	return CASE_TEXT + 5 * (seed_next(rng) % CALLERS);
}

/* Keys that another thread may be publishing now. */
static void look_up_some(unsigned long *rng)
{
	const struct asite_key *key;
	int i;

	for (i = 0; i < 4; i++) {
		key = asite_sites_lookup(&sites_tab, random_caller(rng), 64);
		if (key)
			expect(slot_of(key) >= FIRST_SLOT);
	}
}

static void allocate(unsigned long obj, unsigned long *rng)
{
	struct asite_key *key;
	u64 old;

	look_up_some(rng);
	key = find_kmalloc(random_caller(rng), 64);
	this_cpu_inc(key->counts->allocs);
	switch (asite_objtab_insert(&tab, obj, key->bits, &old)) {
	case ASITE_INSERT_FULL:
		this_cpu_inc(key->counts->untracked);
		break;
	case ASITE_INSERT_STALE:
		stale_found(old);
		break;
	default:
		break;
	}
}

static void release(unsigned long obj)
{
	long rest = asite_objtab_remove(&tab, obj);

	if (rest >= 0)
		this_cpu_inc(asite_sites_counts(&sites_tab, rest >> ASITE_GEN_BITS)->frees);
}

/* Give a live object to another thread; false if its box is full. */
static bool give(unsigned long obj, int to)
{
	struct box *b = &boxes[to];
	bool ok;

	pthread_mutex_lock(&b->lock);
	ok = b->n < BOX;
	if (ok)
		b->objects[b->n++] = obj;
	pthread_mutex_unlock(&b->lock);
	return ok;
}

static unsigned long take(int me)
{
	struct box *b = &boxes[me];
	unsigned long obj = 0;

	pthread_mutex_lock(&b->lock);
	if (b->n)
		obj = b->objects[--b->n];
	pthread_mutex_unlock(&b->lock);
	return obj;
}

/*
 * The allocator's side: who holds an address may allocate it. Addresses travel
 * with the objects, so a table word changes owners all the time.
 */
static void *worker(void *arg)
{
	int me = (long)arg, n = HELD, i;
	unsigned long rng = first_seed + me, free_list[HELD * THREADS], obj;

	shim_cpu = me;
	for (i = 0; i < HELD; i++)
		free_list[i] = subject->base + subject->step * (i * THREADS + me);
	while (!READ_ONCE(stop)) {
		/* Seldom enough that boxes fill up. */
		obj = seed_next(&rng) % 4 ? 0 : take(me);
		if (obj) {
			/* Some frees are missed: the next allocation must find the word. */
			if (seed_next(&rng) % 16)
				subject->release(obj);
			else
				__atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
			free_list[n++] = obj;
			continue;
		}
		if (!n)
			continue;
		i = seed_next(&rng) % n;
		obj = free_list[i];
		subject->allocate(obj, &rng);
		__atomic_add_fetch(&events, 1, __ATOMIC_RELAXED);
		if (seed_next(&rng) % 2 && give(obj, seed_next(&rng) % THREADS))
			free_list[i] = free_list[--n];
		else
			subject->release(obj);
	}
	/* Stopped: what is still missed or underway goes now. */
	while ((obj = take(me)))
		free_list[n++] = obj;
	for (i = 0; i < n; i++)
		subject->release(free_list[i]);
	return NULL;
}

static void *owner(void *arg)
{
	unsigned long caller = CASE_TEXT + 5 * 7;

	while (!READ_ONCE(stop)) {
		pthread_mutex_lock(&owner_lock);
		if (READ_ONCE(kicked)) {
			WRITE_ONCE(kicked, 0);
			expect_eq(asite_sites_grow(&sites_tab), 0);
		}
		pthread_mutex_unlock(&owner_lock);
		usleep(300);
		pthread_mutex_lock(&owner_lock);
		asite_sites_retire(&sites_tab, match_caller, &caller);
		pthread_mutex_unlock(&owner_lock);
	}
	return NULL;
}

/*
 * Nothing but asite_sites_used() orders the making of a new slot's batch before this: the
 * first slot that is looked at is in a batch that the other thread made.
 */
static void read_newest(void)
{
	struct asite_sum sum;
	unsigned int used;

	do
		used = asite_sites_used(&sites_tab);
	while (used <= MADE_AT_START && !READ_ONCE(stop));
	asite_sites_sum(&sites_tab, used - 1, &sum);
}

static void read_all(void)
{
	unsigned int slot = asite_sites_used(&sites_tab);
	struct asite_site *site;
	struct asite_sum sum;

	while (slot--) {
		asite_sites_sum(&sites_tab, slot, &sum);
		expect(sum.allocs >= sum.frees + sum.untracked);
		site = asite_sites_site(&sites_tab, slot);
		if (site && slot >= FIRST_SLOT)
			expect(site->caller >= CASE_TEXT && site->size == 64);
	}
}

static void *reader(void *arg)
{
	read_newest();
	while (!READ_ONCE(stop))
		read_all();
	return NULL;
}

static void run_threads(unsigned int milliseconds)
{
	struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
	pthread_t threads[THREADS], other[2];
	long i;

	WRITE_ONCE(stop, 0);
	events = 0;
	lost = 0;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	if (subject->owner) {
		pthread_create(&other[0], NULL, subject->owner, NULL);
		pthread_create(&other[1], NULL, subject->reader, NULL);
	}
	nanosleep(&t, NULL);
	WRITE_ONCE(stop, 1);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 2 && subject->owner; i++)
		pthread_join(other[i], NULL);
}

static void give_back_boxes(void)
{
	unsigned long obj;
	int i;

	for (i = 0; i < THREADS; i++)
		while ((obj = take(i)))
			subject->release(obj);
}

static void check_objects(void)
{
	struct asite_sum all;

	sum_all(&sites_tab, &all);
	expect_eq(all.live, 0);
	expect_eq(all.allocs, events);
	check_objtab(&tab, 0);
	case_print("# %llu allocations, %llu untracked, %llu frees missed, %u slots, %ld late\n",
		   all.allocs, all.untracked, lost, asite_sites_used(&sites_tab),
		   atomic_long_read(&sites_tab.late));
	expect(all.allocs > 1000 && all.untracked > 10 && lost > 10);
	expect(asite_sites_used(&sites_tab) > MADE_AT_START);
}

static const struct subject objects = {
	.name = "stress_threads",
	.base = CASE_BASE,
	.step = 8,
	.allocate = allocate,
	.release = release,
	.owner = owner,
	.reader = reader,
	.check = check_objects,
};

#include "stress_areas.c"
#include "stress_pagemap.c"
#include "stress_depot.c"

static bool run(const struct subject *s, int number, unsigned int milliseconds)
{
	bool ok;

	subject = s;
	run_threads(milliseconds);
	give_back_boxes();
	s->check();
	ok = !case_failures();
	case_print("%s %d %s\n", case_result(ok), number, s->name);
	return ok;
}

int main(void)
{
	unsigned long seeds[SEEDS_MAX];
	bool ok;

	setvbuf(stdout, NULL, _IOLBF, 0);
	first_seed = seeds[get_seeds(seeds) - 1];
	case_print("KTAP version 1\n1..4\n# SEED=0x%lx\n", first_seed);
	if (asite_objtab_init(&tab, CASE_TABLE, CASE_HIGHEST) ||
	    asite_areatab_init(&areas, CASE_AREAS) || stress_pages_init() || stress_depot_init() ||
	    asite_sites_init(&sites_tab, CALLERS + 100, 0, &stress_ops))
		return 2;
	contended = sites_tab.index;
	contended_bytes = sites_tab.mask_bytes + 1;
	ok = run(&objects, 1, 3000);
	ok &= run(&area_subject, 2, 1500);
	ok &= run(&page_subject, 3, 1500);
	contended = stress_depot.index;
	contended_bytes = places(&stress_depot) * sizeof(u32);
	ok &= run(&depot_subject, 4, 2000);
	asite_objtab_destroy(&tab);
	asite_sites_destroy(&sites_tab);
	asite_areatab_destroy(&areas);
	asite_pagemap_destroy(&stress_pages);
	asite_depot_destroy(&stress_depot);
	return ok ? 0 : 1;
}
