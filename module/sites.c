// SPDX-License-Identifier: GPL-2.0-only
/*
 * Site table: claiming, retiring, summing and set-up. Layout, hot path and
 * invariants are in sites.h.
 *
 * This is a core: plain data structure, built in the module and in user space.
 * It does not resolve addresses, format text or know what a cache is.
 *
 * Contexts: asite_sites_find_slow() runs in any context; it takes no lock and
 * allocates nothing. The owner serialises grow, retire and reset with a lock of
 * its own (asite_table_lock in the module).
 */
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <allocsite/abi.h>
#include <allocsite/mem.h>
#include <allocsite/objtab.h>
#include <allocsite/sites.h>

static_assert(ASITE_MAX_SITES_LIMIT == 1UL << ASITE_SLOT_BITS,
	      "every slot number must fit a live word");
static_assert(ASITE_OVERFLOW_SLOTS < ASITE_BATCH_SLOTS,
	      "the first batch holds the overflow slots and some more");
static_assert(sizeof(struct asite_key) == 32, "two index entries to a cache line");

/* Places looked at for one key: bounds the time of an event in a full index. */
#define PROBES_MAX	32

/* Ready ahead of need: the first seconds see most sites of a machine. */
#define SPARE_SLOTS	(4 * ASITE_BATCH_SLOTS)

#define BATCH_COUNTS_BYTES	(ASITE_BATCH_SLOTS * sizeof(struct asite_counts))
#define BATCH_SITES_BYTES	(ASITE_BATCH_SLOTS * sizeof(struct asite_site))

/* As asite_sites_key(), hidden or not. */
static struct asite_key *key_at(const struct asite_sitetab *t, unsigned long hash)
{
	return (void *)t->index + (hash & t->index_mask);
}

static unsigned int slot_of(const struct asite_key *key)
{
	return key->bits >> ASITE_GEN_BITS;
}

static struct asite_site *site_at(const struct asite_sitetab *t, unsigned int slot)
{
	return &t->batches[slot >> ASITE_BATCH_SHIFT].sites[slot & (ASITE_BATCH_SLOTS - 1)];
}

/* Claiming: index entry first, so that a lost race costs no slot. */

/* Take the next of a range of slots, lock-free; -1 when there is none. */
static int take_next(atomic_t *next, unsigned int end)
{
	int slot = atomic_read(next);

	do {
		if (slot >= (int)end)
			return -1;
	} while (!atomic_try_cmpxchg(next, &slot, slot + 1));
	return slot;
}

static int take_slot(struct asite_sitetab *t, enum asite_kind kind)
{
	unsigned int ready;
	int slot;

	if (kind == ASITE_OVERFLOW)
		return take_next(&t->next_overflow, ASITE_OVERFLOW_SLOTS);
	/* Pairs with the release in asite_sites_grow(). */
	ready = smp_load_acquire(&t->nr_ready);
	slot = take_next(&t->next, ready);
	if (ready < t->max_sites && (slot < 0 || ready - slot <= SPARE_SLOTS / 2))
		t->ops->kick(t);
	return slot;
}

static void describe_site(struct asite_sitetab *t, unsigned int slot,
			  unsigned long caller, unsigned long sub, enum asite_kind kind)
{
	struct asite_site *site = site_at(t, slot);

	site->caller = caller;
	site->sub = sub;
	site->kind = kind;
	if (kind == ASITE_OVERFLOW)
		site->size = asite_kind_block(sub);
	else
		t->ops->describe(site);
	/* Pairs with the acquire in asite_sites_site(). */
	smp_store_release(&site->state, ASITE_SITE_LIVE);
}

/* Is that this caller, watched or not? */
static bool is_of(unsigned long found, unsigned long caller)
{
	return !((found ^ caller) & ~ASITE_KEY_TEXT);
}

static void publish_key(struct asite_sitetab *t, struct asite_key *key,
			unsigned int slot, unsigned long caller, unsigned long sub)
{
	if (site_at(t, slot)->context)
		caller &= ~ASITE_KEY_TEXT;
	key->counts = asite_sites_counts(t, slot);
	key->bits = asite_objtab_bits(slot, 0);
	WRITE_ONCE(key->sub, sub);
	/* Pairs with the acquire in asite_sites_find(). */
	smp_store_release(&key->caller, caller);
}

/* Fill an index entry that was claimed; false if there is no slot for it. */
static bool fill_key(struct asite_sitetab *t, struct asite_key *key,
		     unsigned long caller, unsigned long sub, enum asite_kind kind)
{
	int slot = take_slot(t, kind);

	if (slot < 0) {
		atomic_inc(&t->dead_keys);
		/* Others may have probed past it: it cannot become empty again. */
		smp_store_release(&key->caller, ASITE_KEY_DEAD);
		return false;
	}
	describe_site(t, slot, caller, sub, kind);
	publish_key(t, key, slot, caller, sub);
	return true;
}

/* Also tells whether more are to come: decided on one value of nr_ready. */
static bool slots_left(const struct asite_sitetab *t, enum asite_kind kind, bool *late)
{
	unsigned int ready;

	if (kind == ASITE_OVERFLOW)
		return atomic_read(&t->next_overflow) < (int)ASITE_OVERFLOW_SLOTS;
	/* Pairs with the release in asite_sites_grow(). */
	ready = smp_load_acquire(&t->nr_ready);
	*late = ready < t->max_sites;
	return atomic_read(&t->next) < (int)ready;
}

/*
 * NULL: no slot, or no place in the index near enough. @late tells whether there
 * would be a slot if the next batch were there.
 */
static struct asite_key *find_or_claim(struct asite_sitetab *t, unsigned long caller,
				       unsigned long sub, enum asite_kind kind, bool *late)
{
	unsigned long h = asite_sites_hash(caller, sub);
	struct asite_key *key;
	unsigned long found;
	int i;

	for (i = 0; i < PROBES_MAX; i++) {
		key = key_at(t, h + i * sizeof(*key));
		/* Pairs with the release in publish_key(). */
		found = smp_load_acquire(&key->caller);
		if (found == ASITE_KEY_EMPTY) {
			if (!slots_left(t, kind, late))
				return NULL;
			found = cmpxchg(&key->caller, ASITE_KEY_EMPTY, ASITE_KEY_CLAIMED);
			if (found == ASITE_KEY_EMPTY)
				return fill_key(t, key, caller, sub, kind) ? key : NULL;
			/* A cmpxchg that fails orders nothing: look again, as above. */
			found = smp_load_acquire(&key->caller);
		}
		if (is_of(found, caller) && READ_ONCE(key->sub) == sub)
			return key;
	}
	*late = false;
	return NULL;
}

static struct asite_key *find_overflow(struct asite_sitetab *t, unsigned long sub,
				       enum asite_kind kind, bool late)
{
	struct asite_site site = { .sub = sub, .kind = kind };

	if (late) {
		atomic_long_inc(&t->late);
		t->ops->kick(t);
	} else {
		atomic_long_inc(&t->full);
	}
	t->ops->describe(&site);
	if (asite_kind_tag(sub) == ASITE_TAG_SLAB)
		sub = site.size;
	return find_or_claim(t, ASITE_KEY_OVERFLOW, sub, ASITE_OVERFLOW, &late) ?: &t->overflow;
}

struct asite_key *asite_sites_find_slow(struct asite_sitetab *t,
					unsigned long caller, unsigned long sub,
					enum asite_kind kind)
{
	struct asite_key *key;
	bool late = false;

	key = find_or_claim(t, caller, sub, kind, &late);
	return key ?: find_overflow(t, sub, kind, late);
}

struct asite_key *asite_sites_lookup(const struct asite_sitetab *t, unsigned long caller,
				     unsigned long sub)
{
	unsigned long h = asite_sites_hash(caller, sub), found;
	struct asite_key *key;
	int i;

	for (i = 0; i < PROBES_MAX; i++) {
		key = key_at(t, h + i * sizeof(*key));
		/* Pairs with the release in publish_key(). */
		found = smp_load_acquire(&key->caller);
		if (is_of(found, caller) && READ_ONCE(key->sub) == sub)
			return key;
		if (found == ASITE_KEY_EMPTY)
			return NULL;
	}
	return NULL;
}

/* Summing and retiring. */

unsigned int asite_sites_used(const struct asite_sitetab *t)
{
	/* Pairs with take_next(): the batch of a slot that was taken is there. */
	return atomic_read_acquire(&t->next);
}

struct asite_site *asite_sites_site(const struct asite_sitetab *t, unsigned int slot)
{
	struct asite_site *site;

	site = site_at(t, slot < t->first_stack ? slot : t->ops->owner(t, slot));
	/* Pairs with the release in describe_site(). */
	return smp_load_acquire(&site->state) == ASITE_SITE_UNUSED ? NULL : site;
}

static void sum_frees(struct asite_counts __percpu *counts, struct asite_counts *sum)
{
	const struct asite_counts *c;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(counts, cpu);
		sum->frees += READ_ONCE(c->frees);
		sum->untracked += READ_ONCE(c->untracked);
		sum->heads_freed += READ_ONCE(c->heads_freed);
	}
}

static void sum_allocs(struct asite_counts __percpu *counts, struct asite_counts *sum)
{
	const struct asite_counts *c;
	int cpu;

	sum->requested = 0;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(counts, cpu);
		sum->allocs += READ_ONCE(c->allocs);
		sum->requested += READ_ONCE(c->requested);
	}
}

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* Frames were counted: blocks are told. */
static void sum_pages(const struct asite_counts *c, u64 heads_freed, unsigned long block,
		      struct asite_sum *sum)
{
	unsigned int order = ilog2(block) - ASITE_FRAME_SHIFT;
	u64 live = less(c->allocs, c->frees + c->untracked);

	sum->allocs = c->allocs >> order;
	sum->untracked = c->untracked >> order;
	sum->frees = order ? heads_freed : c->frees;
	sum->live = order ? less(sum->allocs, sum->frees + sum->untracked) : live;
	sum->live_bytes = live << ASITE_FRAME_SHIFT;
	sum->requested = c->allocs << ASITE_FRAME_SHIFT;
}

void asite_sites_sum(const struct asite_sitetab *t, unsigned int slot,
		     struct asite_sum *sum)
{
	struct asite_counts __percpu *counts = asite_sites_counts(t, slot);
	const struct asite_site *site = asite_sites_site(t, slot);
	unsigned long sub = site ? site->sub : 0;
	struct asite_counts c = {};
	u64 heads_freed;

	sum_frees(counts, &c);
	heads_freed = c.heads_freed;
	/*
	 * Whoever counts a free, or an allocation as not followed, has seen
	 * that allocation counted: what was read above is in what follows.
	 */
	smp_rmb();
	sum_allocs(counts, &c);
	if (asite_kind_is_pages(sub)) {
		sum_pages(&c, heads_freed, asite_kind_block(sub), sum);
		return;
	}
	sum->allocs = c.allocs;
	sum->frees = c.frees;
	sum->requested = c.requested;
	sum->untracked = asite_kind_is_area(sub) ? 0 : c.untracked;
	/* A retag takes an allocation back: for a moment it may seem one too few. */
	sum->live = less(c.allocs, c.frees + sum->untracked);
	sum->live_bytes = asite_kind_is_area(sub) ? less(c.requested, c.freed_bytes) :
			  sum->live * (site ? site->size : 0);
}

/* Find the key of a slot that was published; NULL if it is dead. */
static struct asite_key *key_of(const struct asite_sitetab *t, unsigned int slot,
				const struct asite_site *site)
{
	unsigned long h = asite_sites_hash(site->caller, site->sub);
	struct asite_key *key;
	int i;

	for (i = 0; i < PROBES_MAX; i++) {
		key = key_at(t, h + i * sizeof(*key));
		/* Pairs with the release in publish_key(). */
		if (is_of(smp_load_acquire(&key->caller), site->caller) && slot_of(key) == slot)
			return key;
	}
	return NULL;
}

/* False: somebody else did. It may be watched, or no longer, in between. */
static bool kill_key(struct asite_key *key, unsigned long caller)
{
	unsigned long found = READ_ONCE(key->caller);

	do {
		if (!is_of(found, caller))
			return false;
	} while (!try_cmpxchg(&key->caller, &found, ASITE_KEY_DEAD));
	return true;
}

bool asite_sites_watch(struct asite_sitetab *t, unsigned int slot, bool watch)
{
	const struct asite_site *site = asite_sites_site(t, slot);
	struct asite_key *key;
	unsigned long was;

	/* What has no caller has no form to tell it by. */
	if (!site || !(site->caller & ASITE_KEY_TEXT))
		return false;
	key = key_of(t, slot, site);
	if (!key)
		return false;
	was = watch ? site->caller : site->caller & ~ASITE_KEY_TEXT;
	return cmpxchg(&key->caller, was, was ^ ASITE_KEY_TEXT) == was;
}

unsigned int asite_sites_retire(struct asite_sitetab *t,
				bool (*match)(struct asite_site *site, void *data),
				void *data)
{
	unsigned int used = asite_sites_used(t), slot, retired = 0;
	struct asite_site *site;
	struct asite_key *key;

	for (slot = ASITE_OVERFLOW_SLOTS; slot < used; slot++) {
		site = asite_sites_site(t, slot);
		if (!site || !match(site, data))
			continue;
		key = key_of(t, slot, site);
		if (!key || !kill_key(key, site->caller))
			continue;
		atomic_inc(&t->dead_keys);
		retired++;
	}
	return retired;
}

/* Set-up. */

static bool enough_slots(const struct asite_sitetab *t)
{
	unsigned int left = t->nr_ready - atomic_read(&t->next);

	return t->nr_ready >= t->max_sites || left > SPARE_SLOTS;
}

/* Before any slot of the batch is handed out. */
static void set_slot_counts(struct asite_sitetab *t, unsigned int nr)
{
	unsigned int first = nr << ASITE_BATCH_SHIFT, i;

	for (i = 0; i < ASITE_BATCH_SLOTS; i++)
		t->slot_counts[first + i] = t->batches[nr].counts + i;
}

static size_t slot_counts_bytes(const struct asite_sitetab *t)
{
	return t->max_batches * ASITE_BATCH_SLOTS * sizeof(*t->slot_counts);
}

static int add_counts(struct asite_sitetab *t, unsigned int nr)
{
	t->batches[nr].counts = asite_mem_alloc_percpu(BATCH_COUNTS_BYTES);
	if (!t->batches[nr].counts)
		return -ENOMEM;
	set_slot_counts(t, nr);
	return 0;
}

static int add_batch(struct asite_sitetab *t)
{
	unsigned int nr = t->nr_ready >> ASITE_BATCH_SHIFT;
	struct asite_batch *batch = &t->batches[nr];

	batch->sites = asite_mem_alloc(BATCH_SITES_BYTES);
	if (!batch->sites || add_counts(t, nr)) {
		asite_mem_free(batch->sites, BATCH_SITES_BYTES);
		batch->sites = NULL;
		return -ENOMEM;
	}
	/* Pairs with the acquire in take_slot() and slots_left(). */
	smp_store_release(&t->nr_ready,
			  min(t->max_sites, (nr + 1) * ASITE_BATCH_SLOTS));
	return 0;
}

int asite_sites_add_stacks(struct asite_sitetab *t, unsigned int nr)
{
	nr += t->first_stack >> ASITE_BATCH_SHIFT;
	if (nr >= t->max_batches)
		return -ENOSPC;
	return t->batches[nr].counts ? 0 : add_counts(t, nr);
}

int asite_sites_grow(struct asite_sitetab *t)
{
	int err = 0;

	while (!err && !enough_slots(t))
		err = add_batch(t);
	return err;
}

/* Slot 0: what has no room even in the overflow slots. */
static void make_overflow(struct asite_sitetab *t)
{
	struct asite_site *site = site_at(t, 0);

	atomic_set(&t->next, ASITE_OVERFLOW_SLOTS);
	atomic_set(&t->next_overflow, 1);
	t->overflow.caller = ASITE_KEY_DEAD;
	t->overflow.counts = asite_sites_counts(t, 0);
	t->overflow.bits = asite_objtab_bits(0, 0);
	site->kind = ASITE_OVERFLOW;
	/* Whoever looks for a key while they are hidden looks here. */
	t->index->caller = ASITE_KEY_DEAD;
	/* Pairs with the acquire in asite_sites_site(). */
	smp_store_release(&site->state, ASITE_SITE_LIVE);
}

static size_t index_bytes(const struct asite_sitetab *t)
{
	return asite_sites_entries(t) * sizeof(*t->index);
}

static void set_sizes(struct asite_sitetab *t, unsigned int max_sites, unsigned int max_stacks)
{
	unsigned int batches;

	t->max_sites = max_sites + ASITE_OVERFLOW_SLOTS;
	if (t->max_sites > ASITE_MAX_SITES_LIMIT)
		t->max_sites = ASITE_MAX_SITES_LIMIT;
	batches = DIV_ROUND_UP(t->max_sites, ASITE_BATCH_SLOTS);
	t->first_stack = batches * ASITE_BATCH_SLOTS;
	t->max_batches = min(batches + max_stacks / ASITE_BATCH_SLOTS,
			     (unsigned int)ASITE_MAX_SITES_LIMIT / ASITE_BATCH_SLOTS);
	t->index_mask = (roundup_pow_of_two(2UL * max(max_sites, 2 * ASITE_OVERFLOW_SLOTS)) - 1) *
			sizeof(*t->index);
}

int asite_sites_init(struct asite_sitetab *t, unsigned int max_sites, unsigned int max_stacks,
		     const struct asite_sites_ops *ops)
{
	t->ops = ops;
	set_sizes(t, max_sites, max_stacks);
	asite_sites_hide(t, false);

	t->index = asite_mem_alloc(index_bytes(t));
	t->batches = asite_mem_alloc(t->max_batches * sizeof(*t->batches));
	t->slot_counts = asite_mem_alloc(slot_counts_bytes(t));
	if (!t->index || !t->batches || !t->slot_counts || asite_sites_grow(t)) {
		asite_sites_destroy(t);
		return -ENOMEM;
	}
	make_overflow(t);
	return 0;
}

static void free_texts(const struct asite_batch *batch)
{
	unsigned int i;

	/* Batches of stacks have none. */
	for (i = 0; batch->sites && i < ASITE_BATCH_SLOTS; i++)
		asite_mem_free_text(batch->sites[i].text);
}

static void free_batch(struct asite_batch *batch)
{
	free_texts(batch);
	asite_mem_free_percpu(batch->counts, BATCH_COUNTS_BYTES);
	asite_mem_free(batch->sites, BATCH_SITES_BYTES);
}

void asite_sites_destroy(struct asite_sitetab *t)
{
	unsigned int i;

	for (i = 0; t->batches && i < t->max_batches; i++)
		free_batch(&t->batches[i]);
	asite_mem_free(t->slot_counts, slot_counts_bytes(t));
	asite_mem_free(t->batches, t->max_batches * sizeof(*t->batches));
	asite_mem_free(t->index, index_bytes(t));
	memset(t, 0, sizeof(*t));
}

static void reset_batch(const struct asite_batch *batch)
{
	int cpu;

	free_texts(batch);
	if (batch->sites)
		memset(batch->sites, 0, BATCH_SITES_BYTES);
	cond_resched();
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(batch->counts, cpu), 0, BATCH_COUNTS_BYTES);
}

void asite_sites_reset(struct asite_sitetab *t)
{
	unsigned int i;

	memset(t->index, 0, index_bytes(t));
	for (i = 0; i < t->max_batches; i++) {
		if (t->batches[i].counts)
			reset_batch(&t->batches[i]);
	}
	atomic_long_set(&t->full, 0);
	atomic_long_set(&t->late, 0);
	atomic_set(&t->dead_keys, 0);
	make_overflow(t);
}
