// SPDX-License-Identifier: GPL-2.0-only
/* Live-object table: what a word holds, its extremes, and set-up. */

static struct asite_objtab word_tab;

static int word_init(void)
{
	memset(&word_tab, 0, sizeof(word_tab));
	return asite_objtab_init(&word_tab, CASE_TABLE, CASE_HIGHEST);
}

static int word_end(int err)
{
	asite_objtab_destroy(&word_tab);
	return err;
}

/* Smallest and largest slot, every generation, at both ends of the map. */
static int test_objtab_slot_and_gen_extremes(void)
{
	static const unsigned int slots[] = { 0, 1, ASITE_MAX_SITES_LIMIT - 1 };
	struct asite_objtab *t = &word_tab;
	unsigned int i, gen;

	if (word_init())
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		for (gen = 0; gen < 8; gen++) {
			case_gen = gen;
			expect(put(t, CASE_BASE, slots[i]) == ASITE_INSERTED);
			expect(put(t, CASE_BASE + CASE_HIGHEST - 8, slots[i]) == ASITE_INSERTED);
			expect_eq(asite_objtab_remove(t, CASE_BASE), rest_of(slots[i], gen));
			expect_eq(asite_objtab_remove(t, CASE_BASE + CASE_HIGHEST - 8),
				  rest_of(slots[i], gen));
		}
	}
	case_gen = 0;
	check_objtab(t, 0);
	return word_end(0);
}

/* Every address bit that a word holds tells two objects apart. */
static int test_objtab_every_address_bit(void)
{
	struct asite_objtab *t = &word_tab;
	unsigned int bit;

	if (word_init())
		return -ENOMEM;
	for (bit = 3; bit < ASITE_ADDR_BITS; bit++) {
		unsigned long other = CASE_BASE + (1UL << bit);

		expect(put(t, CASE_BASE, 1) == ASITE_INSERTED);
		expect_eq(asite_objtab_remove(t, other), -1);
		expect(put(t, other, 2) == ASITE_INSERTED);
		expect_eq(asite_objtab_remove(t, CASE_BASE), rest_of(1, 0));
		expect_eq(asite_objtab_remove(t, CASE_BASE), -1);
		expect_eq(asite_objtab_remove(t, other), rest_of(2, 0));
	}
	check_objtab(t, 0);
	return word_end(0);
}

/* The address in the map whose 46 bits in a word are all 0. With KASLR it may be RAM. */
#define CASE_ZERO_BITS	((CASE_BASE | (CASE_HIGHEST - 1)) + 1)

static void expect_refused(struct asite_objtab *t, unsigned long obj, unsigned int slot)
{
	u64 live = asite_objtab_count(t, -1, NULL);
	u64 old = 5;

	expect(!asite_objtab_takes(obj));
	expect_eq(asite_objtab_remove(t, obj), -1);
	expect(asite_objtab_insert(t, obj, asite_objtab_bits(slot, 0), &old) == ASITE_INSERT_FULL);
	expect_eq(old, 5);
	expect_eq(asite_objtab_remove(t, obj), -1);
	check_objtab(t, live);
}

/*
 * NULL, ZERO_SIZE_PTR and what looks like them in a word: never followed, never
 * found, whatever the slot, the generation and the words around. An empty word
 * looks like the first of them in slot 0 and generation 0.
 */
static int test_objtab_addresses_not_taken(void)
{
	static const unsigned long bases[] = { 0, CASE_ZERO_BITS, CASE_ZERO_BITS - CASE_HIGHEST };
	static const unsigned int slots[] = { 0, 1, ASITE_MAX_SITES_LIMIT - 1 };
	struct asite_objtab *t = &word_tab;
	unsigned int i, low, crowded;

	if (word_init())
		return -ENOMEM;
	/* Empty; with objects away from where these would be; crowded. */
	for (crowded = 0; crowded < 3; crowded++) {
		for (i = 0; i < ARRAY_SIZE(bases) * 3; i++) {
			case_gen = i % 8;
			for (low = 0; low <= 16; low += 8)
				expect_refused(t, bases[i / 3] + low, slots[i % 3]);
		}
		case_gen = 0;
		for (low = 0; crowded == 0 && low <= 16; low += 8) {
			put(t, object_at(t, asite_objtab_preferred(t, low), 0), 1);
			put(t, object_at(t, asite_objtab_preferred(t, low), 1), 1);
		}
		for (i = 0; crowded == 1 && i < 700; i++)
			put(t, CASE_BASE + 8 * i, i);
	}
	return word_end(0);
}

/* The first address above them is an object like others, in every slot. */
static int test_objtab_first_address_taken(void)
{
	static const unsigned int slots[] = { 0, 1, ASITE_MAX_SITES_LIMIT - 1 };
	struct asite_objtab *t = &word_tab;
	unsigned long obj = CASE_ZERO_BITS + 24;
	unsigned int i;

	if (word_init())
		return -ENOMEM;
	expect(asite_objtab_takes(24) && asite_objtab_takes(obj) && asite_objtab_takes(obj - 32));
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		expect_eq(asite_objtab_remove(t, obj), -1);
		expect(put(t, obj, slots[i]) == ASITE_INSERTED);
		expect_eq(words_with(t, obj), 1);
		check_objtab(t, 1);
		expect(put(t, obj, slots[i]) == ASITE_INSERT_STALE);
		expect_eq(asite_objtab_remove(t, obj), rest_of(slots[i], 0));
		check_objtab(t, 0);
	}
	return word_end(0);
}

/* A free of an object from before load writes nothing and finds nothing. */
static int test_objtab_unknown_removal(void)
{
	struct asite_objtab *t = &word_tab;
	unsigned int i;
	u64 away;

	if (word_init())
		return -ENOMEM;
	for (i = 0; i < 1000; i++)
		expect_eq(asite_objtab_remove(t, CASE_BASE + 8 * i), -1);
	expect(put(t, object_at(t, 200, 0), 1) == ASITE_INSERTED);
	expect_eq(asite_objtab_remove(t, object_at(t, 200, 2)), -1);
	expect(put(t, object_at(t, 200, 1), 2) == ASITE_INSERTED);
	/* Same preferred word, now with another away from it. */
	for (i = 2; i < 8; i++)
		expect_eq(asite_objtab_remove(t, object_at(t, 200, i)), -1);
	expect_eq(asite_objtab_count(t, -1, &away), 2);
	expect_eq(away, 1);
	check_objtab(t, 2);
	return word_end(0);
}

/* The fast paths, which do not ask, find NULL and ZERO_SIZE_PTR no place and no word. */
static int test_objtab_nobodys_words(void)
{
	struct asite_objtab *t = &word_tab;
	unsigned int round;

	if (word_init())
		return -ENOMEM;
	for (round = 0; round < 2; round++) {
		expect(!asite_objtab_insert_fast(t, 0, asite_objtab_word(0, 8)));
		expect(!asite_objtab_insert_fast(t, 16, asite_objtab_word(16, 8)));
		expect_eq(asite_objtab_remove_fast(t, 0), -1);
		expect_eq(asite_objtab_remove_fast(t, 16), -1);
		check_objtab(t, 0);
		asite_objtab_reset(t);
	}
	return word_end(0);
}

/* Each object keeps the generation it was born in; count() selects by it. */
static int test_objtab_generations(void)
{
	struct asite_objtab *t = &word_tab;
	unsigned int gen, i;

	if (word_init())
		return -ENOMEM;
	for (gen = 0; gen < 8; gen++) {
		case_gen = gen;
		for (i = 0; i <= gen; i++)
			expect(put(t, CASE_BASE + 1024 * gen + 64 * i, 9) == ASITE_INSERTED);
	}
	case_gen = 0;
	for (gen = 0; gen < 8; gen++)
		expect_eq(asite_objtab_count(t, gen, NULL), gen + 1);
	expect_eq(asite_objtab_count(t, -1, NULL), 36);
	for (gen = 0; gen < 8; gen++)
		expect_eq(asite_objtab_remove(t, CASE_BASE + 1024 * gen), rest_of(9, gen));
	check_objtab(t, 28);
	case_gen = 0;
	return word_end(0);
}

static int test_objtab_reset_empties(void)
{
	struct asite_objtab *t = &word_tab;
	unsigned int i;
	u64 away;

	if (word_init())
		return -ENOMEM;
	for (i = 0; i < 300; i++)
		put(t, CASE_BASE + 8 * i, i);
	expect(asite_objtab_count(t, -1, &away) && away);
	asite_objtab_reset(t);
	check_objtab(t, 0);
	expect_eq(asite_objtab_count(t, -1, &away), 0);
	expect_eq(away, 0);
	expect_eq(asite_objtab_remove(t, CASE_BASE), -1);
	expect(put(t, CASE_BASE, 1) == ASITE_INSERTED);
	return word_end(0);
}

/* The largest address space that a word can name, and one byte more. */
static int test_objtab_init_refuses_64_tib(void)
{
	struct asite_objtab t = { };
	u64 held = asite_mem_used();

	expect_eq(asite_objtab_init(&t, CASE_TABLE, CASE_HIGHEST + 1), -EOPNOTSUPP);
	expect_eq(asite_mem_used(), held);
	asite_objtab_destroy(&t);
	memset(&t, 0, sizeof(t));
	expect_eq(asite_objtab_init(&t, CASE_TABLE, CASE_HIGHEST), 0);
	asite_objtab_destroy(&t);
	return 0;
}

static int test_objtab_init_sizes(void)
{
	static const unsigned long ask[] = { 0, 1, 4096, 8191, 8192, 3UL << 20 };
	static const unsigned long got[] = { 4096, 4096, 4096, 4096, 8192, 2UL << 20 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ask); i++) {
		struct asite_objtab t = { };

		if (asite_objtab_init(&t, ask[i], 1UL << 30))
			return -ENOMEM;
		expect_eq((t.mask + 1) * 8, got[i]);
		expect_eq((unsigned long)t.words % 64, 0);
		expect_eq(asite_objtab_bytes(&t), got[i] + got[i] / 8 * sizeof(u16));
		asite_objtab_reset(&t);
		expect_eq(asite_objtab_count(&t, -1, NULL), 0);
		asite_objtab_destroy(&t);
		asite_objtab_destroy(&t);
	}
	return 0;
}

/* Whichever allocation fails: -ENOMEM, and nothing is held. */
static int test_objtab_init_out_of_memory(void)
{
	u64 held = asite_mem_used();
	struct asite_objtab t;
	int err, n;

	for (n = 1; n < 10; n++) {
		memset(&t, 0, sizeof(t));
		case_fail_nth(n);
		err = asite_objtab_init(&t, CASE_TABLE, CASE_HIGHEST);
		case_fail_nth(0);
		if (!err)
			break;
		expect_eq(err, -ENOMEM);
		expect_eq(asite_mem_used(), held);
		asite_objtab_destroy(&t);
	}
	expect_eq(n, 3);
	asite_objtab_destroy(&t);
	return 0;
}

static const struct case_entry objtab_word_cases[] = {
	{ "objtab_slot_and_gen_extremes", test_objtab_slot_and_gen_extremes },
	{ "objtab_every_address_bit", test_objtab_every_address_bit },
	{ "objtab_addresses_not_taken", test_objtab_addresses_not_taken },
	{ "objtab_first_address_taken", test_objtab_first_address_taken },
	{ "objtab_unknown_removal", test_objtab_unknown_removal },
	{ "objtab_nobodys_words", test_objtab_nobodys_words },
	{ "objtab_generations", test_objtab_generations },
	{ "objtab_reset_empties", test_objtab_reset_empties },
	{ "objtab_init_refuses_64_tib", test_objtab_init_refuses_64_tib },
	{ "objtab_init_sizes", test_objtab_init_sizes },
	{ "objtab_init_out_of_memory", test_objtab_init_out_of_memory },
	{ }
};
