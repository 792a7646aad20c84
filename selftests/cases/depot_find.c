// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack depot: what is found, what tells stacks apart, and places of the index. The helpers
 * are for the other cases, random_depot.c, stress_depot.c and the interleaver too.
 */

static const u16 depot_classes[] = { 3, 7, 11, 15, 19, 23, 31, 47, 63 };
static const u16 depot_one_class[] = { 7 };

static struct asite_depot depot;
static unsigned int depot_pools_asked, depot_kicks;
static int depot_pool_error;

static int depot_add_pool(struct asite_depot *d, unsigned int nr)
{
	expect_eq(nr, d->nr_pools);
	depot_pools_asked++;
	return depot_pool_error;
}

static void depot_kick(struct asite_depot *d)
{
	depot_kicks++;
}

static const struct asite_depot_ops depot_ops = {
	.add_pool = depot_add_pool,
	.kick = depot_kick,
};

static int depot_init_with(const u16 *classes, unsigned int nr_classes,
			   unsigned int max_stacks, u64 max_bytes)
{
	struct asite_depot_config config = {
		.classes = classes,
		.nr_classes = nr_classes,
		.max_stacks = max_stacks,
		.max_bytes = max_bytes,
		.ops = &depot_ops,
	};

	depot_pools_asked = 0;
	depot_kicks = 0;
	depot_pool_error = 0;
	memset(&depot, 0, sizeof(depot));
	return asite_depot_init(&depot, &config);
}

/* All classes, bounded by stacks only. */
static int depot_init(unsigned int max_stacks)
{
	return depot_init_with(depot_classes, ARRAY_SIZE(depot_classes), max_stacks, 1ULL << 32);
}

/* Slots of 7 frames: 512 records and 1,024 places for each 512 stacks. */
static int depot_init_7(unsigned int max_stacks)
{
	return depot_init_with(depot_one_class, 1, max_stacks, 1ULL << 32);
}

static int depot_end(int err)
{
	asite_depot_destroy(&depot);
	return err;
}

static u64 hash_frames(const struct asite_depot_stack *stack, unsigned int nr)
{
	u64 hash = ASITE_DEPOT_HASH;
	unsigned int i;

	for (i = 0; i < nr; i++)
		hash = asite_depot_hash(hash, stack->frames[i]);
	return hash;
}

/* The n-th stack of an owner: a leaf of its own, the rest shared. */
static void make_stack(struct asite_depot_stack *stack, u32 owner, unsigned int n,
		       unsigned int nr)
{
	unsigned int i;

	memset(stack, 0xff, sizeof(*stack));
	stack->owner = owner;
	for (i = 0; i < nr; i++)
		stack->frames[i] = 0x81000000 + i * 0x1230;
	if (nr)
		stack->frames[0] += 4 * n;
}

static long find_stack(struct asite_depot *d, struct asite_depot_stack *stack, unsigned int nr)
{
	return asite_depot_find(d, stack, nr, hash_frames(stack, nr));
}

static long find_nth(struct asite_depot *d, u32 owner, unsigned int n, unsigned int nr)
{
	struct asite_depot_stack stack;

	make_stack(&stack, owner, n, nr);
	return find_stack(d, &stack, nr);
}

/* Is a record just this stack? */
static bool expect_record(const struct asite_depot *d, long handle,
			  const struct asite_depot_stack *stack, unsigned int nr)
{
	unsigned int got = ~0U;
	const u32 *frames;

	if (!expect(handle >= 0 && handle < asite_depot_max(d)))
		return false;
	frames = asite_depot_frames(d, handle, &got);
	return expect_eq(got, nr) && expect(asite_depot_class(d, handle) >= nr) &&
	       expect_eq(asite_depot_stack(d, handle)->owner, stack->owner) &&
	       expect(!memcmp(frames, stack->frames, nr * sizeof(*frames)));
}

static u64 depot_sum(const struct asite_depot *d, size_t offset)
{
	struct asite_depot_stats stats;

	asite_depot_stats(d, &stats);
	return *(u64 *)((char *)&stats + offset);
}

#define depot_stat(d, name)	depot_sum(d, offsetof(struct asite_depot_stats, name))

static unsigned int count_records(const struct asite_depot *d)
{
	unsigned int n = 0;
	long handle = -1;

	while ((handle = asite_depot_next(d, handle)) >= 0)
		n++;
	return n;
}

/* At rest: each live place has a record of its own, in use, that belongs there. */
static bool check_depot(const struct asite_depot *d)
{
	unsigned int linked = 0, found = 0;
	long handle = -1;
	bool ok = true;
	u64 i;

	for (i = 0; i < places(d); i++)
		linked += d->index[i] >> 31;
	while ((handle = asite_depot_next(d, handle)) >= 0)
		found += asite_depot_indexed(d, handle);
	ok &= expect_eq(linked, found);
	return ok & expect(d->bytes <= d->max_bytes);
}

/* Stacks of every length: found again, each with a record of its own in the smallest class. */
static int test_depot_every_length(void)
{
	struct asite_depot_stack stack;
	unsigned int nr, class = 0;
	long handle;

	if (depot_init(65536))
		return -ENOMEM;
	for (nr = 0; nr <= ASITE_DEPOT_FRAMES; nr++) {
		while (depot_classes[class] < nr)
			class++;
		make_stack(&stack, 300, 0, nr);
		handle = find_stack(&depot, &stack, nr);
		expect_record(&depot, handle, &stack, nr);
		expect_eq(asite_depot_class(&depot, handle), depot_classes[class]);
		expect_eq(find_nth(&depot, 300, 0, nr), handle);
		expect_eq(count_records(&depot), nr + 1);
	}
	expect_eq(depot_stat(&depot, inserts), ASITE_DEPOT_FRAMES + 1);
	check_depot(&depot);
	return depot_end(0);
}

/* The zeros that find adds do not harm what follows them. */
static int test_depot_zeros_behind(void)
{
	struct asite_depot_stack stack;
	unsigned int nr, i;

	if (depot_init(65536))
		return -ENOMEM;
	for (nr = 0; nr <= ASITE_DEPOT_FRAMES; nr++) {
		make_stack(&stack, 300, 0, nr);
		find_stack(&depot, &stack, nr);
		for (i = nr; i < nr + 4; i++)
			expect_eq(stack.frames[i], 0);
		for (; i < ARRAY_SIZE(stack.frames); i++)
			expect_eq(stack.frames[i], ~0U);
	}
	return depot_end(0);
}

/* Of its frames, such that with its owner it is what it would be with @owner. */
static u64 hash_for_owner(const struct asite_depot_stack *stack, unsigned int nr, u32 owner)
{
	u64 hash = hash_frames(stack, nr);

	hash = (hash ^ hash >> 32) + owner - stack->owner;
	return hash ^ hash >> 32;
}

static u64 hash_whole(const struct asite_depot_stack *stack, unsigned int nr)
{
	return asite_depot_hash_end(hash_frames(stack, nr), stack->owner);
}

/* A bit of the owner or of any frame makes another stack, whatever their hash. */
static int test_depot_every_bit(void)
{
	struct asite_depot_stack stack;
	unsigned int nr, i, bit;
	u64 hash, same;
	long first;

	if (depot_init(65536))
		return -ENOMEM;
	for (nr = 1; nr <= 12; nr++) {
		asite_depot_reset(&depot);
		make_stack(&stack, 300, 0, nr);
		hash = hash_frames(&stack, nr);
		first = asite_depot_find(&depot, &stack, nr, hash);
		for (i = 0; i <= nr; i++) {
			for (bit = 0; bit < 32; bit += 1 + bit % 3 * 3) {
				/* words: the owner, then frames; owners count in the hash. */
				(&stack.owner)[i] ^= 1U << bit;
				same = i ? hash : hash_for_owner(&stack, nr, 300);
				expect(asite_depot_find(&depot, &stack, nr, same) != first);
				(&stack.owner)[i] ^= 1U << bit;
			}
		}
		expect_eq(find_stack(&depot, &stack, nr), first);
	}
	return depot_end(0);
}

/* Of one hash: what differs in one frame or one bit of it, or is longer or shorter. */
static int test_depot_equal_hash(void)
{
	struct asite_depot_stack stack;
	long handles[16], first;
	unsigned int nr, i;

	if (depot_init(65536))
		return -ENOMEM;
	for (nr = 0; nr < ARRAY_SIZE(handles); nr++) {
		make_stack(&stack, 300, 0, nr);
		handles[nr] = asite_depot_find(&depot, &stack, nr, 77);
		expect_record(&depot, handles[nr], &stack, nr);
		first = handles[nr];
		for (i = 0; i < nr && i < 12; i++) {
			asite_depot_reset(&depot);
			first = asite_depot_find(&depot, &stack, nr, 77);
			stack.frames[i] ^= 0x10;
			expect(asite_depot_find(&depot, &stack, nr, 77) != first);
			stack.frames[i] ^= 0x10;
			expect_eq(asite_depot_find(&depot, &stack, nr, 77), first);
		}
	}
	asite_depot_reset(&depot);
	for (nr = 0; nr < ARRAY_SIZE(handles); nr++) {
		make_stack(&stack, 300, 0, nr);
		handles[nr] = asite_depot_find(&depot, &stack, nr, 77);
		for (i = 0; i < nr; i++)
			expect(handles[i] != handles[nr]);
	}
	for (nr = 0; nr < ARRAY_SIZE(handles); nr++) {
		make_stack(&stack, 300, 0, nr);
		expect_eq(asite_depot_find(&depot, &stack, nr, 77), handles[nr]);
	}
	return depot_end(0);
}

/* Shorter than what is there by one, in a slot of a larger class: told by the zero behind. */
static int test_depot_prefix_in_larger_class(void)
{
	struct asite_depot_stack stack;
	long three, four;

	if (depot_init_7(512))
		return -ENOMEM;
	make_stack(&stack, 300, 0, 4);
	four = asite_depot_find(&depot, &stack, 4, 77);
	make_stack(&stack, 300, 0, 3);
	three = asite_depot_find(&depot, &stack, 3, 77);
	expect(three != four);
	expect_eq(asite_depot_find(&depot, &stack, 3, 77), three);
	expect_record(&depot, three, &stack, 3);
	make_stack(&stack, 300, 0, 4);
	expect_eq(asite_depot_find(&depot, &stack, 4, 77), four);
	return depot_end(0);
}

static int test_depot_too_deep(void)
{
	if (depot_init_7(512))
		return -ENOMEM;
	expect_eq(find_nth(&depot, 300, 0, 8), -1);
	expect_eq(find_nth(&depot, 300, 0, ASITE_DEPOT_FRAMES), -1);
	expect(find_nth(&depot, 300, 0, 7) >= 0);
	expect_eq(find_nth(&depot, 300, 0, 8), -1);
	expect_eq(depot_stat(&depot, deep), 3);
	expect_eq(count_records(&depot), 1);
	return depot_end(0);
}

/* Owners apart, all with one stack. */
static int test_depot_owners(void)
{
	long handles[40];
	unsigned int i, j;

	if (depot_init_7(512))
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		handles[i] = find_nth(&depot, 1 + i, 5, 6);
		for (j = 0; j < i; j++)
			expect(handles[i] != handles[j]);
	}
	for (i = 0; i < ARRAY_SIZE(handles); i++)
		expect_eq(find_nth(&depot, 1 + i, 5, 6), handles[i]);
	return depot_end(0);
}

/* The @i-th stack (from 0) whose places are those of @place. */
static unsigned int nth_near(const struct asite_depot *d, unsigned long place, unsigned int i)
{
	struct asite_depot_stack stack;
	unsigned int n;
	u64 first;

	for (n = 0;; n++) {
		make_stack(&stack, 300, n, 6);
		first = asite_depot_first(d, hash_whole(&stack, 6));
		if (((first >> 32 ^ place) & -(u64)PLACES) == 0 && !i--)
			return n;
	}
}

/* All places near taken: found in each; what has none is counted and takes no record. */
static int test_depot_every_place(void)
{
	/* Too large for the kernel's stack. */
	static unsigned int n[PLACES];
	static long handle[PLACES];
	unsigned int i;

	if (depot_init_7(1024))
		return -ENOMEM;
	for (i = 0; i < PLACES; i++) {
		n[i] = nth_near(&depot, 5 * PLACES, i);
		handle[i] = find_nth(&depot, 300, n[i], 6);
		expect(handle[i] >= 0);
	}
	for (i = 0; i < PLACES; i++) {
		expect(depot.index[5 * PLACES + i] & ASITE_DEPOT_LIVE);
		expect_eq(find_nth(&depot, 300, n[i], 6), handle[i]);
	}
	expect_eq(depot_stat(&depot, far), 0);
	expect_eq(find_nth(&depot, 300, nth_near(&depot, 5 * PLACES, PLACES), 6), -1);
	expect_eq(depot_stat(&depot, far), 1);
	expect_eq(atomic_read(&depot.classes[0].next), PLACES);
	check_depot(&depot);
	return depot_end(0);
}

/* A stack that goes on where a full record ends, as the next record does. */
static int test_depot_next_record(void)
{
	struct asite_depot_stack first, next, both;
	long handle;

	if (depot_init(65536))
		return -ENOMEM;
	make_stack(&first, 300, 0, 3);
	make_stack(&next, 301, 1, 3);
	handle = asite_depot_find(&depot, &first, 3, 77);
	expect_eq(asite_depot_find(&depot, &next, 3, 78), handle + 1);
	both = first;
	both.frames[3] = next.owner;
	memcpy(both.frames + 4, next.frames, 3 * sizeof(u32));
	expect(asite_depot_find(&depot, &both, 7, 77) != handle);
	return depot_end(0);
}

/* One place and one tag, hashes that differ where the handle is in an entry: no stray handle. */
static int test_depot_hash_behind_handle(void)
{
	struct asite_depot_stack stack;
	unsigned int i;

	if (depot_init_7(600))
		return -ENOMEM;
	for (i = 0; i < PLACES; i++) {
		make_stack(&stack, 300, i, 6);
		memset(stack.frames + 6, 0, 8);
		expect_eq(asite_depot_find_slow(&depot, &stack, 6,
						(5ULL << 32 | 7 * i) << depot.shift), i);
	}
	for (i = 0; i < PLACES; i++) {
		make_stack(&stack, 300, i, 6);
		memset(stack.frames + 6, 0, 8);
		expect_eq(asite_depot_find_slow(&depot, &stack, 6,
						(5ULL << 32 | 7 * i) << depot.shift), i);
	}
	return depot_end(0);
}

static const struct case_entry depot_find_cases[] = {
	{ "depot_every_length", test_depot_every_length },
	{ "depot_zeros_behind", test_depot_zeros_behind },
	{ "depot_every_bit", test_depot_every_bit },
	{ "depot_equal_hash", test_depot_equal_hash },
	{ "depot_prefix_in_larger_class", test_depot_prefix_in_larger_class },
	{ "depot_too_deep", test_depot_too_deep },
	{ "depot_owners", test_depot_owners },
	{ "depot_every_place", test_depot_every_place },
	{ "depot_next_record", test_depot_next_record },
	{ "depot_hash_behind_handle", test_depot_hash_behind_handle },
	{ }
};
