// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must hold for a table of CASE_TABLE bytes whenever nobody is inside an
 * operation, and helpers that place objects. Slow on purpose: every word is
 * looked at, no shortcut of the code under test is used but its placement.
 *
 * Included by cases.c; uses static data, so one caller at a time.
 */

/* The address a word names: all test objects lie within 64 TiB of CASE_BASE. */
static unsigned long address_in(u64 word)
{
	unsigned long low = word >> ASITE_TAG_SHIFT << 3;
	unsigned long base_low = CASE_BASE & (CASE_HIGHEST - 1);

	return (low >= base_low ? CASE_BASE - base_low : CASE_BASE - base_low + CASE_HIGHEST) + low;
}

static unsigned int words_with(const struct asite_objtab *t, unsigned long obj)
{
	unsigned int n = 0;
	unsigned long i;

	for (i = 0; i <= t->mask; i++)
		n += t->words[i] && address_in(t->words[i]) == obj;
	return n;
}

/* Where an object's word stands; -1 if nowhere. */
static long place_of(const struct asite_objtab *t, unsigned long obj)
{
	unsigned long i;

	for (i = 0; i <= t->mask; i++) {
		if (t->words[i] && address_in(t->words[i]) == obj)
			return i;
	}
	return -1;
}

static bool is_far_bucket(const struct asite_objtab *t, unsigned long obj, unsigned long bucket)
{
	int n;

	for (n = 0; n < ASITE_FAR_BUCKETS; n++) {
		if (far_bucket(t, obj, n) == bucket)
			return true;
	}
	return false;
}

/* Each word where its object may be, none twice, away counts exact. */
static bool check_objtab(const struct asite_objtab *t, u64 live)
{
	static int away[CASE_WORDS];
	unsigned long i, obj, home, preferred;
	bool ok = true;
	u64 n = 0;

	memset(away, 0, sizeof(away));
	for (i = 0; i <= t->mask; i++) {
		if (!t->words[i] || t->words[i] == ASITE_WORD_NOBODY)
			continue;
		n++;
		obj = address_in(t->words[i]);
		home = home_bucket(t, obj);
		preferred = asite_objtab_preferred(t, obj);
		if (i != preferred)
			away[preferred] += i / ASITE_BUCKET_WORDS == home ? AWAY_HOME : AWAY_FAR;
		ok &= expect(i / ASITE_BUCKET_WORDS == home ||
			     is_far_bucket(t, obj, i / ASITE_BUCKET_WORDS));
		ok &= expect(place_of(t, obj) == (long)i);
	}
	for (i = 0; i <= t->mask; i++)
		ok &= expect_eq(t->away[i], away[i]);
	return ok & expect_eq(n, live);
}

/* The n-th object (from 0) whose preferred word is @i: one in 64 bytes each. */
static unsigned long object_at(const struct asite_objtab *t, unsigned long i, unsigned int n)
{
	unsigned long obj;

	for (obj = CASE_BASE;; obj += 64) {
		if (asite_objtab_preferred(t, obj) == i && !n--)
			return obj;
	}
}

/* Of the words that put() stores. */
static unsigned int case_gen;

static enum asite_insert put(struct asite_objtab *t, unsigned long obj, unsigned int slot)
{
	u64 old = ~0ULL;

	return asite_objtab_insert(t, obj, asite_objtab_bits(slot, case_gen), &old);
}

static long rest_of(unsigned int slot, unsigned int gen)
{
	return (long)slot << ASITE_GEN_BITS | gen;
}

/* Take every free word of a bucket, with objects that prefer exactly it. */
static unsigned int fill_bucket(struct asite_objtab *t, unsigned long bucket,
				unsigned int first, unsigned int slot)
{
	unsigned int i, n = 0;

	for (i = 0; i < ASITE_BUCKET_WORDS; i++) {
		unsigned long word = bucket * ASITE_BUCKET_WORDS + i;

		if (t->words[word])
			continue;
		expect(put(t, object_at(t, word, first), slot) == ASITE_INSERTED);
		n++;
	}
	return n;
}

static bool has_nobodys_word(const struct asite_objtab *t, unsigned long bucket)
{
	unsigned int i;

	for (i = 0; i < ASITE_BUCKET_WORDS; i++) {
		if (t->words[bucket * ASITE_BUCKET_WORDS + i] == ASITE_WORD_NOBODY)
			return true;
	}
	return false;
}

/*
 * An object that prefers @i and has a home and far buckets that all differ, the latter without
 * the words that are taken for ever.
 */
static unsigned long object_with_far_buckets(const struct asite_objtab *t, unsigned long i)
{
	unsigned int n = 0;
	unsigned long obj;
	int far, near;
	bool differ;

	do {
		obj = object_at(t, i, ++n);
		differ = true;
		for (far = 0; far < ASITE_FAR_BUCKETS; far++) {
			differ &= far_bucket(t, obj, far) != home_bucket(t, obj) &&
				  !has_nobodys_word(t, far_bucket(t, obj, far));
			for (near = 0; near < far; near++)
				differ &= far_bucket(t, obj, far) != far_bucket(t, obj, near);
		}
	} while (!differ);
	return obj;
}

/* Leave an object no place at home and in the far buckets before far bucket @end. */
static unsigned int fill_before_far(struct asite_objtab *t, unsigned long obj, int end)
{
	unsigned int filled = fill_bucket(t, home_bucket(t, obj), 0, 1);
	int n;

	for (n = 0; n < end; n++)
		filled += fill_bucket(t, far_bucket(t, obj, n), 0, 1);
	return filled;
}
