/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the frames of stacks, also of text that is gone.
 */
#ifndef ALLOCSITE_STACK_TEXT_H
#define ALLOCSITE_STACK_TEXT_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/types.h>

#define ASITE_GONE_BITS		8

/**
 * struct asite_gone_name - a frame's name, as it was when its text went
 * @next: the one before
 * @frame: low half of the return address
 * @used: some asite_gone has it; set only while that is looked for
 * @bytes: that this takes
 * @text: the name
 */
struct asite_gone_name {
	struct asite_gone_name *next;
	u32 frame;
	bool used;
	size_t bytes;
	char text[];
};

/**
 * struct asite_gone - a frame of a stack whose text is gone
 * @node: in its bucket
 * @handle: the stack's
 * @frame: low half of the return address
 * @name: its name; NULL if there was no memory for that
 */
struct asite_gone {
	struct hlist_node node;
	u32 handle;
	u32 frame;
	struct asite_gone_name *name;
};

/* Under asite_table_lock. */
extern struct hlist_head asite_gone_table[1 << ASITE_GONE_BITS];
extern struct asite_gone_name *asite_gone_names;

static inline struct hlist_head *asite_gone_bucket(u32 handle)
{
	return &asite_gone_table[hash_32(handle, ASITE_GONE_BITS)];
}

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
