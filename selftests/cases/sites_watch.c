// SPDX-License-Identifier: GPL-2.0-only
/* Site table: keys that are watched are missed by the fast path, and by nothing else. */

/* New sites of this caller are published watched. */
static unsigned long watched_caller;

static void describe_watched(struct asite_site *site)
{
	describe_case_site(site);
	if (site->caller == watched_caller)
		site->context = 7;
}

static const struct asite_sites_ops sites_watch_ops = {
	.describe = describe_watched,
	.kick = kick_case,
};

static int sites_watch_init(void)
{
	int err = sites_init(100);

	sites_tab.ops = &sites_watch_ops;
	watched_caller = 0;
	return err;
}

/* Would the fast path take it? */
static bool is_fast(unsigned long caller, unsigned long size)
{
	return asite_sites_is(asite_sites_first(&sites_tab, caller, size), caller, size);
}

static int test_sites_watch(void)
{
	struct asite_key *key, *other, *size;
	unsigned int slot, used;

	if (sites_watch_init())
		return -ENOMEM;
	key = find_kmalloc(CASE_TEXT, 64);
	other = find_kmalloc(CASE_TEXT + 5, 64);
	size = find_kmalloc(CASE_TEXT, 96);
	slot = slot_of(key);
	used = asite_sites_used(&sites_tab);
	expect(!asite_key_watched(key));
	expect(!asite_sites_watch(&sites_tab, slot, false));
	expect(asite_sites_watch(&sites_tab, slot, true));
	expect(!asite_sites_watch(&sites_tab, slot, true));
	expect(asite_key_watched(key) && asite_key_caller(key) == CASE_TEXT);
	expect(!is_fast(CASE_TEXT, 64) && is_fast(CASE_TEXT + 5, 64) && is_fast(CASE_TEXT, 96));
	expect(find_kmalloc(CASE_TEXT, 64) == key);
	expect(asite_sites_lookup(&sites_tab, CASE_TEXT, 64) == key);
	expect(find_kmalloc(CASE_TEXT + 5, 64) == other && find_kmalloc(CASE_TEXT, 96) == size);
	expect_eq(asite_sites_used(&sites_tab), used);
	/* Hidden keys are found as ever. */
	asite_sites_hide(&sites_tab, true);
	expect(find_kmalloc(CASE_TEXT, 64) == key && find_kmalloc(CASE_TEXT + 5, 64) == other);
	expect(asite_sites_hidden(&sites_tab, CASE_TEXT, 64) ==
	       asite_sites_hidden(&sites_tab, asite_key_caller(key), 64));
	asite_sites_hide(&sites_tab, false);
	expect(asite_sites_watch(&sites_tab, slot, false));
	expect(is_fast(CASE_TEXT, 64) && !asite_key_watched(key));
	expect_eq(asite_sites_used(&sites_tab), used);
	return sites_end(0);
}

/* A site that is marked when it is described is never found by the fast path. */
static int test_sites_watch_new(void)
{
	struct asite_key *key;

	if (sites_watch_init())
		return -ENOMEM;
	watched_caller = CASE_TEXT;
	key = find_kmalloc(CASE_TEXT, 64);
	expect(!overflowed(key) && asite_key_watched(key) && !is_fast(CASE_TEXT, 64));
	expect_eq(asite_sites_site(&sites_tab, slot_of(key))->caller, CASE_TEXT);
	expect(find_kmalloc(CASE_TEXT, 64) == key);
	expect(asite_key_watched(find_kmalloc(CASE_TEXT, 128)));
	expect(!asite_key_watched(find_kmalloc(CASE_TEXT + 5, 64)));
	expect_eq(asite_sites_used(&sites_tab), FIRST_SLOT + 3);
	return sites_end(0);
}

/* Retired as others are, and not watched any more. */
static int test_sites_watch_retire(void)
{
	unsigned long caller = CASE_TEXT;
	struct asite_key *old, *now;
	unsigned int slot;

	if (sites_watch_init())
		return -ENOMEM;
	old = find_kmalloc(caller, 64);
	slot = slot_of(old);
	expect(asite_sites_watch(&sites_tab, slot, true));
	expect_eq(asite_sites_retire(&sites_tab, match_caller, &caller), 1);
	expect_eq(old->caller, ASITE_KEY_DEAD);
	expect(!asite_key_watched(old) && !asite_sites_watch(&sites_tab, slot, false));
	now = find_kmalloc(caller, 64);
	expect(now != old && slot_of(now) != slot && !asite_key_watched(now));
	expect(is_fast(CASE_TEXT, 64) || asite_sites_first(&sites_tab, caller, 64) == old);
	return sites_end(0);
}

/* As far from its start as a key may be, and one of a caller of many sizes. */
static int test_sites_watch_last_probe(void)
{
	struct asite_key *key = NULL;
	unsigned long caller = 0;
	unsigned int i;

	if (sites_watch_init())
		return -ENOMEM;
	for (i = 0; i < PROBES_MAX; i++) {
		caller = same_start(CASE_TEXT, i);
		key = find_kmalloc(caller, 64);
	}
	expect(asite_sites_watch(&sites_tab, slot_of(key), true));
	expect(find_kmalloc(caller, 64) == key);
	expect(asite_sites_lookup(&sites_tab, caller, 64) == key);
	expect(!asite_key_watched(find_kmalloc(CASE_TEXT, 64)));
	return sites_end(0);
}

/* What stands for no caller is not watched, nor are overflow sites. */
static int test_sites_watch_nobody(void)
{
	struct asite_key *lost;

	if (sites_watch_init())
		return -ENOMEM;
	lost = find_kmalloc(ASITE_KEY_LOST, 64);
	expect(!overflowed(lost) && !asite_key_watched(lost));
	expect_eq(asite_key_caller(lost), ASITE_KEY_LOST);
	expect(!asite_key_watched(&sites_tab.overflow));
	expect(!asite_key_watched(&sites_tab.index[0]));
	expect(!asite_sites_watch(&sites_tab, 0, true));
	return sites_end(0);
}

static const struct case_entry sites_watch_cases[] = {
	{ "sites_watch", test_sites_watch },
	{ "sites_watch_new", test_sites_watch_new },
	{ "sites_watch_retire", test_sites_watch_retire },
	{ "sites_watch_last_probe", test_sites_watch_last_probe },
	{ "sites_watch_nobody", test_sites_watch_nobody },
	{ }
};
