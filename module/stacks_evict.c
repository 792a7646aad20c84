// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack mode, eviction; built with "make EVICT=1" only. Which stacks may go, what becomes of
 * their counts and texts, and the waiting in between. Why that is safe is in stacks_evict.h;
 * how records are unlinked and handed out again is the depot's affair (depot_evict.c).
 *
 * Contexts: task. All here is under asite_table_lock, but the wait.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <allocsite/mem.h>
#include <allocsite/stack_text.h>
#include <allocsite/stacks.h>
#include <allocsite/stacks_evict.h>
#include <allocsite/state.h>
#include <allocsite/track.h>
#include <allocsite/walk.h>

/* Victims of a round: a class that has so many back runs short no more. */
#define AT_ONCE		(ASITE_DEPOT_RING / 2)
/* After a round of fewer, those that were in use lately are taken, too. */
#define AT_LEAST	(AT_ONCE / 4)

/**
 * struct past - what is known of a record, by handle
 * @round: when it was given back last; 0: never
 * @seen: its allocations, in 32 bits, when it was looked at last
 */
struct past {
	u32 round;
	u32 seen;
};

static struct past *past;
static size_t past_bytes;
/* Rounds so far. It goes on through resets: reports of before are told by their epoch. */
static u32 round;
static bool hurry;

static unsigned int slot_of(u32 handle)
{
	return asite_track.sites.first_stack + handle;
}

/* Victims. */

/* Nothing changes while counting is off. */
static bool is_idle(const struct asite_depot *d, u32 handle, void *data)
{
	struct asite_sum sum;

	if (!asite_state.on)
		return false;
	asite_sites_sum(&asite_track.sites, slot_of(handle), &sum);
	/* Both: a block of pages may have lost its head and not its tail. */
	return !sum.live && !sum.live_bytes;
}

/* And not used since it was looked at last, unless there is a hurry. */
static bool is_unused(const struct asite_depot *d, u32 handle, void *data)
{
	struct asite_sum sum;
	u32 seen;

	if (!asite_depot_evict_wants(d, handle))
		return false;
	asite_sites_sum(&asite_track.sites, slot_of(handle), &sum);
	seen = past[handle].seen;
	past[handle].seen = sum.allocs;
	return (hurry || seen == (u32)sum.allocs) && is_idle(d, handle, data);
}

/* Releasing. */

/* Nobody writes @from any more; events of the call site go on. */
static void move_counts(struct asite_counts __percpu *to, struct asite_counts __percpu *from)
{
	struct asite_counts sum = {}, *c;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(from, cpu);
		sum.allocs += c->allocs;
		sum.frees += c->frees;
		sum.requested += c->requested;
		sum.untracked += c->untracked;
		memset(c, 0, sizeof(*c));
	}
	/* The last two stand for other figures of pages and of areas, and add up as well. */
	this_cpu_add(to->allocs, sum.allocs);
	this_cpu_add(to->requested, sum.requested);
	this_cpu_add(to->untracked, sum.untracked);
	this_cpu_add(to->frees, sum.frees);
}

/* True if there was any. */
static bool drop_gone(u32 handle)
{
	struct hlist_node *next;
	struct asite_gone *gone;
	bool any = false;

	hlist_for_each_entry_safe(gone, next, asite_gone_bucket(handle), node) {
		if (gone->handle != handle)
			continue;
		hlist_del(&gone->node);
		asite_mem_account(-(long)sizeof(*gone));
		kfree(gone);
		any = true;
	}
	return any;
}

static void mark_names(void)
{
	struct asite_gone_name *name;
	struct asite_gone *gone;
	unsigned int i;

	for (name = asite_gone_names; name; name = name->next)
		name->used = false;
	for (i = 0; i < ARRAY_SIZE(asite_gone_table); i++) {
		hlist_for_each_entry(gone, &asite_gone_table[i], node) {
			if (gone->name)
				gone->name->used = true;
		}
	}
}

static void drop_unused_names(void)
{
	struct asite_gone_name **at = &asite_gone_names, *name;

	mark_names();
	while ((name = *at)) {
		if (name->used) {
			at = &name->next;
			continue;
		}
		*at = name->next;
		asite_mem_account(-(long)name->bytes);
		kfree(name);
	}
}

/* @data: set if a name may be nobody's any more */
static void release(const struct asite_depot *d, u32 handle, void *data)
{
	const struct asite_sitetab *t = &asite_track.sites;
	unsigned int slot = slot_of(handle);
	bool *dropped = data;

	move_counts(asite_sites_counts(t, asite_stacks_owner(t, slot)),
		    asite_sites_counts(t, slot));
	past[handle].round = round;
	past[handle].seen = 0;
	*dropped |= drop_gone(handle);
}

/* Rounds. */

static unsigned int choose(void)
{
	return asite_depot_evict_begin(&asite_stacks, AT_ONCE, is_unused, NULL);
}

static unsigned int begin_round(void)
{
	unsigned int victims = 0;

	mutex_lock(&asite_table_lock);
	if (asite_state.on && asite_stacks.index) {
		victims = choose();
		/* Not if there are some: they would be chosen twice. */
		if (!victims && !hurry) {
			hurry = true;
			victims = choose();
		}
		hurry = victims < AT_LEAST;
	}
	mutex_unlock(&asite_table_lock);
	return victims;
}

static unsigned int end_round(void)
{
	unsigned int given;
	bool dropped = false;

	mutex_lock(&asite_table_lock);
	round++;
	given = asite_depot_evict_end(&asite_stacks, is_idle, release, &dropped);
	if (dropped)
		drop_unused_names();
	mutex_unlock(&asite_table_lock);
	return given;
}

static void set_rest(bool rests)
{
	/* Racy on purpose: a kick too many, or too few, is made up for by the next event. */
	WRITE_ONCE(asite_stacks.evict.rests, rests);
}

static void evict(struct work_struct *work);
static DECLARE_DELAYED_WORK(evict_work, evict);

/* Seconds may pass: not on the queue that others wait for. */
static void queue_evict(unsigned long delay)
{
	queue_delayed_work(system_long_wq, &evict_work, delay);
}

static void evict(struct work_struct *work)
{
	unsigned int given = 0;

	if (READ_ONCE(asite_stacks.evict.rests)) {
		set_rest(false);
		return;
	}
	if (begin_round()) {
		asite_walk_wait_for_handlers();
		given = end_round();
	}
	if (!given) {
		set_rest(true);
		queue_evict(HZ);
	}
}

void asite_stacks_evict_soon(void)
{
	if (asite_stacks.index && asite_depot_evict_wanted(&asite_stacks))
		queue_evict(0);
}

/* Reports. */

void asite_stacks_evict_mark(struct asite_stacks_mark *mark)
{
	mark->round = round;
}

void asite_stacks_evict_text(struct seq_file *m, const struct asite_stacks_mark *mark,
			     unsigned int slot, const char *text, unsigned int *nr)
{
	/* Of rounds that count through zero, too. */
	if (!slot || (s32)(past[slot - asite_track.sites.first_stack].round - mark->round) <= 0)
		return;
	seq_puts(m, text);
	*nr = 0;
}

void asite_stacks_evict_stats(struct seq_file *m)
{
	const struct asite_depot_evict *e = &asite_stacks.evict;

	seq_printf(m, "depot_evicted %llu\ndepot_kept %llu\ndepot_regained %llu\n",
		   e->evicted, e->kept, e->regained);
}

/* Set-up. */

int asite_stacks_evict_init(void)
{
	past_bytes = asite_depot_max(&asite_stacks) * sizeof(*past);
	past = asite_mem_alloc(past_bytes);
	if (past)
		return 0;
	asite_depot_destroy(&asite_stacks);
	return -ENOMEM;
}

void asite_stacks_evict_exit(void)
{
	cancel_delayed_work_sync(&evict_work);
	asite_mem_free(past, past_bytes);
	past = NULL;
}
