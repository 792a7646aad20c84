// SPDX-License-Identifier: GPL-2.0-only
/* Live-object table: where words go when places are taken, and that all come back. */

static struct asite_objtab place_tab;

static int place_init(void)
{
	memset(&place_tab, 0, sizeof(place_tab));
	return asite_objtab_init(&place_tab, CASE_TABLE, CASE_HIGHEST);
}

static int place_end(int err)
{
	asite_objtab_destroy(&place_tab);
	return err;
}

/* An object alone: in its preferred word, found once, then unknown. */
static int test_objtab_insert_remove(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned long i;

	if (place_init())
		return -ENOMEM;
	for (i = 0; i <= t->mask; i++) {
		unsigned long obj = object_at(t, i, 0);

		if (t->words[i] == ASITE_WORD_NOBODY)
			continue;
		expect(put(t, obj, 5) == ASITE_INSERTED);
		expect_eq(place_of(t, obj), i);
		expect_eq(asite_objtab_remove(t, obj), rest_of(5, 0));
		expect_eq(asite_objtab_remove(t, obj), -1);
	}
	check_objtab(t, 0);
	return place_end(0);
}

/* Eight objects that prefer one word: they fill its bucket. */
static int test_objtab_each_home_position(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned long objs[ASITE_BUCKET_WORDS];
	unsigned int out, i;

	if (place_init())
		return -ENOMEM;
	for (i = 0; i < ASITE_BUCKET_WORDS; i++) {
		objs[i] = object_at(t, 45, i);
		expect(put(t, objs[i], 10 + i) == ASITE_INSERTED);
	}
	check_objtab(t, 8);
	for (out = 0; out < ASITE_BUCKET_WORDS; out++) {
		expect_eq(place_of(t, objs[out]) / ASITE_BUCKET_WORDS, 45 / ASITE_BUCKET_WORDS);
		expect_eq(asite_objtab_remove(t, objs[out]), rest_of(10 + out, 0));
		expect_eq(asite_objtab_remove(t, objs[out]), -1);
		check_objtab(t, 7);
		expect(put(t, objs[out], 10 + out) == ASITE_INSERTED);
		check_objtab(t, 8);
	}
	for (i = 0; i < ASITE_BUCKET_WORDS; i++)
		expect_eq(asite_objtab_remove(t, objs[i]), rest_of(10 + i, 0));
	check_objtab(t, 0);
	return place_end(0);
}

/* More than a bucket of objects for one word: the rest spreads over far buckets. */
static int test_objtab_same_preferred_word(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned int i, n = 40, held = 0;

	if (place_init())
		return -ENOMEM;
	for (i = 0; i < n; i++)
		held += put(t, object_at(t, 77, i), i) == ASITE_INSERTED;
	check_objtab(t, held);
	expect(held > 2 * ASITE_BUCKET_WORDS);
	for (i = 0; i < n; i++) {
		if (words_with(t, object_at(t, 77, i)))
			expect_eq(asite_objtab_remove(t, object_at(t, 77, i)), rest_of(i, 0));
	}
	check_objtab(t, 0);
	return place_end(0);
}

/*
 * Home full: the word goes to the first far bucket with room, is counted at home,
 * and comes back. A far bucket may be the home bucket, or another far bucket again.
 */
static int test_objtab_home_full_goes_far(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned int filled, tried = 0;
	unsigned long obj, bucket;
	int n;

	if (place_init())
		return -ENOMEM;
	for (bucket = 0; bucket < CASE_BUCKETS; bucket++) {
		for (n = 0; n < ASITE_FAR_BUCKETS; n++) {
			asite_objtab_reset(t);
			obj = object_at(t, bucket * ASITE_BUCKET_WORDS, 1);
			filled = fill_before_far(t, obj, n);
			if (t->words[far_bucket(t, obj, n) * ASITE_BUCKET_WORDS])
				continue;
			tried++;
			expect(put(t, obj, 2) == ASITE_INSERTED);
			expect_eq(place_of(t, obj) / ASITE_BUCKET_WORDS, far_bucket(t, obj, n));
			expect_eq(t->away[bucket * ASITE_BUCKET_WORDS],
				  far_bucket(t, obj, n) == bucket ? AWAY_HOME : AWAY_FAR);
			check_objtab(t, filled + 1);
			expect_eq(asite_objtab_remove(t, obj), rest_of(2, 0));
			check_objtab(t, filled);
		}
	}
	expect(tried > CASE_BUCKETS * ASITE_FAR_BUCKETS * 3 / 4);
	return place_end(0);
}

/* All candidates full: refused, nothing stored, nothing counted away; then one is free. */
static int test_objtab_all_full(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned int n, i, bucket;
	unsigned long obj, other;

	if (place_init())
		return -ENOMEM;
	obj = object_with_far_buckets(t, 27);
	n = fill_before_far(t, obj, ASITE_FAR_BUCKETS);
	expect_eq(n, (1 + ASITE_FAR_BUCKETS) * ASITE_BUCKET_WORDS);
	for (i = 0; i <= ASITE_FAR_BUCKETS; i++) {
		expect(put(t, obj, 2) == ASITE_INSERT_FULL);
		expect_eq(words_with(t, obj), 0);
		expect_eq(asite_objtab_remove(t, obj), -1);
		check_objtab(t, n);
		bucket = i ? far_bucket(t, obj, i - 1) : home_bucket(t, obj);
		other = object_at(t, bucket * ASITE_BUCKET_WORDS + 7, 0);
		expect_eq(asite_objtab_remove(t, other), rest_of(1, 0));
		expect(put(t, obj, 2) == ASITE_INSERTED);
		expect_eq(place_of(t, obj), bucket * ASITE_BUCKET_WORDS + 7);
		check_objtab(t, n);
		expect_eq(asite_objtab_remove(t, obj), rest_of(2, 0));
		expect(put(t, other, 1) == ASITE_INSERTED);
	}
	return place_end(0);
}

/* A count at its end stays there: the object is found, whatever else is counted. */
static int test_objtab_away_full_stays(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned long i, first, second;

	if (place_init())
		return -ENOMEM;
	first = object_at(t, 27, 0);
	second = object_at(t, 27, 1);
	i = asite_objtab_preferred(t, first);
	expect(put(t, first, 1) == ASITE_INSERTED);
	t->away[i] = AWAY_HOME_FULL;
	expect(put(t, second, 2) == ASITE_INSERTED);
	expect_eq(t->away[i], AWAY_HOME_FULL);
	expect_eq(asite_objtab_remove(t, second), rest_of(2, 0));
	expect_eq(t->away[i], AWAY_HOME_FULL);
	t->away[i] = AWAY_FAR_FULL;
	fill_bucket(t, i / ASITE_BUCKET_WORDS, 2, 3);
	expect(put(t, second, 2) == ASITE_INSERTED);
	expect_eq(t->away[i], AWAY_FAR_FULL);
	expect_eq(asite_objtab_remove(t, second), rest_of(2, 0));
	expect_eq(t->away[i], AWAY_FAR_FULL);
	return place_end(0);
}

/* Until nothing fits, then empty again: no word and no count may stay. */
static int test_objtab_away_returns_to_zero(void)
{
	struct asite_objtab *t = &place_tab;
	unsigned int held = 0, i;
	u64 away;

	if (place_init())
		return -ENOMEM;
	for (i = 0; i < 2000; i++)
		held += put(t, CASE_BASE + i * 24, i) == ASITE_INSERTED;
	check_objtab(t, held);
	expect_eq(asite_objtab_count(t, -1, &away), held);
	expect(away > 100 && away < held);
	for (i = 0; i < 2000; i++)
		held -= asite_objtab_remove(t, CASE_BASE + i * 24) == rest_of(i, 0);
	expect_eq(held, 0);
	check_objtab(t, 0);
	expect_eq(asite_objtab_count(t, -1, &away), 0);
	expect_eq(away, 0);
	return place_end(0);
}

static const struct case_entry objtab_place_cases[] = {
	{ "objtab_insert_remove", test_objtab_insert_remove },
	{ "objtab_each_home_position", test_objtab_each_home_position },
	{ "objtab_same_preferred_word", test_objtab_same_preferred_word },
	{ "objtab_home_full_goes_far", test_objtab_home_full_goes_far },
	{ "objtab_all_full", test_objtab_all_full },
	{ "objtab_away_full_stays", test_objtab_away_full_stays },
	{ "objtab_away_returns_to_zero", test_objtab_away_returns_to_zero },
	{ }
};
