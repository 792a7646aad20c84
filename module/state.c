// SPDX-License-Identifier: GPL-2.0-only
/*
 * On, off, reset. Owns both locks (what they cover is in state.h). Watching for
 * reasons to go off is in watch.c, attaching hooks in hooks.c.
 *
 * Contexts: task only.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/vmstat.h>

#include <allocsite/hooks.h>
#include <allocsite/page_memory.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/watch.h>

/* What they cover is in state.h. */
static DEFINE_MUTEX(asite_state_lock);
/* See above. */
DEFINE_MUTEX(asite_table_lock);

struct asite_state asite_state;

u64 asite_state_slab_bytes(void)
{
	return (u64)global_node_page_state_pages(NR_SLAB_RECLAIMABLE_B) * PAGE_SIZE +
	       (u64)global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B) * PAGE_SIZE;
}

static void set_on(bool on, const char *off_why)
{
	mutex_lock(&asite_table_lock);
	/* Frozen with the rest. */
	asite_state.slab_after = asite_state_slab_bytes();
	asite_state.used_after = asite_page_memory_used();
	asite_state.on = on;
	asite_state.off_why = off_why;
	mutex_unlock(&asite_table_lock);
}

static void forget_all(void)
{
	mutex_lock(&asite_table_lock);
	asite_track_reset();
	asite_state.epoch++;
	asite_state.slab_before = asite_state_slab_bytes();
	asite_state.off_why = NULL;
	mutex_unlock(&asite_table_lock);
}

/*
 * What was in use when counting began: attaching took memory itself, before and after its
 * hooks saw that.
 */
static void note_used_before(void)
{
	u64 used;

	if (!asite_track.pages.leaves)
		return;
	used = asite_page_memory_used() - (asite_pagemap_count(&asite_track.pages) << PAGE_SHIFT) +
	       asite_page_memory_unknown();
	mutex_lock(&asite_table_lock);
	asite_state.used_before = used;
	mutex_unlock(&asite_table_lock);
}

static int begin_epoch(void)
{
	int err;

	forget_all();
	err = asite_hooks_attach();
	if (err)
		return err;
	note_used_before();
	set_on(true, NULL);
	asite_watch_start();
	return 0;
}

static void end_epoch(const char *why)
{
	asite_hooks_detach();
	set_on(false, why);
}

int asite_state_set(bool on)
{
	int err = 0;

	if (mutex_lock_killable(&asite_state_lock))
		return -EINTR;
	if (on && !asite_state.on)
		err = begin_epoch();
	else if (!on && asite_state.on)
		end_epoch(NULL);
	mutex_unlock(&asite_state_lock);
	return err;
}

int asite_state_reset(void)
{
	int err = 0;

	if (mutex_lock_killable(&asite_state_lock))
		return -EINTR;
	if (asite_state.on) {
		end_epoch(NULL);
		err = begin_epoch();
	} else {
		forget_all();
	}
	mutex_unlock(&asite_state_lock);
	return err;
}

bool asite_state_check(const char *(*reason)(void))
{
	const char *why = NULL;
	bool on;

	if (!mutex_trylock(&asite_state_lock))
		return true;
	if (asite_state.on)
		why = reason();
	if (why) {
		pr_warn("off: %s; reports are frozen, 'on' to control begins anew\n", why);
		end_epoch(why);
	}
	on = asite_state.on;
	mutex_unlock(&asite_state_lock);
	return on;
}

void asite_state_exit(void)
{
	mutex_lock(&asite_state_lock);
	if (asite_state.on)
		end_epoch(NULL);
	mutex_unlock(&asite_state_lock);
	/* Never let text go that is still called; a hung rmmod is the lesser evil. */
	while (asite_hooks_are_stuck())
		ssleep(60);
}
