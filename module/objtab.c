// SPDX-License-Identifier: GPL-2.0-only
/*
 * Live-object table: what happens when an object's preferred word will not do,
 * and set-up. Layout, placement and invariants are in objtab.h.
 *
 * This is a core: plain data structure, built in the module and in user space.
 * It knows nothing of sites but a slot number, and nothing of hooks.
 *
 * Contexts: the two *_slow() functions run in any context. The rest needs a
 * task and, where it writes, every hook detached.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <allocsite/mem.h>
#include <allocsite/objtab.h>

#define MIN_BYTES	4096UL

static size_t words_bytes(const struct asite_objtab *t)
{
	return (t->mask + 1) * sizeof(*t->words);
}

static size_t away_bytes(const struct asite_objtab *t)
{
	return (t->mask + 1) / ASITE_BUCKET_WORDS * sizeof(*t->away);
}

static unsigned long home_bucket(const struct asite_objtab *t, unsigned long obj)
{
	return asite_objtab_preferred(t, obj) / ASITE_BUCKET_WORDS;
}

/*
 * Far bucket @n: a full hash, so that what one crowded home sends away is spread
 * over the whole table. Two rounds of a multiply by 2^64 / golden ratio: one is
 * poor on equal strides. It may be the home bucket, which is looked at twice then.
 */
static unsigned long far_bucket(const struct asite_objtab *t, unsigned long obj, int n)
{
	u64 h = (obj >> 3) * 0x9E3779B97F4A7C15UL;

	h = ((h >> 32 ^ h) + n) * 0x9E3779B97F4A7C15UL;
	return (h >> 32 & t->mask) / ASITE_BUCKET_WORDS;
}

static u64 *find_in_bucket(const struct asite_objtab *t, unsigned long bucket, u64 tag)
{
	u64 *word = &t->words[bucket * ASITE_BUCKET_WORDS];
	int i;

	for (i = 0; i < ASITE_BUCKET_WORDS; i++, word++) {
		if ((READ_ONCE(*word) ^ tag) < 1UL << ASITE_TAG_SHIFT)
			return word;
	}
	return NULL;
}

static u64 *claim_in_bucket(struct asite_objtab *t, unsigned long bucket, u64 word)
{
	u64 *place = &t->words[bucket * ASITE_BUCKET_WORDS];
	int i;

	for (i = 0; i < ASITE_BUCKET_WORDS; i++, place++) {
		if (!READ_ONCE(*place) && !cmpxchg(place, 0, word))
			return place;
	}
	return NULL;
}

static u64 *find_far(const struct asite_objtab *t, unsigned long obj, u64 tag)
{
	u64 *word;
	int n;

	for (n = 0; n < ASITE_FAR_BUCKETS; n++) {
		word = find_in_bucket(t, far_bucket(t, obj, n), tag);
		if (word)
			return word;
	}
	return NULL;
}

static u64 *claim_far(struct asite_objtab *t, unsigned long obj, u64 word)
{
	u64 *place;
	int n;

	for (n = 0; n < ASITE_FAR_BUCKETS; n++) {
		place = claim_in_bucket(t, far_bucket(t, obj, n), word);
		if (place)
			return place;
	}
	return NULL;
}

/* Find the word of an object that the caller owns, wherever it is. */
static u64 *find_word(const struct asite_objtab *t, unsigned long obj)
{
	u64 tag = asite_objtab_tag(obj);
	u64 *word = &t->words[asite_objtab_preferred(t, obj)];
	unsigned long home = home_bucket(t, obj);

	if ((READ_ONCE(*word) ^ tag) < 1UL << ASITE_TAG_SHIFT)
		return word;
	/* The owner raised it before it put the word away: see objtab.h. */
	if (!atomic_read(&t->away[home]))
		return NULL;
	return find_in_bucket(t, home, tag) ?: find_far(t, obj, tag);
}

bool asite_objtab_follows(const struct asite_objtab *t, unsigned long obj)
{
	return asite_objtab_takes(obj) && find_word(t, obj);
}

enum asite_insert asite_objtab_insert_slow(struct asite_objtab *t,
					   unsigned long obj, u64 word, u64 *old)
{
	u64 *preferred = &t->words[asite_objtab_preferred(t, obj)];
	unsigned long home = home_bucket(t, obj);
	u64 *place = find_word(t, obj);

	if (place) {
		*old = READ_ONCE(*place);
		WRITE_ONCE(*place, word);
		return ASITE_INSERT_STALE;
	}
	if (!READ_ONCE(*preferred) && !cmpxchg(preferred, 0, word))
		return ASITE_INSERTED;

	atomic_inc(&t->away[home]);
	/* Raised before the word is put away: the owner relies on it, see objtab.h. */
	smp_mb__after_atomic();
	place = claim_in_bucket(t, home, word) ?: claim_far(t, obj, word);
	/* The preferred word may have become free meanwhile: not away after all. */
	if (!place || place == preferred)
		atomic_dec(&t->away[home]);
	return place ? ASITE_INSERTED : ASITE_INSERT_FULL;
}

long asite_objtab_remove_slow(struct asite_objtab *t, unsigned long obj)
{
	u64 *preferred = &t->words[asite_objtab_preferred(t, obj)];
	u64 *place = find_word(t, obj);
	u64 rest;

	if (!place)
		return -1;
	rest = READ_ONCE(*place) ^ asite_objtab_tag(obj);
	/* Release: as in asite_objtab_remove_fast(). */
	smp_store_release(place, 0);
	if (place != preferred)
		atomic_dec_return_release(&t->away[home_bucket(t, obj)]);
	return rest;
}

int asite_objtab_init(struct asite_objtab *t, size_t bytes, u64 highest)
{
	if (highest > 1ULL << ASITE_ADDR_BITS)
		return -EOPNOTSUPP;
	bytes = rounddown_pow_of_two(max(bytes, MIN_BYTES));
	t->mask = bytes / sizeof(*t->words) - 1;
	t->words = asite_mem_alloc(words_bytes(t));
	t->away = asite_mem_alloc(away_bytes(t));
	if (t->words && t->away)
		return 0;
	asite_objtab_destroy(t);
	return -ENOMEM;
}

void asite_objtab_destroy(struct asite_objtab *t)
{
	asite_mem_free(t->words, words_bytes(t));
	asite_mem_free(t->away, away_bytes(t));
	t->words = NULL;
	t->away = NULL;
}

void asite_objtab_reset(struct asite_objtab *t)
{
	size_t step = 1UL << 20;
	size_t done;

	for (done = 0; done < words_bytes(t); done += step) {
		memset((char *)t->words + done, 0, min(step, words_bytes(t) - done));
		cond_resched();
	}
	memset(t->away, 0, away_bytes(t));
}

u64 asite_objtab_count(const struct asite_objtab *t, int gen, u64 *away)
{
	unsigned long i;
	u64 count = 0;

	for (i = 0; i <= t->mask; i++) {
		u64 word = READ_ONCE(t->words[i]);

		if (!(i & 0xffff))
			cond_resched();
		if (!word)
			continue;
		if (gen < 0 || (word & ((1 << ASITE_GEN_BITS) - 1)) == gen)
			count++;
	}
	if (!away)
		return count;
	*away = 0;
	for (i = 0; i <= t->mask / ASITE_BUCKET_WORDS; i++)
		*away += atomic_read(&t->away[i]);
	return count;
}

size_t asite_objtab_bytes(const struct asite_objtab *t)
{
	return words_bytes(t) + away_bytes(t);
}
