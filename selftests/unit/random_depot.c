// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations on the stack depot against a model that knows which record each stack is
 * found in, and of each record the stack, the objects that name it and whether it can be found.
 * Included by random.c.
 */
#define MODEL_STACKS	3000
#define MODEL_RECORDS	2048	/* fewer than stacks */

struct model_record {
	int stack;		/* -1: nobody's */
	unsigned int live;
	bool linked;
};

static struct model_record record_model[MODEL_RECORDS];
static long linked_record[MODEL_STACKS];
static unsigned int stacks_refused, stacks_evicted, stacks_kept;

/* Lengths and owners vary with the number. */
static unsigned int model_stack(struct asite_depot_stack *stack, unsigned int n)
{
	unsigned int nr = n % 30;

	make_stack(stack, 300 + n / 30 % 3, n / 90, nr);
	if (!nr)
		stack->owner = 1000 + n;
	return nr;
}

static bool model_idle(const struct asite_depot *d, u32 handle, void *data)
{
	return !record_model[handle].live;
}

static void model_release(const struct asite_depot *d, u32 handle, void *data)
{
	struct model_record *m = &record_model[handle];

	expect(m->stack >= 0 && !m->live && !m->linked);
	m->stack = -1;
	stacks_evicted++;
}

static void forget_stacks(void)
{
	memset(record_model, 0, sizeof(record_model));
	memset(linked_record, -1, sizeof(linked_record));
	while (record_model[MODEL_RECORDS - 1].stack != -1)
		memset(record_model, -1, sizeof(record_model));
}

static void unlink_model(long handle)
{
	struct model_record *m = &record_model[handle];

	m->linked = false;
	if (!expect(m->stack >= 0))
		return;
	if (linked_record[m->stack] == handle)
		linked_record[m->stack] = -1;
}

static void step_find(struct asite_depot *d)
{
	unsigned int n = below(MODEL_STACKS), nr;
	struct asite_depot_stack stack;
	struct model_record *m;
	long got;

	nr = model_stack(&stack, n);
	got = find_stack(d, &stack, nr);
	if (linked_record[n] >= 0)
		expect_eq(got, linked_record[n]);
	stacks_refused += got < 0;
	if (got < 0 || !expect(got < MODEL_RECORDS))
		return;
	m = &record_model[got];
	if (linked_record[n] < 0) {
		expect_eq(m->stack, -1);
		*m = (struct model_record){ .stack = n, .linked = true };
		linked_record[n] = got;
		expect_record(d, got, &stack, nr);
	}
	m->live += !below(2);
}

static void step_free(void)
{
	struct model_record *m = &record_model[below(MODEL_RECORDS)];

	if (m->stack >= 0 && m->live)
		m->live--;
}

static void step_evict(struct asite_depot *d)
{
	unsigned int i, victims, given, n = below(20);

	victims = asite_depot_evict_begin(d, below(300), model_idle, NULL);
	for (i = 0; i < victims; i++)
		unlink_model(d->evict.victims[i]);
	/* Handlers run on meanwhile; one has found a victim before. */
	if (victims && !below(2))
		record_model[d->evict.victims[below(victims)]].live++;
	while (n--)
		step_find(d);
	given = asite_depot_evict_end(d, model_idle, model_release, NULL);
	expect(given <= victims);
	stacks_kept += victims - given;
}

static bool match_some(const struct asite_depot *d, u32 handle, void *data)
{
	return handle % 64 == *(u32 *)data;
}

static void step_retire_stacks(struct asite_depot *d)
{
	u32 some = below(64), handle, n = 0;

	for (handle = 0; handle < MODEL_RECORDS; handle++) {
		if (record_model[handle].stack < 0 || !record_model[handle].linked ||
		    handle % 64 != some)
			continue;
		unlink_model(handle);
		n++;
	}
	expect_eq(asite_depot_retire(d, match_some, &some), n);
}

static void check_model_stacks(const struct asite_depot *d)
{
	struct asite_depot_stack stack;
	unsigned int nr, records = 0;
	struct model_record *m;
	long handle;

	check_depot(d);
	for (handle = 0; handle < MODEL_RECORDS; handle++) {
		m = &record_model[handle];
		if (m->stack < 0)
			continue;
		records++;
		nr = model_stack(&stack, m->stack);
		expect_record(d, handle, &stack, nr);
		expect_eq(asite_depot_indexed(d, handle), m->linked);
	}
	expect_eq(count_records(d), records);
}

static void step_depot(struct asite_depot *d, unsigned int n)
{
	if (below(3))
		step_find(d);
	else
		step_free();
	if (depot_kicks && !below(50)) {
		depot_kicks = 0;
		expect_eq(asite_depot_grow(d), 0);
	}
	if (asite_depot_evict_wanted(d) && !below(200))
		step_evict(d);
	if (!below(5000))
		step_retire_stacks(d);
	if (n % CHECK_EVERY == 0)
		check_model_stacks(d);
}

static void random_depot(void)
{
	static const u16 classes[] = { 3, 11, 31 };
	unsigned int n;

	if (depot_init_with(classes, ARRAY_SIZE(classes), MODEL_RECORDS, 1 << 20))
		exit(2);
	forget_stacks();
	for (n = 0; n < STEPS; n++) {
		step_depot(&depot, n);
		if (n == STEPS / 2) {
			asite_depot_reset(&depot);
			forget_stacks();
		}
	}
	check_model_stacks(&depot);
	case_print("# %u not recorded, %u evicted, %u kept\n", stacks_refused, stacks_evicted,
		   stacks_kept);
	expect(stacks_refused > 100 && stacks_evicted > 1000 && stacks_kept > 10);
	depot_end(0);
}
