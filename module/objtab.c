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

/*
 * away[] counts the objects that prefer a word and are in another of its bucket in the
 * low bits, those in far buckets above that, so that far buckets are looked at only for
 * these. A count that is full stays so until reset: only slower. (At home there are 7
 * words and, for moments, one more for each CPU that is looking for one.)
 */
#define AWAY_HOME	1U
#define AWAY_FAR	32U
#define AWAY_HOME_FULL	(AWAY_FAR - AWAY_HOME)
#define AWAY_FAR_FULL	(0x10000U - AWAY_FAR)

static size_t words_bytes(const struct asite_objtab *t)
{
	return (t->mask + 1) * sizeof(*t->words);
}

static size_t away_bytes(const struct asite_objtab *t)
{
	return (t->mask + 1) * sizeof(*t->away);
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
	unsigned int away;

	if ((READ_ONCE(*word) ^ tag) < 1UL << ASITE_TAG_SHIFT)
		return word;
	/* The owner raised it before it put the word away: see objtab.h. */
	away = READ_ONCE(t->away[word - t->words]);
	if (!away)
		return NULL;
	word = find_in_bucket(t, home_bucket(t, obj), tag);
	return word || away < AWAY_FAR ? word : find_far(t, obj, tag);
}

/* What a word in this place adds to its away count. */
static unsigned int away_at(const struct asite_objtab *t, unsigned long obj, const u64 *place)
{
	unsigned long i = place - t->words;

	if (i == asite_objtab_preferred(t, obj))
		return 0;
	return i / ASITE_BUCKET_WORDS == home_bucket(t, obj) ? AWAY_HOME : AWAY_FAR;
}

/* Does @count stand at its end, in the part that @by is of? */
static bool is_full(unsigned int count, unsigned int by)
{
	unsigned int full = by == AWAY_HOME ? AWAY_HOME_FULL : AWAY_FAR_FULL;

	return (count & full) == full;
}

/* Before a word is put away: its owner relies on it, see objtab.h. */
static void raise_away(u16 *away, unsigned int by)
{
	u16 count = READ_ONCE(*away);

	/* Ordered before the cmpxchg of the word by being one that succeeded. */
	while (!is_full(count, by) && !try_cmpxchg(away, &count, (u16)(count + by)))
		;
}

/* After a word that was away is cleared, or was not put away. */
static void lower_away(u16 *away, unsigned int by)
{
	u16 count = READ_ONCE(*away);

	while (!is_full(count, by) && !try_cmpxchg(away, &count, (u16)(count - by)))
		;
}

bool asite_objtab_follows(const struct asite_objtab *t, unsigned long obj)
{
	return asite_objtab_takes(obj) && find_word(t, obj);
}

long asite_objtab_look(const struct asite_objtab *t, unsigned long obj)
{
	const u64 *place = asite_objtab_takes(obj) ? find_word(t, obj) : NULL;
	u64 rest;

	if (!place)
		return -1;
	/* Pairs with the cmpxchg that published it. It may be another's by now. */
	rest = smp_load_acquire(place) ^ asite_objtab_tag(obj);
	return rest < 1UL << ASITE_TAG_SHIFT ? (long)rest : -1;
}

enum asite_insert asite_objtab_insert_slow(struct asite_objtab *t,
					   unsigned long obj, u64 word, u64 *old)
{
	unsigned long i = asite_objtab_preferred(t, obj);
	u64 *preferred = &t->words[i], *place = find_word(t, obj);
	unsigned int at;

	if (place) {
		*old = READ_ONCE(*place);
		/* Release: as a cmpxchg would, for asite_objtab_look(). */
		smp_store_release(place, word);
		return ASITE_INSERT_STALE;
	}
	if (!READ_ONCE(*preferred) && !cmpxchg(preferred, 0, word))
		return ASITE_INSERTED;

	raise_away(&t->away[i], AWAY_HOME);
	place = claim_in_bucket(t, home_bucket(t, obj), word);
	if (!place) {
		raise_away(&t->away[i], AWAY_FAR);
		place = claim_far(t, obj, word);
		at = place ? away_at(t, obj, place) : 0;
		/* No room, or a far bucket is the home bucket, where a place became free. */
		if (at != AWAY_FAR)
			lower_away(&t->away[i], AWAY_FAR);
	} else {
		at = away_at(t, obj, place);
	}
	if (at != AWAY_HOME)
		lower_away(&t->away[i], AWAY_HOME);
	return place ? ASITE_INSERTED : ASITE_INSERT_FULL;
}

long asite_objtab_remove_slow(struct asite_objtab *t, unsigned long obj)
{
	u64 *place = find_word(t, obj);
	unsigned int away;
	u64 rest;

	if (!place)
		return -1;
	away = away_at(t, obj, place);
	rest = READ_ONCE(*place) ^ asite_objtab_tag(obj);
	/* Release: as in asite_objtab_remove_fast(). */
	smp_store_release(place, 0);
	if (away)
		lower_away(&t->away[asite_objtab_preferred(t, obj)], away);
	return rest;
}

/* See ASITE_WORD_NOBODY. */
static void reserve_words(struct asite_objtab *t)
{
	t->words[asite_objtab_preferred(t, 0)] = ASITE_WORD_NOBODY;
	t->words[asite_objtab_preferred(t, ASITE_ADDR_MIN)] = ASITE_WORD_NOBODY;
}

int asite_objtab_init(struct asite_objtab *t, size_t bytes, u64 highest)
{
	if (highest > 1ULL << ASITE_ADDR_BITS)
		return -EOPNOTSUPP;
	bytes = rounddown_pow_of_two(max(bytes, MIN_BYTES));
	t->mask = bytes / sizeof(*t->words) - 1;
	t->words = asite_mem_alloc(words_bytes(t));
	t->away = asite_mem_alloc(away_bytes(t));
	if (!t->words || !t->away) {
		asite_objtab_destroy(t);
		return -ENOMEM;
	}
	reserve_words(t);
	return 0;
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
	for (done = 0; done < away_bytes(t); done += step) {
		memset((char *)t->away + done, 0, min(step, away_bytes(t) - done));
		cond_resched();
	}
	reserve_words(t);
}

static unsigned int objects_away(unsigned int away)
{
	return away % AWAY_FAR + away / AWAY_FAR;
}

u64 asite_objtab_count(const struct asite_objtab *t, int gen, u64 *away)
{
	unsigned long i;
	u64 count = 0;

	for (i = 0; i <= t->mask; i++) {
		u64 word = READ_ONCE(t->words[i]);

		if (!(i & 0xffff))
			cond_resched();
		if (!word || word == ASITE_WORD_NOBODY)
			continue;
		if (gen < 0 || (word & ((1 << ASITE_GEN_BITS) - 1)) == gen)
			count++;
	}
	if (!away)
		return count;
	*away = 0;
	for (i = 0; i <= t->mask; i++) {
		if (!(i & 0xffff))
			cond_resched();
		*away += objects_away(READ_ONCE(t->away[i]));
	}
	return count;
}

size_t asite_objtab_bytes(const struct asite_objtab *t)
{
	return words_bytes(t) + away_bytes(t);
}
