/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files below /sys/kernel/debug/allocsite; what is in them is report.c's.
 */
#ifndef ALLOCSITE_DEBUGFS_H
#define ALLOCSITE_DEBUGFS_H

/**
 * asite_debugfs_init() - create the directory and its files
 *
 * Context: task, may sleep; all they report must be there.
 * Return: 0 or a negative errno; the log says what to do then.
 */
int asite_debugfs_init(void);

/**
 * asite_debugfs_exit() - remove them; nobody reads or writes on return
 *
 * Context: task, may sleep; asite_table_lock not held.
 */
void asite_debugfs_exit(void);

#endif /* ALLOCSITE_DEBUGFS_H */
