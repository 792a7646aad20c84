/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On, off, reset: the only place that attaches and detaches hooks.
 *
 * Two locks, both mutexes, neither ever taken by a hook:
 *  - asite_state_lock: one change of state at a time. Held while hooks are
 *    attached and detached, which may take as long as some task sleeps in an
 *    allocation. So nobody else waits for it: no reader, no module notifier, no
 *    worker that others depend on.
 *  - asite_table_lock: growing, retiring and resetting tables, text of sites,
 *    snapshots, struct asite_state. Held for moments.
 * Nesting: module notifier chain, asite_table_lock; asite_state_lock, then
 * asite_table_lock or what the kernel's registration functions take.
 */
#ifndef ALLOCSITE_STATE_H
#define ALLOCSITE_STATE_H

#include <linux/mutex.h>
#include <linux/types.h>

extern struct mutex asite_table_lock;

/**
 * struct asite_state - what is going on; under asite_table_lock
 * @on: hooks are attached
 * @epoch: how many times counting began anew
 * @slab_before: bytes of slab memory when it last began: not followed
 * @used_before: bytes of memory in use when it last began
 * @slab_after: bytes of slab memory when it last went off
 * @used_after: bytes of memory in use when it last went off
 * @off_why: why it went off by itself, or NULL
 */
struct asite_state {
	bool on;
	unsigned int epoch;
	u64 slab_before;
	u64 used_before;
	u64 slab_after;
	u64 used_after;
	const char *off_why;
};

extern struct asite_state asite_state;

/**
 * asite_state_slab_bytes() - SReclaimable + SUnreclaim
 *
 * Context: any.
 * Return: bytes.
 */
u64 asite_state_slab_bytes(void);

/**
 * asite_state_set() - turn counting on or off
 * @on: what is wanted; nothing happens if it is so already
 *
 * Turning on starts an epoch: all counters and sites begin anew. Turning off
 * freezes the reports and leaves no probe attached.
 *
 * Context: task, may sleep; no lock held. Turning off waits for tasks that sleep
 * inside a hooked function.
 * Return: 0 or a negative errno; the log then says why and it stays off. -EINTR
 * when a signal came while another change was under way.
 */
int asite_state_set(bool on);

/**
 * asite_state_reset() - begin anew, on or off as it was
 *
 * Context: as asite_state_set().
 * Return: as asite_state_set().
 */
int asite_state_reset(void);

/**
 * asite_state_check() - turn off if there is a reason to
 * @reason: returns a constant string, or NULL; called with asite_state_lock held
 *
 * Does nothing while another change is under way.
 *
 * Context: task, may sleep; no lock held.
 * Return: true if counting is on, or may be.
 */
bool asite_state_check(const char *(*reason)(void));

/**
 * asite_state_exit() - turn off for good
 *
 * Context: task, may sleep; nobody else changes the state any more.
 */
void asite_state_exit(void);

#endif /* ALLOCSITE_STATE_H */
