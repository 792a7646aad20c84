// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved operations on the live-object table. Objects are numbered: 0 to 7
 * prefer one word (WORD, the first of its bucket, so that a claim in the bucket
 * tries it again), FAR_A, FAR_B and FAR_C prefer other words of its bucket. FAR_A's
 * far buckets all differ, FAR_B's first is FAR_A's first, FAR_C's first is its home.
 * Each operation checks its own result; after each schedule every word and
 * every away count is checked.
 */
#define WORD	8UL
enum {
	FAR_A = 8, FAR_B, FAR_C,
	HOME_FILL,
	FAR_FILL = HOME_FILL + ASITE_BUCKET_WORDS,
	OBJECTS = FAR_FILL + ASITE_FAR_BUCKETS * ASITE_BUCKET_WORDS,
};

static struct asite_objtab il_tab;
static unsigned long objects[OBJECTS];
static bool live[OBJECTS];
static int flags[IL_TASKS];
static int refused;

/* An object that prefers @word and has this first far bucket. */
static unsigned long object_with_first_far(unsigned long word, unsigned long bucket)
{
	unsigned long obj;
	unsigned int n = 0;

	do
		obj = object_at(&il_tab, word, ++n);
	while (far_bucket(&il_tab, obj, 0) != bucket);
	return obj;
}

static void objtab_start(void)
{
	int i;

	if (!il_tab.words) {
		if (asite_objtab_init(&il_tab, CASE_TABLE, CASE_HIGHEST))
			exit(2);
		for (i = 0; i < 8; i++)
			objects[i] = object_at(&il_tab, WORD, 2 + i);
		objects[FAR_A] = object_with_far_buckets(&il_tab, WORD + 1);
		objects[FAR_B] = object_with_first_far(WORD + 2,
						       far_bucket(&il_tab, objects[FAR_A], 0));
		objects[FAR_C] = object_with_first_far(WORD + 1, WORD / ASITE_BUCKET_WORDS);
	}
	asite_objtab_reset(&il_tab);
	memset(live, 0, sizeof(live));
	memset(flags, 0, sizeof(flags));
	refused = 0;
}

static void put_expecting(int n, enum asite_insert want, unsigned int slot, long old_rest)
{
	u64 old = 0;

	expect_eq(asite_objtab_insert(&il_tab, objects[n], asite_objtab_bits(slot, 0), &old), want);
	if (want == ASITE_INSERT_STALE)
		expect_eq(old ^ asite_objtab_tag(objects[n]), old_rest);
	live[n] = true;
}

static void il_put(int n)
{
	put_expecting(n, ASITE_INSERTED, 10 + n, 0);
}

static void il_put_stale(int n)
{
	put_expecting(n, ASITE_INSERT_STALE, 50 + n, rest_of(10 + n, 0));
}

/* There may be no room: then the object is not followed. */
static void il_put_if_room(int n)
{
	live[n] = put(&il_tab, objects[n], 10 + n) == ASITE_INSERTED;
	refused += !live[n];
}

static void il_take(int n)
{
	live[n] = false;
	expect_eq(asite_objtab_remove(&il_tab, objects[n]), rest_of(10 + n, 0));
}

/* Fill a bucket but for the words of @free_mask with objects @first.. of its own. */
static void il_fill(unsigned long bucket, unsigned int free_mask, int first)
{
	static unsigned long known[CASE_BUCKETS][ASITE_BUCKET_WORDS];
	unsigned int i;

	for (i = 0; i < ASITE_BUCKET_WORDS; i++) {
		unsigned long *obj = &known[bucket][i];

		if (free_mask & 1U << i)
			continue;
		if (!*obj)
			*obj = object_at(&il_tab, bucket * ASITE_BUCKET_WORDS + i, 0);
		objects[first + i] = *obj;
		il_put(first + i);
	}
}

static void objtab_check(void)
{
	int i, n = 0;

	for (i = 0; i < OBJECTS; i++) {
		n += live[i];
		if (objects[i] && i < HOME_FILL)
			expect_eq(words_with(&il_tab, objects[i]), live[i]);
	}
	check_objtab(&il_tab, n);
	for (i = 0; i < OBJECTS; i++) {
		if (live[i])
			expect(asite_objtab_remove(&il_tab, objects[i]) >= 0);
	}
	check_objtab(&il_tab, 0);
}

/* -- two or three CPUs, one word ------------------------------------------ */

static void put_take_0(void) { il_put(0); il_take(0); }
static void put_take_1(void) { il_put(1); il_take(1); }
static void put_2(void) { il_put(2); }
static void put_3(void) { il_put(3); }

static void start_two(void)
{
	objtab_start();
	il_put(0);
	il_put(1);
}

static void take_0_put_2(void) { il_take(0); il_put(2); }
static void take_1_put_3(void) { il_take(1); il_put(3); }
static void take_1(void) { il_take(1); }

static void remove_unknown(void)
{
	expect_eq(asite_objtab_remove(&il_tab, objects[5]), -1);
	expect_eq(asite_objtab_remove(&il_tab, objects[5]), -1);
}

/* -- crowded buckets ------------------------------------------------------- */

static void fill_home(unsigned int free_mask)
{
	il_fill(WORD / ASITE_BUCKET_WORDS, free_mask, HOME_FILL);
}

/* FAR_A's far bucket @n. */
static void fill_far(int n, unsigned int free_mask)
{
	il_fill(far_bucket(&il_tab, objects[FAR_A], n), free_mask,
		FAR_FILL + n * ASITE_BUCKET_WORDS);
}

/* One word left at home, none in the far buckets of FAR_A. */
static void start_one_place(void)
{
	int n;

	objtab_start();
	for (n = 0; n < ASITE_FAR_BUCKETS; n++)
		fill_far(n, 0);
	fill_home(1U << 7);
}

/* Home full; the first far bucket of FAR_A and FAR_B has one place. */
static void start_home_full(void)
{
	objtab_start();
	fill_far(0, 1U << 3);
	fill_home(0);
}

static void put_far_a(void) { il_put_if_room(FAR_A); }
static void put_take_far_a(void)
{
	il_put_if_room(FAR_A);
	if (live[FAR_A])
		il_take(FAR_A);
}

static void put_far_b(void) { il_put_if_room(FAR_B); }
static void put_take_far_c(void)
{
	il_put_if_room(FAR_C);
	if (live[FAR_C])
		il_take(FAR_C);
}

static void put_0_if_room(void) { il_put_if_room(0); }
/* The home word that FAR_A and FAR_C prefer. */
static void take_home_word(void) { il_take(HOME_FILL + (WORD + 1) % ASITE_BUCKET_WORDS); }

/* -- interrupts ------------------------------------------------------------ */

static void put_0_put_1(void) { il_put(0); il_put(1); }
static void take_0_take_1(void) { il_take(0); il_take(1); }
static void put_take_3(void) { il_put(3); il_take(3); }
static void put_take_4(void) { il_put(4); il_take(4); }

static void start_four(void)
{
	start_two();
	il_put(2);
	il_put(3);
}

static void take_2_put_4(void) { il_take(2); il_put(4); }
static void take_3(void) { il_take(3); }

/* -- an object handed from CPU to CPU --------------------------------------- */

static void give_1(void)
{
	il_take(1);
	flags[0] = 1;
}

static void reuse_1(void)
{
	il_wait_for(&flags[0]);
	il_put(1);
}

/* -- missed frees ------------------------------------------------------------ */

/* FAR_A's free was missed while its word was in the far bucket. */
static void start_stale_far(void)
{
	objtab_start();
	fill_home(0);
	il_put(FAR_A);
}

static void reuse_stale_0(void) { il_put_stale(0); }
static void reuse_stale_1(void) { il_put_stale(1); }
static void reuse_stale_far_a(void) { il_put_stale(FAR_A); }

/* -- an epoch: hooks are detached, then the table is emptied ----------------- */

static void put_0_then_detach(void) { il_put(0); flags[0] = 1; }
static void put_1_then_detach(void) { il_put(1); flags[1] = 1; }

static void new_epoch(void)
{
	il_wait_for(&flags[0]);
	il_wait_for(&flags[1]);
	asite_objtab_reset(&il_tab);
	live[0] = live[1] = false;
	flags[2] = 1;
	expect_eq(asite_objtab_remove(&il_tab, objects[0]), -1);
	il_put(0);
}

static void attach_again(void)
{
	il_wait_for(&flags[2]);
	expect_eq(asite_objtab_remove(&il_tab, objects[1]), -1);
	il_put(1);
}

#define CPU(n, fn)	{ fn, n, IL_NO_IRQ }
#define IRQ(n, fn, of)	{ fn, n, of }

static const struct il_scenario il_objtab_scenarios[] = {
	{ "il_objtab_insert_insert", objtab_start, objtab_check, NULL, 3,
	  { CPU(0, put_take_0), CPU(1, put_take_1) } },
	{ "il_objtab_insert_three", objtab_start, objtab_check, NULL, 2,
	  { CPU(0, put_take_0), CPU(1, put_take_1), CPU(2, put_2) } },
	{ "il_objtab_insert_remove_neighbours", start_two, objtab_check, NULL, 3,
	  { CPU(0, take_0_put_2), CPU(1, take_1_put_3) } },
	{ "il_objtab_unknown_removal", start_two, objtab_check, NULL, 2,
	  { CPU(0, take_0_put_2), CPU(1, take_1), CPU(2, remove_unknown) } },
	{ "il_objtab_last_place", start_one_place, objtab_check, NULL, 2,
	  { CPU(0, put_take_far_a), CPU(1, put_0_if_room), CPU(2, take_home_word) } },
	{ "il_objtab_far", start_home_full, objtab_check, NULL, 2,
	  { CPU(0, put_take_far_a), CPU(1, put_far_b), CPU(2, take_home_word) } },
	{ "il_objtab_far_is_home", start_home_full, objtab_check, NULL, 2,
	  { CPU(0, put_take_far_c), CPU(1, put_far_b), CPU(2, take_home_word) } },
	{ "il_objtab_irq_insert_in_insert", objtab_start, objtab_check, NULL, 3,
	  { CPU(0, put_0_put_1), IRQ(0, put_2, 0), IRQ(0, put_take_3, 1) } },
	{ "il_objtab_irq_remove_in_remove", start_four, objtab_check, NULL, 3,
	  { CPU(0, take_0_take_1), IRQ(0, take_2_put_4, 0), IRQ(0, take_3, 1) } },
	{ "il_objtab_irq_and_cpu", start_two, objtab_check, NULL, 2,
	  { CPU(0, take_0_put_2), IRQ(0, put_take_4, 0), CPU(1, take_1_put_3) } },
	{ "il_objtab_irq_far", start_home_full, objtab_check, NULL, 3,
	  { CPU(0, put_far_a), IRQ(0, put_far_b, 0), CPU(1, take_home_word) } },
	{ "il_objtab_hand_over", start_two, objtab_check, NULL, 2,
	  { CPU(0, give_1), CPU(1, reuse_1), CPU(2, take_0_put_2) } },
	{ "il_objtab_stale_preferred", start_two, objtab_check, NULL, 2,
	  { CPU(0, reuse_stale_0), CPU(1, take_1_put_3), CPU(2, put_2) } },
	{ "il_objtab_stale_home", start_two, objtab_check, NULL, 2,
	  { CPU(0, reuse_stale_1), CPU(1, take_0_put_2), CPU(2, put_3) } },
	{ "il_objtab_stale_far", start_stale_far, objtab_check, NULL, 2,
	  { CPU(0, reuse_stale_far_a), CPU(1, take_home_word), CPU(2, put_0_if_room) } },
	{ "il_objtab_epoch", objtab_start, objtab_check, NULL, 2,
	  { CPU(0, put_0_then_detach), CPU(1, put_1_then_detach),
	    CPU(2, new_epoch), CPU(3, attach_again) } },
	{ }
};
