// SPDX-License-Identifier: GPL-2.0-only
/*
 * Live-object table: an insert that meets a word of its own address proves a
 * missed free. It must be found wherever the word stands, whatever happened
 * around it since.
 */

static struct asite_objtab stale_tab;

static int stale_init(void)
{
	memset(&stale_tab, 0, sizeof(stale_tab));
	return asite_objtab_init(&stale_tab, CASE_TABLE, CASE_HIGHEST);
}

static int stale_end(int err)
{
	asite_objtab_destroy(&stale_tab);
	return err;
}

/* Insert again with a new slot and generation: one word, the new one. */
static void replace(struct asite_objtab *t, unsigned long obj, unsigned int slot)
{
	long place = place_of(t, obj);
	u64 live = asite_objtab_count(t, -1, NULL);
	u64 old = 0;

	expect(asite_objtab_insert(t, obj, asite_objtab_bits(999, 3), &old) == ASITE_INSERT_STALE);
	expect_eq(old ^ asite_objtab_tag(obj), rest_of(slot, 0));
	expect_eq(place_of(t, obj), place);
	check_objtab(t, live);
	expect_eq(asite_objtab_remove(t, obj), rest_of(999, 3));
	expect_eq(asite_objtab_remove(t, obj), -1);
	check_objtab(t, live - 1);
}

static int test_objtab_stale_preferred(void)
{
	struct asite_objtab *t = &stale_tab;
	unsigned long obj;

	if (stale_init())
		return -ENOMEM;
	obj = object_at(t, 300, 0);
	expect(put(t, obj, 4) == ASITE_INSERTED);
	replace(t, obj, 4);
	/* Again with another object away from the same word. */
	expect(put(t, obj, 4) == ASITE_INSERTED);
	expect(put(t, object_at(t, 300, 1), 5) == ASITE_INSERTED);
	replace(t, obj, 4);
	return stale_end(0);
}

/* The preferred word became free meanwhile: the stale one must still be met. */
static int test_objtab_stale_home(void)
{
	struct asite_objtab *t = &stale_tab;
	unsigned long first, obj;
	int preferred_free;

	if (stale_init())
		return -ENOMEM;
	first = object_at(t, 300, 0);
	obj = object_at(t, 300, 1);
	for (preferred_free = 0; preferred_free < 2; preferred_free++) {
		asite_objtab_reset(t);
		expect(put(t, first, 4) == ASITE_INSERTED);
		expect(put(t, obj, 5) == ASITE_INSERTED);
		expect(place_of(t, obj) != 300);
		expect_eq(place_of(t, obj) / ASITE_BUCKET_WORDS, home_bucket(t, obj));
		if (preferred_free)
			expect_eq(asite_objtab_remove(t, first), rest_of(4, 0));
		replace(t, obj, 5);
	}
	return stale_end(0);
}

/* In each far bucket, with no place nearer and with one that became free. */
static int test_objtab_stale_far(void)
{
	struct asite_objtab *t = &stale_tab;
	unsigned long obj;
	int n, home_free;

	if (stale_init())
		return -ENOMEM;
	obj = object_with_far_buckets(t, 100);
	for (n = 0; n < ASITE_FAR_BUCKETS; n++) {
		for (home_free = 0; home_free < 2; home_free++) {
			asite_objtab_reset(t);
			fill_before_far(t, obj, n);
			expect(put(t, obj, 6) == ASITE_INSERTED);
			expect_eq(place_of(t, obj) / ASITE_BUCKET_WORDS, far_bucket(t, obj, n));
			if (home_free)
				expect_eq(asite_objtab_remove(t, object_at(t, 100, 0)),
					  rest_of(1, 0));
			replace(t, obj, 6);
		}
	}
	return stale_end(0);
}

/* A crowded table where every third free is missed: replaced == missed and reused. */
static int test_objtab_stale_counts_reuses(void)
{
	struct asite_objtab *t = &stale_tab;
	unsigned int round, i, stale = 0, reused = 0;

	if (stale_init())
		return -ENOMEM;
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 600; i++) {
			unsigned long obj = CASE_BASE + 24 * i;

			reused += words_with(t, obj);
			stale += put(t, obj, i) == ASITE_INSERT_STALE;
		}
		for (i = 0; i < 600; i++) {
			if ((i + round) % 3)
				asite_objtab_remove(t, CASE_BASE + 24 * i);
		}
		check_objtab(t, asite_objtab_count(t, -1, NULL));
	}
	expect(reused > 1000);
	expect_eq(stale, reused);
	return stale_end(0);
}

/* Asked by somebody else than the owner: wherever the word is, its own and no other's. */
static int test_objtab_look(void)
{
	struct asite_objtab *t = &stale_tab;
	unsigned int i;

	if (stale_init())
		return -ENOMEM;
	expect(asite_objtab_look(t, 0) == -1 && asite_objtab_look(t, ASITE_ADDR_MIN) == -1);
	expect_eq(asite_objtab_look(t, object_at(t, 300, 0)), -1);
	/* The home bucket has room for eight of these, the rest goes far. */
	for (i = 0; i < 12; i++)
		expect(put(t, object_at(t, 300, i), 400 + i) == ASITE_INSERTED);
	for (i = 0; i < 12; i++)
		expect_eq(asite_objtab_look(t, object_at(t, 300, i)), rest_of(400 + i, 0));
	expect_eq(asite_objtab_look(t, object_at(t, 300, 12)), -1);
	expect_eq(asite_objtab_remove(t, object_at(t, 300, 3)), rest_of(403, 0));
	expect_eq(asite_objtab_look(t, object_at(t, 300, 3)), -1);
	check_objtab(t, 11);
	return stale_end(0);
}

static const struct case_entry objtab_stale_cases[] = {
	{ "objtab_stale_preferred", test_objtab_stale_preferred },
	{ "objtab_stale_home", test_objtab_stale_home },
	{ "objtab_stale_far", test_objtab_stale_far },
	{ "objtab_stale_counts_reuses", test_objtab_stale_counts_reuses },
	{ "objtab_look", test_objtab_look },
	{ }
};
