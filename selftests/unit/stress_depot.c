// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack depot under stress; included by stress.c. More stacks than records: workers find and
 * insert them, objects that name records pass between threads, the owner makes pools and evicts
 * with grace periods, a reader walks. References are counted as the module does: allocations and
 * frees, each per CPU, and summed frees first.
 */
#define STRESS_RECORDS	1024
#define STRESS_STACKS	6000
#define STRESS_OBJECTS	(1 + HELD * THREADS)	/* 0 is none */

static struct asite_depot stress_depot;
static u32 depot_allocs[THREADS][STRESS_RECORDS], depot_frees[THREADS][STRESS_RECORDS];
/* By object: the handle, or -1; belongs to whoever has the object. */
static long handle_of[STRESS_OBJECTS];
/* Odd inside a handler. */
static unsigned long handler_seq[THREADS];
static u64 stacks_none, moved, rounds, walked;

static unsigned int stress_stack(struct asite_depot_stack *stack, unsigned int n)
{
	unsigned int nr = 1 + n % 15;

	make_stack(stack, 300, n, nr);
	return nr;
}

/* The number of the stack in a record, checked to be one of ours and whole. */
static void check_stress_record(u32 handle)
{
	const u32 *frames;
	struct asite_depot_stack stack;
	unsigned int nr, got;

	frames = asite_depot_frames(&stress_depot, handle, &got);
	nr = stress_stack(&stack, (frames[0] - 0x81000000) / 4);
	expect(got == nr && !memcmp(frames, stack.frames, nr * sizeof(*frames)));
}

static void count_depot(u32 *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static void release_stack(unsigned long obj)
{
	long handle = handle_of[obj];

	if (handle < 0)
		return;
	check_stress_record(handle);
	handle_of[obj] = -1;
	__atomic_add_fetch(&depot_frees[shim_cpu][handle], 1, __ATOMIC_RELEASE);
}

/* A few stacks are seen often, most of them seldom. */
static void allocate_stack(unsigned long obj, unsigned long *rng)
{
	struct asite_depot_stack stack;
	unsigned int nr;

	release_stack(obj);
	nr = stress_stack(&stack, seed_next(rng) % 2 ? seed_next(rng) % 16 :
			  seed_next(rng) % STRESS_STACKS);
	__atomic_add_fetch(&handler_seq[shim_cpu], 1, __ATOMIC_SEQ_CST);
	handle_of[obj] = find_stack(&stress_depot, &stack, nr);
	if (handle_of[obj] >= 0)
		count_depot(&depot_allocs[shim_cpu][handle_of[obj]]);
	else
		__atomic_add_fetch(&stacks_none, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&handler_seq[shim_cpu], 1, __ATOMIC_SEQ_CST);
}

static bool stress_idle(const struct asite_depot *d, u32 handle, void *data)
{
	u32 live = 0;
	int cpu;

	for (cpu = 0; cpu < THREADS; cpu++) {
		/* Pairs with the release in release_stack(). */
		live -= smp_load_acquire(&depot_frees[cpu][handle]);
	}
	for (cpu = 0; cpu < THREADS; cpu++)
		live += READ_ONCE(depot_allocs[cpu][handle]);
	return !live;
}

static void stress_release(const struct asite_depot *d, u32 handle, void *data)
{
	int cpu;

	for (cpu = 0; cpu < THREADS; cpu++) {
		moved += READ_ONCE(depot_allocs[cpu][handle]);
		WRITE_ONCE(depot_allocs[cpu][handle], 0);
		WRITE_ONCE(depot_frees[cpu][handle], 0);
	}
}

/* Every handler that runs now has ended. */
static void grace_period(void)
{
	unsigned long seq;
	int cpu;

	for (cpu = 0; cpu < THREADS; cpu++) {
		seq = __atomic_add_fetch(&handler_seq[cpu], 0, __ATOMIC_SEQ_CST);
		while (seq % 2 && __atomic_load_n(&handler_seq[cpu], __ATOMIC_SEQ_CST) == seq)
			sched_yield();
	}
}

static void evict_stress(void)
{
	asite_depot_evict_begin(&stress_depot, 400, stress_idle, NULL);
	grace_period();
	asite_depot_evict_end(&stress_depot, stress_idle, stress_release, NULL);
	rounds++;
}

static void *depot_owner(void *arg)
{
	while (!READ_ONCE(stop)) {
		pthread_mutex_lock(&owner_lock);
		asite_depot_grow(&stress_depot);
		if (asite_depot_evict_wanted(&stress_depot))
			evict_stress();
		pthread_mutex_unlock(&owner_lock);
		usleep(100);
	}
	return NULL;
}

/* Under the owner's lock no record is reused: what was read is there at the end. */
static void *depot_reader(void *arg)
{
	static u32 leaf[STRESS_RECORDS];
	unsigned int nr;
	long handle;

	while (!READ_ONCE(stop)) {
		pthread_mutex_lock(&owner_lock);
		memset(leaf, 0, sizeof(leaf));
		for (handle = -1; (handle = asite_depot_next(&stress_depot, handle)) >= 0;) {
			check_stress_record(handle);
			leaf[handle] = asite_depot_frames(&stress_depot, handle, &nr)[0];
			walked++;
		}
		for (handle = 0; handle < STRESS_RECORDS; handle++) {
			if (leaf[handle])
				expect_eq(asite_depot_frames(&stress_depot, handle, &nr)[0],
					  leaf[handle]);
		}
		pthread_mutex_unlock(&owner_lock);
		usleep(5000);
	}
	return NULL;
}

/* So that no ring stays full. */
static void empty_rings(void)
{
	unsigned int i;

	for (i = 0; i < stress_depot.nr_classes; i++) {
		while (pop_handle(&stress_depot.classes[i].ring) >= 0)
			;
	}
}

static void check_depot_stress(void)
{
	struct asite_depot_stats stats;
	unsigned long obj;

	for (obj = 0; obj < STRESS_OBJECTS; obj++)
		release_stack(obj);
	check_depot(&stress_depot);
	asite_depot_stats(&stress_depot, &stats);
	case_print("# %llu stacks, %llu inserts, %llu races, %llu not recorded, %llu walked\n",
		   events, stats.inserts, stats.races, stacks_none, walked);
	case_print("# %llu evicted in %llu rounds, %llu kept, %llu regained\n",
		   stress_depot.evict.evicted, rounds, stress_depot.evict.kept,
		   stress_depot.evict.regained);
	expect(events > 1000 && stats.inserts > STRESS_RECORDS + 500 && walked > 1000 &&
	       rounds > 3);
	expect(stress_depot.evict.kept > 0);
	expect_eq(stats.full + stats.late + stats.far, stacks_none);
	/* Nothing is live: all can be given back, and every event was in some record. */
	while (stats.records) {
		evict_stress();
		empty_rings();
		asite_depot_stats(&stress_depot, &stats);
	}
	expect_eq(moved + stacks_none, events);
}

static int stress_add_pool(struct asite_depot *d, unsigned int nr)
{
	return 0;
}

/* The owner looks all the time. */
static void stress_kick(struct asite_depot *d)
{
}

static const struct asite_depot_ops stress_depot_ops = {
	.add_pool = stress_add_pool,
	.kick = stress_kick,
};

static int stress_depot_init(void)
{
	static const u16 classes[] = { 7, 15 };
	struct asite_depot_config config = {
		.classes = classes, .nr_classes = 2, .max_stacks = STRESS_RECORDS,
		.max_bytes = 1 << 20, .ops = &stress_depot_ops,
	};

	memset(handle_of, -1, sizeof(handle_of));
	return asite_depot_init(&stress_depot, &config);
}

static const struct subject depot_subject = {
	.name = "stress_depot",
	.base = 1,
	.step = 1,
	.allocate = allocate_stack,
	.release = release_stack,
	.check = check_depot_stress,
	.owner = depot_owner,
	.reader = depot_reader,
};
