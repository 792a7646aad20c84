// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack mode: from a call site to the stack above it and that stack's slot; turning it on and
 * off. Walking is in frames.c, the depot in depot.c; text of frames is in stack_text.c.
 *
 * Contexts: asite_stacks_slow() in any; the rest in a task.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <allocsite/abi.h>
#include <allocsite/depot_find.h>
#include <allocsite/frames_fast.h>
#include <allocsite/stack_text.h>
#include <allocsite/stacks.h>
#include <allocsite/stacks_evict.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/text.h>
#include <allocsite/track.h>

#define MAX_DEPOT_MB	4096U

static char *stacks = "off";
module_param(stacks, charp, 0400);
MODULE_PARM_DESC(stacks, "frames to keep of each object's stack, 2 to 64, or off (default off)");

static unsigned int max_stacks = 32768;
module_param(max_stacks, uint, 0400);
MODULE_PARM_DESC(max_stacks, "stacks to tell apart, 512 to 245248, in steps of 512 (default 32768)");

static unsigned int depot_mb = 16;
module_param(depot_mb, uint, 0400);
MODULE_PARM_DESC(depot_mb, "memory for stacks, in MiB, 1 to 4096; their counters are not in it (default 16)");

static unsigned int stack_check = 4096;
module_param(stack_check, uint, 0600);
MODULE_PARM_DESC(stack_check, "compare one of so many stacks with the kernel's unwinder, 1: each, 0: none (default 4096)");

struct asite_depot asite_stacks;
unsigned int asite_stacks_depth;

/* Frames to keep of what is watched while stacks are off. */
#define WATCHED_DEPTH	16

/* A call site's own frame is its slot's: these are of the frames above. */
static const u16 classes[] = { 3, 7, 11, 15, 19, 23, 31, 47, 63 };

/* Events. */

static void count_walk(enum asite_frames_end end)
{
	static const enum asite_stat stats[] = {
		[ASITE_FRAMES_CUT]	= ASITE_STAT_STACKS_CUT,
		[ASITE_FRAMES_FULL]	= ASITE_STAT_STACKS_FULL,
		[ASITE_FRAMES_LOST]	= ASITE_STAT_STACKS_LOST,
	};

	static_assert(ARRAY_SIZE(stats) == ASITE_FRAMES_END_COUNT, "a counter for each end");
	asite_stat_inc(ASITE_STAT_STACKS);
	if (end != ASITE_FRAMES_END)
		asite_stat_inc(stats[end]);
}

static unsigned int slot_of(const struct asite_key *key)
{
	return key->bits >> ASITE_GEN_BITS;
}

/* Where a return probe's handler runs, the walk begins at what returned. */
static noinline void begin_at_result(struct asite_at *from)
{
	unsigned long at = this_cpu_read(asite_result.at);

	if (at <= from->at || at - from->at >= THREAD_SIZE)
		return;
	from->address = this_cpu_read(asite_result.caller);
	from->at = at;
	from->bp = this_cpu_read(asite_result.bp);
}

static noinline bool walk_slowly(struct asite_frames *f, const struct asite_at *from,
				 unsigned long site, unsigned int depth)
{
	f->address = from->address;
	f->at = from->at;
	f->bp = from->bp;
	if (!asite_frames_walk(f, site, depth)) {
		asite_stat_inc(ASITE_STAT_STACKS_NONE);
		return false;
	}
	asite_stat_add(ASITE_STAT_FRAMES_SLOW, f->slow);
	/* The others are counted by why they ended. */
	if (f->slow && (f->end == ASITE_FRAMES_END || f->end == ASITE_FRAMES_FULL))
		asite_stat_inc(ASITE_STAT_STACKS_SLOW);
	return true;
}

/* Walks until one is checked. */
static DEFINE_PER_CPU(int, unchecked);

static __always_inline bool shall_check(void)
{
	unsigned int each;

	this_cpu_dec(unchecked);
	if (likely(this_cpu_read(unchecked) >= 0))
		return false;
	each = READ_ONCE(stack_check);
	/* 0: look again later, it may be changed. */
	this_cpu_write(unchecked, (each ?: 4096) - 1);
	return each;
}

static noinline void check_walk(struct asite_frames *f, unsigned int nr, enum asite_frames_end end)
{
	f->nr = nr;
	f->end = end;
	asite_frames_check(f);
}

static __always_inline unsigned int depth_now(bool watched)
{
	unsigned int depth = READ_ONCE(asite_stacks_depth);

	return watched && !depth ? WATCHED_DEPTH : depth;
}

/* Once for each of the two kinds of keys, so that one pays nothing for the other. */
static __always_inline unsigned int find_slot(const struct asite_key *key, unsigned long site,
					      unsigned long address, unsigned long at,
					      unsigned long bp, bool watched)
{
	struct asite_at from ASITE_UNINITIALIZED;
	struct asite_frames f ASITE_UNINITIALIZED;
	enum asite_frames_end end;
	unsigned int nr;
	long handle;
	u64 hash;

	from.address = address;
	from.at = at;
	from.bp = bp;
	if (unlikely(this_cpu_read(asite_result.at)))
		begin_at_result(&from);
	nr = asite_frames_fast(&f.stack, &from, site, depth_now(watched), &end, &hash);
	if (unlikely(!nr)) {
		if (!walk_slowly(&f, &from, site, depth_now(watched)))
			return slot_of(key);
		nr = f.nr;
		end = f.end;
		hash = f.hash;
	}
	count_walk(end);
	if (unlikely(shall_check()))
		check_walk(&f, nr, end);
	f.stack.owner = slot_of(key);
	handle = asite_depot_find(&asite_stacks, &f.stack, nr - 1, hash);
	return likely(handle >= 0) ? asite_track.sites.first_stack + handle : f.stack.owner;
}

/* A watched one; of what found no site, or no room for one, no more is known. */
static noinline unsigned int odd_slot(const struct asite_key *key, unsigned long address,
				      unsigned long at, unsigned long bp)
{
	unsigned long site = asite_key_caller(key);

	return site <= ASITE_KEY_LOST ? slot_of(key) :
	       find_slot(key, site, address, at, bp, true);
}

unsigned int asite_stacks_slot(const struct asite_key *key, unsigned long address,
			       unsigned long at, unsigned long bp)
{
	unsigned long site = READ_ONCE(key->caller);

	/* No address of text, as it is. */
	if (unlikely((long)site >= 0))
		return odd_slot(key, address, at, bp);
	return find_slot(key, site, address, at, bp, false);
}

struct asite_key *asite_stacks_key(struct asite_key *key, const struct asite_at *from,
				   struct asite_key *own)
{
	unsigned int slot;

	if (!asite_stacks_on())
		return key;
	slot = asite_stacks_slot(key, from->address, from->at, from->bp);
	asite_stacks_fill(own, key, &asite_track.sites, slot);
	return own;
}

/* Slots. */

unsigned int asite_stacks_owner(const struct asite_sitetab *t, unsigned int slot)
{
	return asite_depot_stack(&asite_stacks, slot - t->first_stack)->owner;
}

long asite_stacks_next_slot(long slot)
{
	const struct asite_sitetab *t = &asite_track.sites;
	long handle = slot - t->first_stack;

	if (slot < (long)asite_sites_used(t) - 1)
		return slot + 1;
	if (!asite_stacks.index)
		return -1;
	handle = asite_depot_next(&asite_stacks, max(handle, -1L));
	return handle < 0 ? -1 : t->first_stack + handle;
}

/* Pools are made ahead: few of the records of the last ones are in use. */
unsigned int asite_stacks_used_slots(void)
{
	unsigned int nr = asite_sites_used(&asite_track.sites);

	return asite_stacks.index ?
	       nr + (asite_depot_pools(&asite_stacks) << ASITE_DEPOT_POOL_SHIFT) : nr;
}

/* On and off. */

static int add_pool(struct asite_depot *d, unsigned int nr)
{
	return asite_sites_add_stacks(&asite_track.sites, nr);
}

static void kick(struct asite_depot *d)
{
	asite_track.sites.ops->kick(&asite_track.sites);
}

static const struct asite_depot_ops depot_ops = {
	.add_pool	= add_pool,
	.kick		= kick,
};

static int make_depot(void)
{
	struct asite_depot_config config = {
		.classes = classes, .nr_classes = ARRAY_SIZE(classes),
		.max_stacks = (asite_track.sites.max_batches << ASITE_BATCH_SHIFT) -
			      asite_track.sites.first_stack,
		.max_bytes = (u64)depot_mb << 20, .ops = &depot_ops,
	};
	int err;

	if (asite_stacks.index)
		return 0;
	if (!config.max_stacks)
		return -ENOSPC;
	err = asite_frames_init();
	if (err)
		return err;
	mutex_lock(&asite_table_lock);
	err = asite_depot_init(&asite_stacks, &config);
	err = err ?: asite_stacks_evict_init();
	mutex_unlock(&asite_table_lock);
	if (err)
		asite_frames_exit();
	return err;
}

static int make_or_say(void)
{
	int err = make_depot();

	if (err)
		pr_err("no stacks: %s\n", err == -ENOSPC ?
		       "depot_mb= leaves no room for max_stacks=, or max_sites= no numbers" :
		       "not enough memory");
	return err;
}

static int set_depth(unsigned int depth)
{
	int err = depth ? make_or_say() : 0;

	if (err)
		return err;
	/* Pairs with the acquire in asite_stacks_on(). */
	smp_store_release(&asite_stacks_depth, depth);
	asite_sites_hide(&asite_track.sites, depth);
	return 0;
}

static int parse(const char *word, unsigned int *depth)
{
	*depth = 0;
	if (!strcmp(word, "off") ||
	    (!kstrtouint(word, 0, depth) && *depth >= 2 && *depth <= ASITE_FRAMES_MAX))
		return 0;
	pr_err("stacks '%s': use off, or how many frames to keep, 2 to %u\n", word,
	       ASITE_FRAMES_MAX);
	return -EINVAL;
}

/* Making the depot, and the depth. */
static DEFINE_MUTEX(setting);

int asite_stacks_make(void)
{
	int err;

	if (mutex_lock_killable(&setting))
		return -EINTR;
	err = make_or_say();
	mutex_unlock(&setting);
	return err;
}

int asite_stacks_set(const char *word)
{
	unsigned int depth;
	int err = parse(word, &depth);

	if (err)
		return err;
	if (mutex_lock_killable(&setting))
		return -EINTR;
	err = set_depth(depth);
	mutex_unlock(&setting);
	return err;
}

int asite_stacks_grow(void)
{
	return asite_stacks.index ? asite_depot_grow(&asite_stacks) : 0;
}

void asite_stacks_reset(void)
{
	asite_stack_text_reset();
	if (asite_stacks.index)
		asite_depot_reset(&asite_stacks);
}

unsigned int asite_stacks_wanted(void)
{
	return max_stacks;
}

int asite_stacks_check(void)
{
	unsigned int depth;

	if (max_stacks < ASITE_BATCH_SLOTS || max_stacks > ASITE_MAX_SITES_LIMIT) {
		pr_err("max_stacks=%u is out of range: use %u to %lu\n", max_stacks,
		       ASITE_BATCH_SLOTS, ASITE_MAX_SITES_LIMIT);
		return -EINVAL;
	}
	if (depot_mb < 1 || depot_mb > MAX_DEPOT_MB) {
		pr_err("depot_mb=%u is out of range: use 1 to %u\n", depot_mb, MAX_DEPOT_MB);
		return -EINVAL;
	}
	return parse(stacks, &depth);
}

int asite_stacks_init(void)
{
	return asite_stacks_set(stacks);
}

void asite_stacks_exit(void)
{
	/* The worker that makes room may still run. */
	mutex_lock(&asite_table_lock);
	asite_stack_text_reset();
	asite_depot_destroy(&asite_stacks);
	asite_frames_exit();
	mutex_unlock(&asite_table_lock);
	asite_stacks_evict_exit();
}
