// SPDX-License-Identifier: GPL-2.0-only
/* Site table: finding and claiming slots, and what happens when there is none. */

/* Text addresses: any values above ASITE_KEY_DEAD will do. */
#define CASE_TEXT	0xffffffff81000000UL
#define CASE_CACHE	0xffff888100042000UL

/* The first slot that a site of its own may have, and how many the first batch has. */
#define FIRST_SLOT	ASITE_OVERFLOW_SLOTS
/* Slots ready at the start: the first batch's, less the overflow sites, and the spare ones. */
#define FIRST_READY	(ASITE_BATCH_SLOTS - ASITE_OVERFLOW_SLOTS + SPARE_SLOTS)

static struct asite_sitetab sites_tab;
/* What the table asked of its user. */
static unsigned int sites_kicks;
static unsigned int sites_described;

static void describe_case_site(struct asite_site *site)
{
	sites_described++;
	site->size = site->kind == ASITE_KMEM_CACHE ? 192 : asite_kind_block(site->sub);
	site->object_size = site->kind == ASITE_KMEM_CACHE ? 184 : 0;
}

static void kick_case(struct asite_sitetab *t)
{
	sites_kicks++;
}

static const struct asite_sites_ops sites_case_ops = {
	.describe = describe_case_site,
	.kick = kick_case,
};

static int sites_init(unsigned int max_sites)
{
	memset(&sites_tab, 0, sizeof(sites_tab));
	sites_kicks = 0;
	sites_described = 0;
	return asite_sites_init(&sites_tab, max_sites, 0, &sites_case_ops);
}

static int sites_end(int err)
{
	asite_sites_destroy(&sites_tab);
	return err;
}

static struct asite_key *find_kmalloc(unsigned long caller, unsigned long size)
{
	return asite_sites_find(&sites_tab, caller, size, ASITE_KMALLOC);
}

/* No site of its own: counted by size, or in the last resort. */
static bool overflowed(const struct asite_key *key)
{
	return slot_of(key) < ASITE_OVERFLOW_SLOTS;
}

/* Find @n new keys, starting with number @first; returns how many overflowed. */
static unsigned int claim_many(unsigned int first, unsigned int n)
{
	unsigned int i, over = 0;

	for (i = first; i < first + n; i++)
		over += overflowed(find_kmalloc(CASE_TEXT + 5 * i, 64));
	return over;
}

/* The n-th key of 64 bytes whose search starts at the same index entry as @caller's. */
static unsigned long same_start(unsigned long caller, unsigned int n)
{
	const struct asite_key *start = asite_sites_first(&sites_tab, caller, 64);

	while (n--) {
		do
			caller++;
		while (asite_sites_first(&sites_tab, caller, 64) != start);
	}
	return caller;
}

static int test_sites_same_key_same_entry(void)
{
	struct asite_key *key;

	if (sites_init(100))
		return -ENOMEM;
	key = find_kmalloc(CASE_TEXT, 64);
	expect(!overflowed(key));
	expect(find_kmalloc(CASE_TEXT, 64) == key);
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + 1);
	expect_eq(sites_described, 1);
	expect_eq(key->bits, asite_objtab_bits(FIRST_SLOT, 0));
	expect(key->counts == asite_sites_counts(&sites_tab, FIRST_SLOT));
	return sites_end(0);
}

/* Another caller, size or cache is another site, and each is described as it is. */
static int test_sites_keys_do_not_collide(void)
{
	struct asite_key *size, *other_size, *cache, *other_caller;
	struct asite_site *site;

	if (sites_init(100))
		return -ENOMEM;
	size = find_kmalloc(CASE_TEXT, 192);
	other_size = find_kmalloc(CASE_TEXT, 256);
	cache = asite_sites_find(&sites_tab, CASE_TEXT, CASE_CACHE, ASITE_KMEM_CACHE);
	other_caller = find_kmalloc(CASE_TEXT + 5, 192);
	expect(size != other_size && size != cache && size != other_caller &&
	       cache != other_caller && other_size != cache);
	site = asite_sites_site(&sites_tab, slot_of(cache));
	if (!expect(site))
		return sites_end(-EINVAL);
	expect(site->kind == ASITE_KMEM_CACHE && site->caller == CASE_TEXT &&
	       site->sub == CASE_CACHE && site->size == 192 && site->object_size == 184);
	site = asite_sites_site(&sites_tab, slot_of(size));
	expect(site && site->kind == ASITE_KMALLOC && site->sub == 192 && site->size == 192);
	site = asite_sites_site(&sites_tab, 0);
	expect(site && site->kind == ASITE_OVERFLOW);
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + 4);
	return sites_end(0);
}

/* Keys whose search starts at one place are all found again. */
static int test_sites_colliding_keys(void)
{
	struct asite_key *keys[PROBES_MAX];
	unsigned int i;

	if (sites_init(1000))
		return -ENOMEM;
	for (i = 0; i < PROBES_MAX; i++) {
		keys[i] = find_kmalloc(same_start(CASE_TEXT, i), 64);
		expect(!overflowed(keys[i]));
	}
	for (i = 0; i < PROBES_MAX; i++)
		expect(find_kmalloc(same_start(CASE_TEXT, i), 64) == keys[i]);
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + PROBES_MAX);
	return sites_end(0);
}

/* No place near: the overflow site, counted `full`; a worker could not help. */
static int test_sites_probe_limit(void)
{
	unsigned int i;

	if (sites_init(1000))
		return -ENOMEM;
	for (i = 0; i < PROBES_MAX; i++)
		find_kmalloc(same_start(CASE_TEXT, i), 64);
	expect(overflowed(find_kmalloc(same_start(CASE_TEXT, PROBES_MAX), 64)));
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + PROBES_MAX);
	expect_eq(atomic_long_read(&sites_tab.full), 1);
	expect_eq(atomic_long_read(&sites_tab.late), 0);
	expect_eq(sites_kicks, 0);
	return sites_end(0);
}

/* max_sites reached: overflow, counted `full`, and no wasted index entries. */
static int test_sites_full(void)
{
	unsigned int i;

	if (sites_init(10))
		return -ENOMEM;
	expect_eq(claim_many(0, 10), 0);
	expect_eq(claim_many(10, 7), 7);
	expect_eq(atomic_long_read(&sites_tab.full), 7);
	expect_eq(atomic_long_read(&sites_tab.late), 0);
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + 10);
	expect_eq(atomic_read(&sites_tab.dead_keys), 0);
	expect_eq(sites_kicks, 0);
	for (i = 0; i < 10; i++)
		expect_eq(slot_of(find_kmalloc(CASE_TEXT + 5 * i, 64)), FIRST_SLOT + i);
	return sites_end(0);
}

/* Overflow is kept apart by size, so that bytes stay right; slot 0 takes the rest. */
static int test_sites_overflow_by_size(void)
{
	struct asite_key *a, *b, *cache;
	struct asite_site *site;
	unsigned int i;

	if (sites_init(1))
		return -ENOMEM;
	find_kmalloc(CASE_TEXT, 64);
	a = find_kmalloc(CASE_TEXT + 1, 64);
	b = find_kmalloc(CASE_TEXT + 1, 128);
	expect(overflowed(a) && overflowed(b) && a != b);
	expect(find_kmalloc(CASE_TEXT + 2, 64) == a);
	cache = asite_sites_find(&sites_tab, CASE_TEXT, CASE_CACHE, ASITE_KMEM_CACHE);
	expect(overflowed(cache) && cache != a && cache != b);
	expect(find_kmalloc(CASE_TEXT + 3, 192) == cache);
	site = asite_sites_site(&sites_tab, slot_of(b));
	expect(site && site->kind == ASITE_OVERFLOW && site->size == 128);
	for (i = 3; i < ASITE_OVERFLOW_SLOTS - 1; i++)
		expect(slot_of(find_kmalloc(CASE_TEXT, 1000 + 8 * i)) != 0);
	expect(find_kmalloc(CASE_TEXT, 8) == &sites_tab.overflow);
	expect_eq(slot_of(&sites_tab.overflow), 0);
	expect(find_kmalloc(CASE_TEXT + 4, 64) == a);
	return sites_end(0);
}

/* The next batch is asked for in time; without it: overflow, `late`; then it works. */
static int test_sites_late_batch(void)
{
	unsigned int half = SPARE_SLOTS / 2;

	if (sites_init(6000))
		return -ENOMEM;
	/* The kick comes when half of the spare slots is left. */
	expect_eq(claim_many(0, FIRST_READY - half), 0);
	expect_eq(sites_kicks, 0);
	expect_eq(claim_many(FIRST_READY - half, 1), 0);
	expect_eq(sites_kicks, 1);
	expect_eq(claim_many(FIRST_READY - half + 1, half - 1), 0);
	expect_eq(asite_sites_used(&sites_tab), ASITE_BATCH_SLOTS + SPARE_SLOTS);
	sites_kicks = 0;
	expect_eq(claim_many(5000, 3), 3);
	expect_eq(atomic_long_read(&sites_tab.late), 3);
	expect_eq(atomic_long_read(&sites_tab.full), 0);
	expect_eq(sites_kicks, 3);
	expect_eq(asite_sites_grow(&sites_tab), 0);
	expect_eq(claim_many(5000, 3), 0);
	expect_eq(slot_of(find_kmalloc(CASE_TEXT + 5 * 5000, 64)),
		  ASITE_BATCH_SLOTS + SPARE_SLOTS);
	expect_eq(atomic_long_read(&sites_tab.late), 3);
	return sites_end(0);
}

/* Grown whenever asked: never late, until the last slot is gone. */
static int claim_all(unsigned int max_sites)
{
	unsigned int i, over = 0;

	for (i = 0; i < max_sites + 3; i++) {
		unsigned int kicks = sites_kicks;

		over += overflowed(find_kmalloc(CASE_TEXT + 5UL * i, 64));
		if (kicks != sites_kicks && asite_sites_grow(&sites_tab))
			return -ENOMEM;
	}
	expect_eq(atomic_long_read(&sites_tab.late), 0);
	expect_eq(atomic_long_read(&sites_tab.full), over);
	expect_eq(asite_sites_used(&sites_tab) + over, FIRST_SLOT + max_sites + 3);
	return over;
}

static int test_sites_max_sites_one(void)
{
	if (sites_init(1))
		return -ENOMEM;
	expect_eq(claim_all(1), 3);
	expect_eq(asite_sites_grow(&sites_tab), 0);
	return sites_end(0);
}

/* One slot before, at and after the end of a batch. */
static int test_sites_max_sites_near_a_batch(void)
{
	unsigned int max;

	for (max = FIRST_READY - 2; max < FIRST_READY + 2; max++) {
		if (sites_init(max))
			return -ENOMEM;
		expect_eq(claim_all(max), 3);
		sites_end(0);
	}
	return 0;
}

/* All slot numbers that a live word has room for, the overflow slots among them. */
static int test_sites_max_sites_limit(void)
{
	unsigned int max = ASITE_MAX_SITES_LIMIT;
	int over;

	if (sites_init(max))
		return -ENOMEM;
	expect_eq(sites_tab.max_sites, max);
	over = claim_all(max);
	/* The overflow slots' share is missing; some keys may find no place near. */
	expect(over >= (int)FIRST_SLOT + 3 && over < (int)FIRST_SLOT + 100);
	expect(asite_sites_used(&sites_tab) <= max);
	return sites_end(over < 0 ? over : 0);
}

static bool match_caller(struct asite_site *site, void *data)
{
	unsigned long *caller = data;

	/* Asked again of those that are gone, which have their text. */
	if (site->state != ASITE_SITE_LIVE || site->caller != *caller)
		return false;
	WRITE_ONCE(site->state, ASITE_SITE_GONE);
	site->text = case_text("gone_function+0x1/0x2 [gone]");
	return true;
}

/* A later module at the address inherits nothing; the old slot keeps all. */
static int test_sites_retire(void)
{
	unsigned long caller = CASE_TEXT;
	struct asite_key *old, *now, *other;
	struct asite_sum sum;
	unsigned int slot;

	if (sites_init(100))
		return -ENOMEM;
	old = find_kmalloc(caller, 64);
	other = find_kmalloc(CASE_TEXT + 5, 64);
	slot = slot_of(old);
	this_cpu_add(old->counts->allocs, 3);
	expect_eq(asite_sites_retire(&sites_tab, match_caller, &caller), 1);
	expect_eq(asite_sites_retire(&sites_tab, match_caller, &caller), 0);
	expect_eq(atomic_read(&sites_tab.dead_keys), 1);
	now = find_kmalloc(caller, 64);
	expect(!overflowed(now));
	expect(slot_of(now) != slot);
	this_cpu_inc(now->counts->allocs);
	asite_sites_sum(&sites_tab, slot, &sum);
	expect_eq(sum.live, 3);
	asite_sites_sum(&sites_tab, slot_of(now), &sum);
	expect_eq(sum.live, 1);
	expect_eq(asite_sites_site(&sites_tab, slot)->state, ASITE_SITE_GONE);
	expect_eq(asite_sites_site(&sites_tab, slot_of(now))->state, ASITE_SITE_LIVE);
	expect(find_kmalloc(CASE_TEXT + 5, 64) == other);
	return sites_end(0);
}

static bool match_size(struct asite_site *site, void *data)
{
	return site->sub == *(unsigned long *)data;
}

/* Two keys of one caller, one behind the other in the index: only the one asked for goes. */
static int test_sites_retire_one_of_caller(void)
{
	unsigned long size = 72;
	struct asite_key *near, *far;
	unsigned int slot;

	if (sites_init(100))
		return -ENOMEM;
	while (asite_sites_first(&sites_tab, CASE_TEXT, size) !=
	       asite_sites_first(&sites_tab, CASE_TEXT, 64))
		size += 8;
	near = find_kmalloc(CASE_TEXT, 64);
	far = find_kmalloc(CASE_TEXT, size);
	slot = slot_of(far);
	expect_eq(asite_sites_retire(&sites_tab, match_size, &size), 1);
	expect_eq(asite_sites_retire(&sites_tab, match_size, &size), 0);
	expect(find_kmalloc(CASE_TEXT, 64) == near);
	far = find_kmalloc(CASE_TEXT, size);
	expect(!overflowed(far) && slot_of(far) != slot);
	return sites_end(0);
}

/* As far from its start as a key may be. */
static int test_sites_retire_last_probe(void)
{
	unsigned long caller;
	unsigned int i;

	if (sites_init(1000))
		return -ENOMEM;
	for (i = 0; i < PROBES_MAX; i++) {
		caller = same_start(CASE_TEXT, i);
		find_kmalloc(caller, 64);
	}
	expect_eq(asite_sites_retire(&sites_tab, match_caller, &caller), 1);
	expect(overflowed(find_kmalloc(caller, 64)));
	expect(!overflowed(find_kmalloc(CASE_TEXT, 64)));
	return sites_end(0);
}

static const struct case_entry sites_claim_cases[] = {
	{ "sites_same_key_same_entry", test_sites_same_key_same_entry },
	{ "sites_keys_do_not_collide", test_sites_keys_do_not_collide },
	{ "sites_colliding_keys", test_sites_colliding_keys },
	{ "sites_probe_limit", test_sites_probe_limit },
	{ "sites_full", test_sites_full },
	{ "sites_overflow_by_size", test_sites_overflow_by_size },
	{ "sites_late_batch", test_sites_late_batch },
	{ "sites_max_sites_one", test_sites_max_sites_one },
	{ "sites_max_sites_near_a_batch", test_sites_max_sites_near_a_batch },
	{ "sites_max_sites_limit", test_sites_max_sites_limit },
	{ "sites_retire", test_sites_retire },
	{ "sites_retire_one_of_caller", test_sites_retire_one_of_caller },
	{ "sites_retire_last_probe", test_sites_retire_last_probe },
	{ }
};
