/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the frames of stacks, also of text that is gone.
 */
#ifndef ALLOCSITE_STACK_TEXT_H
#define ALLOCSITE_STACK_TEXT_H

#include <linux/types.h>

/**
 * asite_stack_text() - what to print for a frame
 * @handle: the stack's
 * @frame: low half of the return address
 * @buf: at least ASITE_TEXT_LEN bytes
 *
 * Context: task, asite_table_lock held.
 */
void asite_stack_text(u32 handle, u32 frame, char *buf);

/**
 * asite_stack_text_forget() - text goes: keep its names, let nobody find stacks that have it
 * @start: its first address
 * @end: after the last
 * @all: the name of all of it, or NULL: what it is called now
 *
 * Context: task, may sleep; asite_table_lock held. None of it runs any more.
 */
void asite_stack_text_forget(unsigned long start, unsigned long end, const char *all);

/**
 * asite_stack_text_reset() - forget all names
 *
 * Context: task, may sleep; asite_table_lock held, or nobody else there.
 */
void asite_stack_text_reset(void);

#endif /* ALLOCSITE_STACK_TEXT_H */
