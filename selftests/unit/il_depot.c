// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved operations on the stack depot: one class, one pool, stacks that all have one first
 * place. Handlers enter and leave; who evicts waits for those inside, as a grace period does.
 * After each schedule the whole depot is checked, and that a handle that was got names its stack.
 */
#define IL_STACKS	4
#define IL_NR		5

static struct asite_depot il_depot;
static unsigned int il_n[IL_STACKS];
/* By task: what it got last, of which stack; whether it is outside a handler. */
static long depot_got[IL_TASKS];
static int got_stack[IL_TASKS];
static int outside[IL_TASKS];

static const struct asite_depot_config il_depot_config = {
	.classes = depot_one_class,
	.nr_classes = 1,
	.max_stacks = 1024,
	.max_bytes = 1 << 20,
	.ops = &depot_ops,
};

static void choose_stacks(void)
{
	struct asite_depot_stack stack;
	unsigned int n, i = 0;
	u64 place = 0;

	for (n = 0; i < IL_STACKS; n++) {
		make_stack(&stack, 300, n, IL_NR);
		if (!i)
			place = asite_depot_first(&il_depot, hash_whole(&stack, IL_NR)) >> 32;
		if (asite_depot_first(&il_depot, hash_whole(&stack, IL_NR)) >> 32 == place)
			il_n[i++] = n;
	}
}

static void depot_start(void)
{
	int i;

	if (il_depot.nr_pools == 2)
		asite_depot_destroy(&il_depot);
	if (!il_depot.index) {
		if (asite_depot_init(&il_depot, &il_depot_config))
			exit(2);
		choose_stacks();
	}
	asite_depot_reset(&il_depot);
	memset(depot_live, 0, sizeof(depot_live));
	memset(flags, 0, sizeof(flags));
	for (i = 0; i < IL_TASKS; i++) {
		depot_got[i] = -2;
		outside[i] = 1;
	}
}

static long depot_find_nth(int n)
{
	return find_nth(&il_depot, 300, il_n[n], IL_NR);
}

/* One is there, as record 0. */
static void depot_start_one(void)
{
	depot_start();
	depot_find_nth(0);
}

/* The same, with an object. */
static void depot_start_one_live(void)
{
	depot_start_one();
	depot_live[0] = 1;
}

/* Two are there, and no record is left. */
static void depot_start_two(void)
{
	depot_start_one();
	depot_find_nth(1);
	atomic_set(&il_depot.classes[0].next, ASITE_DEPOT_POOL);
}

static void depot_start_one_record(void)
{
	depot_start();
	atomic_set(&il_depot.classes[0].next, ASITE_DEPOT_POOL - 1);
}

/* Three are there, two of them in dead places. */
static void depot_start_dead(void)
{
	depot_start_one();
	depot_find_nth(1);
	depot_find_nth(2);
	asite_depot_unlink(&il_depot, 0);
	asite_depot_unlink(&il_depot, 1);
}

/* -- what tasks do -------------------------------------------------------------- */

/* A handler: an object is allocated with this stack; it may find no room. */
static void depot_event(int task, int n)
{
	outside[task] = 0;
	depot_got[task] = depot_find_nth(n);
	got_stack[task] = n;
	shim_yield(&depot_live, SHIM_PERCPU);
	if (depot_got[task] >= 0)
		__atomic_add_fetch(&depot_live[depot_got[task]], 1, __ATOMIC_RELAXED);
	outside[task] = 1;
}

static void depot_event_and_free(int task, int n)
{
	depot_event(task, n);
	shim_yield(&depot_live, SHIM_PERCPU);
	if (depot_got[task] < 0)
		return;
	__atomic_sub_fetch(&depot_live[depot_got[task]], 1, __ATOMIC_RELAXED);
	depot_got[task] = -2;
}

static void depot_event_0(void) { depot_event(0, 0); }
static void depot_event_1_of_0(void) { depot_event(1, 0); }
static void depot_event_1_of_1(void) { depot_event(1, 1); }
static void depot_event_1_of_2(void) { depot_event(1, 2); }
static void depot_event_2_of_0(void) { depot_event(2, 0); }
static void depot_event_2_of_2(void) { depot_event(2, 2); }
static void depot_event_2_of_3(void) { depot_event(2, 3); }
static void depot_free_0(void) { depot_event_and_free(0, 0); }
static void depot_free_1_of_2(void) { depot_event_and_free(1, 2); }

static void depot_unlink_0(void)
{
	asite_depot_unlink(&il_depot, 0);
}

static void depot_grow_it(void)
{
	expect_eq(asite_depot_grow(&il_depot), 0);
}

/* Record 0, if it is in use, is whole. */
static void depot_read_0(void)
{
	struct asite_depot_stack stack;

	make_stack(&stack, 300, il_n[0], IL_NR);
	if (in_use(&il_depot, 0))
		expect_record(&il_depot, 0, &stack, IL_NR);
}

static void wait_for_handlers(void)
{
	int i;

	for (i = 0; i < IL_TASKS; i++)
		il_wait_for(&outside[i]);
}

static void depot_evict_one(void)
{
	begin_eviction(&il_depot, 1);
	wait_for_handlers();
	end_eviction(&il_depot);
}

static void depot_evict_twice(void)
{
	depot_evict_one();
	depot_evict_one();
}

/* -- what holds then -------------------------------------------------------------- */

static void depot_check(void)
{
	struct asite_depot_stack stack;
	int i;

	check_depot(&il_depot);
	for (i = 0; i < IL_TASKS; i++) {
		if (depot_got[i] < 0)
			continue;
		make_stack(&stack, 300, il_n[got_stack[i]], IL_NR);
		expect_record(&il_depot, depot_got[i], &stack, IL_NR);
	}
}

static void depot_check_all_got(void)
{
	int i;

	depot_check();
	for (i = 0; i < IL_TASKS; i++)
		expect(depot_got[i] != -1);
}

/* Nothing was dead: no stack is there twice, what was lost is told. */
static void depot_check_no_twin(void)
{
	int i, j;

	depot_check_all_got();
	for (i = 0; i < IL_TASKS; i++) {
		expect(depot_got[i] < 0 || asite_depot_indexed(&il_depot, depot_got[i]));
		for (j = 0; j < i; j++) {
			if (depot_got[i] >= 0 && depot_got[j] >= 0)
				expect_eq(depot_got[i] == depot_got[j],
					  got_stack[i] == got_stack[j]);
		}
	}
	expect_eq(atomic_read(&il_depot.classes[0].next),
		  depot_stat(&il_depot, inserts) + depot_stat(&il_depot, races));
	expect_eq(count_records(&il_depot), depot_stat(&il_depot, inserts));
}

static void depot_check_one_refused(void)
{
	depot_check();
	expect_eq((depot_got[0] == -1) + (depot_got[1] == -1), 1);
	expect_eq(depot_stat(&il_depot, late), 1);
}

/* Every handle is in the ring, or in one record that is in use. */
static void depot_check_evicted(void)
{
	struct asite_depot_evict_ring *ring = &il_depot.classes[0].ring;
	unsigned long i, j;

	depot_check();
	for (i = atomic_long_read(&ring->head); i < ring->tail; i++) {
		expect(!in_use(&il_depot, ring->handles[i % ASITE_DEPOT_RING]));
		for (j = atomic_long_read(&ring->head); j < i; j++)
			expect(ring->handles[i % ASITE_DEPOT_RING] !=
			       ring->handles[j % ASITE_DEPOT_RING]);
	}
	expect(depot_got[1] < 0 || depot_got[1] != depot_got[2] || got_stack[1] == got_stack[2]);
	/* Those that were there at first, or what was put in their place. */
	expect_eq(count_records(&il_depot) + ring_count(ring) + (depot_stat(&il_depot, races) -
		  il_depot.evict.regained), 2);
}

/* -- the ring alone ---------------------------------------------------------------- */

static void ring_start(void)
{
	struct asite_depot_evict_ring *ring = &il_depot.classes[0].ring;

	depot_start();
	ring = &il_depot.classes[0].ring;
	memset(ring->handles, -1, ASITE_DEPOT_RING * sizeof(u32));
	atomic_long_set(&ring->head, ASITE_DEPOT_RING - 2);
	ring->tail = ASITE_DEPOT_RING - 2;
	push_handle(ring, 40);
}

static void ring_push(void)
{
	push_handle(&il_depot.classes[0].ring, 41);
	push_handle(&il_depot.classes[0].ring, 42);
}

static void ring_pop(int task)
{
	depot_got[task] = pop_handle(&il_depot.classes[0].ring);
}

static void ring_pop_1(void) { ring_pop(1); }
static void ring_pop_2(void) { ring_pop(2); }

static void ring_pop_3_twice(void)
{
	ring_pop(3);
	if (depot_got[3] < 0)
		ring_pop(3);
}

static void see_handle(unsigned int *seen, long handle)
{
	if (handle >= 0 && expect(handle >= 40 && handle < 43))
		seen[handle - 40]++;
}

static void ring_check(void)
{
	unsigned int seen[3] = { }, i;
	long handle;

	for (i = 1; i < IL_TASKS; i++)
		see_handle(seen, depot_got[i]);
	while ((handle = pop_handle(&il_depot.classes[0].ring)) >= 0)
		see_handle(seen, handle);
	for (i = 0; i < 3; i++)
		expect_eq(seen[i], 1);
}

static const struct il_scenario il_depot_scenarios[] = {
	{ "il_depot_same_stack", depot_start, depot_check_no_twin, NULL, 2,
	  { CPU(0, depot_event_0), CPU(1, depot_event_1_of_0) } },
	{ "il_depot_same_stack_three", depot_start, depot_check_no_twin, NULL, 1,
	  { CPU(0, depot_event_0), CPU(1, depot_event_1_of_0), CPU(2, depot_event_2_of_0) } },
	{ "il_depot_same_place", depot_start, depot_check_no_twin, NULL, 2,
	  { CPU(0, depot_event_0), CPU(1, depot_event_1_of_1) } },
	{ "il_depot_irq_same_stack", depot_start, depot_check_no_twin, NULL, 2,
	  { CPU(0, depot_event_0), IRQ(0, depot_event_1_of_0, 0), IRQ(0, depot_event_2_of_3, 1) } },
	{ "il_depot_last_record", depot_start_one_record, depot_check_one_refused, NULL, 2,
	  { CPU(0, depot_event_0), CPU(1, depot_event_1_of_1) } },
	{ "il_depot_retire", depot_start_one, depot_check_all_got, NULL, 2,
	  { CPU(0, depot_unlink_0), CPU(1, depot_event_1_of_0), CPU(2, depot_event_2_of_0) } },
	{ "il_depot_dead_place", depot_start_dead, depot_check_all_got, NULL, 2,
	  { CPU(0, depot_event_0), CPU(1, depot_event_1_of_1) } },
	{ "il_depot_dead_place_three", depot_start_dead, depot_check_all_got, NULL, 1,
	  { CPU(0, depot_event_0), CPU(1, depot_event_1_of_2), CPU(2, depot_event_2_of_3) } },
	{ "il_depot_grow", depot_start_two, depot_check, NULL, 2,
	  { CPU(0, depot_grow_it), CPU(1, depot_event_1_of_2) } },
	{ "il_depot_reader", depot_start, depot_check_all_got, NULL, 2,
	  { CPU(0, depot_event_0), CPU(1, depot_read_0) } },
	{ "il_depot_evict_find", depot_start_two, depot_check_evicted, NULL, 2,
	  { CPU(0, depot_evict_one), CPU(1, depot_event_1_of_0) } },
	{ "il_depot_evict_reuse", depot_start_two, depot_check_evicted, NULL, 2,
	  { CPU(0, depot_evict_one), CPU(1, depot_event_1_of_0), CPU(2, depot_event_2_of_2) } },
	{ "il_depot_evict_insert", depot_start_one_live, depot_check, NULL, 2,
	  { CPU(0, depot_evict_one), CPU(1, depot_free_1_of_2) } },
	{ "il_depot_evict_twice", depot_start_two, depot_check_evicted, NULL, 2,
	  { CPU(0, depot_evict_twice), CPU(1, depot_free_1_of_2), CPU(2, depot_event_2_of_2) } },
	{ "il_depot_evict_free", depot_start_two, depot_check_evicted, NULL, 2,
	  { CPU(0, depot_free_0), CPU(1, depot_event_1_of_2), CPU(2, depot_evict_twice) } },
	{ "il_depot_ring", ring_start, ring_check, NULL, 2,
	  { CPU(0, ring_push), CPU(1, ring_pop_1), CPU(2, ring_pop_2), CPU(3, ring_pop_3_twice) } },
	{ }
};
