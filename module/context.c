// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context capture: recording, turning contexts on and off. Rules are in context.h, the ring is in
 * ring.c, names of sites in place.c, formats in report_context.c.
 *
 * Contexts: of, record, key and move in any, NMI included; the rest in a task.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include <allocsite/context.h>
#include <allocsite/mem.h>
#include <allocsite/place.h>
#include <allocsite/stacks.h>
#include <allocsite/state.h>
#include <allocsite/track.h>
#include <allocsite/walk.h>
#include <compat/cgroup.h>

static unsigned int context_records = 1024;
module_param(context_records, uint, 0400);
MODULE_PARM_DESC(context_records, "records that 'context SITE on' keeps, 64 bytes each, 1 to 65536 (default 1024)");

static unsigned int max_contexts = 8;
module_param(max_contexts, uint, 0400);
MODULE_PARM_DESC(max_contexts, "call sites or functions that 'context' takes at a time, 1 to 64 (default 8)");

struct asite_context asite_contexts[ASITE_CONTEXTS_LIMIT];
unsigned int asite_contexts_on;

/* One change at a time; see context.h for what may be taken in it. */
static DEFINE_MUTEX(changing);

/* Events. */

unsigned int asite_context_of(unsigned long caller)
{
	const struct asite_context *c;
	unsigned long length;
	unsigned int i;

	for (i = 0; i < max_contexts; i++) {
		c = &asite_contexts[i];
		/* Pairs with the release in set_range(). */
		length = smp_load_acquire(&c->length);
		if (caller - READ_ONCE(c->start) < length)
			return i + 1;
	}
	return 0;
}

static enum asite_context_where where_now(void)
{
	if (in_nmi())
		return ASITE_IN_NMI;
	if (hardirq_count())
		return ASITE_IN_HARDIRQ;
	return in_serving_softirq() ? ASITE_IN_SOFTIRQ : ASITE_IN_TASK;
}

static noinline void put_record(struct asite_ring *ring, unsigned long object, unsigned int slot)
{
	struct asite_record record = {
		.object = object, .slot = slot, .context = where_now(),
		.time_ns = ktime_get_mono_fast_ns(), .cgroup = asite_k_cgroup_id(current),
		.pid = task_pid_nr(current), .tgid = task_tgid_nr(current),
		.cpu = raw_smp_processor_id(),
	};

	/* It may be changed meanwhile: no lock is taken for that. */
	memcpy(record.comm, current->comm, min(sizeof(record.comm), sizeof(current->comm)));
	asite_ring_put(ring, &record);
}

void asite_context_record(const struct asite_key *key, unsigned long object, unsigned int slot)
{
	const struct asite_site *site;
	struct asite_ring *ring;
	unsigned int nr;

	site = asite_sites_site(&asite_track.sites, key->bits >> ASITE_GEN_BITS);
	nr = site ? READ_ONCE(site->context) : 0;
	if (!nr)
		return;
	/* Pairs with the release in put_ring(). */
	ring = smp_load_acquire(&asite_contexts[nr - 1].ring);
	if (ring)
		put_record(ring, object, slot);
}

struct asite_key *asite_context_key(const struct asite_key *key, const struct asite_at *from,
				    struct asite_key *own)
{
	asite_stacks_fill(own, key, &asite_track.sites,
			  asite_stacks_slot(key, from->address, from->at, from->bp));
	return own;
}

/* Moves of pages. */

static atomic_long_t moves_begun, moves_done;

/* Is one of these frames of a site that has records? */
static bool has_records(unsigned long pfn, unsigned long frames)
{
	const struct asite_site *site;
	unsigned int slot;
	const u32 *word;

	for (; frames; frames--, pfn++) {
		word = asite_pagemap_word(&asite_track.pages, pfn);
		slot = word ? (READ_ONCE(*word) & ASITE_PAGE_SLOT) >> ASITE_GEN_BITS : 0;
		site = slot ? asite_sites_site(&asite_track.sites, slot) : NULL;
		if (site && READ_ONCE(site->context))
			return true;
	}
	return false;
}

/*
 * Where neither has a word of a recorded site, what is in the rings of these frames is dead, and
 * stays so.
 */
bool asite_context_move_begin(unsigned long to, unsigned long from, unsigned long frames)
{
	struct asite_ring *ring;
	unsigned int i;

	if (!has_records(to, frames) && !has_records(from, frames))
		return false;
	atomic_long_inc(&moves_begun);
	/* Whoever sees a record moved sees that a move began. */
	smp_mb__after_atomic();
	for (i = 0; i < max_contexts; i++) {
		/* As above. */
		ring = smp_load_acquire(&asite_contexts[i].ring);
		if (ring)
			asite_ring_move(ring, asite_context_page(to), asite_context_page(from),
					frames << PAGE_SHIFT);
	}
	return true;
}

void asite_context_move_end(void)
{
	/* Whoever sees that it is over sees the records and words moved. */
	smp_mb__before_atomic();
	atomic_long_inc(&moves_done);
}

long asite_context_moves_begun(void)
{
	/* After the records and words: pairs with the fence in asite_context_move_begin(). */
	smp_rmb();
	return atomic_long_read(&moves_begun);
}

long asite_context_moves_done(void)
{
	long done = atomic_long_read(&moves_done);

	/* Before them: pairs with the fence in asite_context_move_end(). */
	smp_rmb();
	return done;
}

/* Changing. */

static int refuse(int err, const char *words, const char *why)
{
	pr_warn("context: '%s' %s\n", words, why);
	return err;
}

static struct asite_ring *make_ring(unsigned int nr)
{
	struct asite_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL | __GFP_NOWARN);

	if (!ring || !asite_ring_init(ring, nr))
		return ring;
	kfree(ring);
	return NULL;
}

static void free_ring(struct asite_ring *ring)
{
	if (!ring)
		return;
	asite_ring_destroy(ring);
	kfree(ring);
}

/* The one that is in use and meant; NULL: none is. Under asite_table_lock. */
static struct asite_context *find_context(const struct asite_place *written)
{
	struct asite_context *c, *found = NULL;
	struct asite_place place;

	for (c = asite_contexts; c < asite_contexts + max_contexts; c++) {
		if (!c->name || !asite_place_parse(c->name, &place) ||
		    !asite_place_means(written, &place))
			continue;
		if (found)
			return ERR_PTR(-ENOTUNIQ);
		found = c;
	}
	return found;
}

static struct asite_context *unused_context(void)
{
	struct asite_context *c;

	for (c = asite_contexts; c < asite_contexts + max_contexts; c++) {
		if (!c->name)
			return c;
	}
	return NULL;
}

static bool overlaps(unsigned long start, unsigned long length)
{
	const struct asite_context *c;

	for (c = asite_contexts; c < asite_contexts + max_contexts; c++) {
		if (c->length && start < c->start + c->length && c->start < start + length)
			return true;
	}
	return false;
}

static void set_range(struct asite_context *c, char *name, unsigned long start,
		      unsigned long length)
{
	asite_contexts_on += !c->name;
	kfree(c->name);
	c->name = name;
	WRITE_ONCE(c->start, start);
	/* Pairs with the acquire in asite_context_of(). */
	smp_store_release(&c->length, length);
}

static int say_not_found(int err, const char *words)
{
	switch (err) {
	case -ENOENT:
		return refuse(err, words, "was not seen: take a name from sites");
	case -ENOTUNIQ:
		return refuse(err, words, "is in several places: write all that sites does");
	}
	return refuse(err, words, "not turned on: not enough memory");
}

/*
 * Under asite_table_lock. The range of a context that is there is looked for only if it was cut.
 * @found NULL: only tell whether it could be opened.
 */
static int open_range(const struct asite_place *written, const char *words,
		      struct asite_context **found)
{
	struct asite_context *c = find_context(written);
	unsigned long start, length;
	char *name;

	if (IS_ERR(c))
		return say_not_found(PTR_ERR(c), words);
	if (found)
		*found = c;
	if (c && c->length)
		return 0;
	name = asite_place_find(written, &start, &length);
	if (IS_ERR(name))
		return say_not_found(PTR_ERR(name), words);
	c = c ?: unused_context();
	if (c && found && !overlaps(start, length)) {
		set_range(c, name, start, length);
		*found = c;
		return 0;
	}
	kfree(name);
	if (!c)
		return refuse(-ENOSPC, words, "is one too many: turn one off (max_contexts=)");
	if (overlaps(start, length))
		return refuse(-EEXIST, words, "overlaps with one that is on: turn that off first");
	return 0;
}

static unsigned int number_of(const struct asite_context *c)
{
	return c - asite_contexts + 1;
}

static bool is_its(const struct asite_context *c, const struct asite_site *site)
{
	return site->state == ASITE_SITE_LIVE && site->caller - c->start < c->length;
}

/* Under asite_table_lock. A site that is made meanwhile is what asite_context_of() said. */
static void watch_sites(const struct asite_context *c, bool watch)
{
	struct asite_sitetab *t = &asite_track.sites;
	unsigned int slot, used = asite_sites_used(t);
	struct asite_site *site;

	for (slot = ASITE_OVERFLOW_SLOTS; slot < used; slot++) {
		if (!(slot % 64))
			cond_resched();
		site = asite_sites_site(t, slot);
		if (!site || !(watch ? is_its(c, site) : site->context == number_of(c)))
			continue;
		WRITE_ONCE(site->context, watch ? number_of(c) : 0);
		asite_sites_watch(t, slot, watch);
	}
}

/* Returns the one before, which nobody uses any more. */
static struct asite_ring *put_ring(struct asite_context *c, struct asite_ring *ring)
{
	struct asite_ring *old;

	mutex_lock(&asite_table_lock);
	old = c->ring;
	/* Pairs with the acquire in asite_context_record(). */
	smp_store_release(&c->ring, ring);
	mutex_unlock(&asite_table_lock);
	if (old)
		asite_walk_wait_for_handlers();
	return old;
}

/* What can be refused is, before anything is made for it. */
static int check_range(const struct asite_place *written, const char *words, bool *cut)
{
	const struct asite_context *c;
	int err;

	mutex_lock(&asite_table_lock);
	err = open_range(written, words, NULL);
	c = find_context(written);
	*cut = !IS_ERR_OR_NULL(c) && !c->length;
	mutex_unlock(&asite_table_lock);
	return err;
}

/* The order is that of context.h. */
static int turn_on(const struct asite_place *written, const char *words, unsigned int nr)
{
	struct asite_context *c = NULL;
	struct asite_ring *ring;
	bool cut;
	int err = check_range(written, words, &cut) ?: asite_stacks_make();

	if (err)
		return err;
	ring = make_ring(nr);
	if (!ring)
		return refuse(-ENOMEM, words, "not turned on: not enough memory for its records");
	/* It will get another range: nobody shall have the old one in mind. */
	if (cut)
		asite_walk_wait_for_handlers();
	mutex_lock(&asite_table_lock);
	err = open_range(written, words, &c);
	mutex_unlock(&asite_table_lock);
	if (err) {
		free_ring(ring);
		return err;
	}
	asite_walk_wait_for_handlers();
	mutex_lock(&asite_table_lock);
	watch_sites(c, true);
	mutex_unlock(&asite_table_lock);
	asite_walk_wait_for_handlers();
	free_ring(put_ring(c, ring));
	return 0;
}

static int turn_off(const struct asite_place *written, const char *words)
{
	struct asite_context *c;

	mutex_lock(&asite_table_lock);
	c = find_context(written);
	if (!IS_ERR_OR_NULL(c))
		WRITE_ONCE(c->length, 0);
	mutex_unlock(&asite_table_lock);
	if (!c)
		return refuse(-ENOENT, words, "is not on: control lists what is");
	if (IS_ERR(c))
		return say_not_found(PTR_ERR(c), words);
	asite_walk_wait_for_handlers();
	mutex_lock(&asite_table_lock);
	watch_sites(c, false);
	mutex_unlock(&asite_table_lock);
	free_ring(put_ring(c, NULL));
	mutex_lock(&asite_table_lock);
	kfree(c->name);
	c->name = NULL;
	asite_contexts_on--;
	mutex_unlock(&asite_table_lock);
	return 0;
}

/* Cuts the last word off; NULL if there is but one. */
static char *cut_word(char *text)
{
	char *last = strrchr(text, ' ');

	if (!last)
		return NULL;
	*last = '\0';
	strim(text);
	return last + 1;
}

/* "SITE on", "SITE on N" or "SITE off": leaves SITE. */
static int parse(char *text, const char *words, bool *on, unsigned int *nr)
{
	char *word = cut_word(text);
	bool number = word && !kstrtouint(word, 0, nr);

	if (number)
		word = cut_word(text);
	else
		*nr = context_records;
	*on = word && !strcmp(word, "on");
	if (!*on && (number || !word || strcmp(word, "off")))
		return refuse(-EINVAL, words, "is not SITE on, SITE on N or SITE off");
	if (!*nr || *nr > ASITE_CONTEXT_RECORDS_LIMIT)
		return refuse(-EINVAL, words, "keeps no such number of records: use 1 to 65536");
	return 0;
}

static int change(char *text, const char *words)
{
	struct asite_place place;
	unsigned int nr;
	bool on;
	int err = parse(text, words, &on, &nr);

	if (err)
		return err;
	if (!asite_place_parse(text, &place))
		return refuse(-EINVAL, words, "names no call site: write it as sites does");
	return on ? turn_on(&place, words, nr) : turn_off(&place, words);
}

int asite_context_change(const char *words)
{
	char *text = kstrdup(words, GFP_KERNEL);
	int err = -EINTR;

	if (!text)
		return -ENOMEM;
	if (!mutex_lock_killable(&changing)) {
		err = change(text, words);
		mutex_unlock(&changing);
	}
	kfree(text);
	return err;
}

void asite_context_cut(unsigned long start, unsigned long end)
{
	struct asite_context *c;

	for (c = asite_contexts; c < asite_contexts + max_contexts; c++) {
		if (c->start >= start && c->start < end)
			WRITE_ONCE(c->length, 0);
	}
}

void asite_context_reset(void)
{
	unsigned int i;

	for (i = 0; i < max_contexts; i++) {
		if (asite_contexts[i].ring)
			asite_ring_reset(asite_contexts[i].ring);
	}
}

int asite_context_init(void)
{
	if (context_records < 1 || context_records > ASITE_CONTEXT_RECORDS_LIMIT) {
		pr_err("context_records=%u is out of range: use 1 to %u\n", context_records,
		       ASITE_CONTEXT_RECORDS_LIMIT);
		return -EINVAL;
	}
	if (max_contexts < 1 || max_contexts > ASITE_CONTEXTS_LIMIT) {
		pr_err("max_contexts=%u is out of range: use 1 to %u\n", max_contexts,
		       ASITE_CONTEXTS_LIMIT);
		return -EINVAL;
	}
	return 0;
}

void asite_context_exit(void)
{
	unsigned int i;

	for (i = 0; i < max_contexts; i++) {
		free_ring(asite_contexts[i].ring);
		kfree(asite_contexts[i].name);
	}
}
