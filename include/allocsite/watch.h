/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guards of the production box: off after a time, off when losses pass a limit,
 * and the top sites in the log when memory runs out.
 */
#ifndef ALLOCSITE_WATCH_H
#define ALLOCSITE_WATCH_H

#include <linux/types.h>

/**
 * asite_watch_init() - start listening for out-of-memory
 *
 * Context: task, may sleep.
 * Return: 0 or a negative errno.
 */
int asite_watch_init(void);

/**
 * asite_watch_exit() - stop all guards
 *
 * Context: task, may sleep; no lock held.
 */
void asite_watch_exit(void);

/**
 * asite_watch_start() - an epoch has begun: arm the guards
 *
 * Context: task, asite_state_lock held.
 */
void asite_watch_start(void);

/**
 * asite_watch_losses() - objects whose accounting was lost in this epoch
 *
 * Not followed, without a site of their own, or missed by a probe.
 *
 * Context: any.
 * Return: objects.
 */
u64 asite_watch_losses(void);

#endif /* ALLOCSITE_WATCH_H */
