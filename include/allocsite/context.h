/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Context capture: who allocated each live object of one call site, when and where, by
 * "context SITE on". A context is a range of text, one return address or a function's, a ring of
 * records (ring.h) and a number. The keys of sites whose caller lies in the range are watched
 * (sites.h): so the fast paths miss them, and execute nothing for any other site. The slow paths,
 * when a key was not where the fast path looked, ask whether it is watched; if it is, the object
 * gets a stack's slot, as if stacks were on for this site, then its record, then its live word.
 *
 * Turning on: the range is set, so that new sites in it are published watched; handlers that had
 * asked before are waited for; the sites that are there are watched; handlers that had found a
 * plain key are waited for; then the ring is put in place. From there on each allocation of the
 * context passes asite_context_record(), which ring.h relies on: an object that has no record was
 * allocated before there was any. Turning off is the reverse. A second "on" puts an empty ring in
 * the place of the other; a handler that wrote its record to the old one owns the object, whose
 * address therefore has no older record in the new one.
 *
 * Contexts: named at each function. Locks: "changing" in context.c (one change at a time), then
 * "setting" of stacks.c; asite_table_lock for what readers and the module notifier see.
 */
#ifndef ALLOCSITE_CONTEXT_H
#define ALLOCSITE_CONTEXT_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include <allocsite/ring.h>
#include <allocsite/sites.h>
#include <allocsite/walk.h>

/* Bound of max_contexts=; numbers are 1 to that. */
#define ASITE_CONTEXTS_LIMIT	64U
/* Bound of N. */
#define ASITE_CONTEXT_RECORDS_LIMIT	65536U

/* Where an allocation was made, as a record has it. */
enum asite_context_where {
	ASITE_IN_TASK,
	ASITE_IN_SOFTIRQ,
	ASITE_IN_HARDIRQ,
	ASITE_IN_NMI,
	ASITE_IN_COUNT,
};

/**
 * struct asite_context - one of them; under asite_table_lock, but for @length and @ring
 * @name: what it is called, NULL while it is not in use
 * @start: first address of the range
 * @length: bytes of it; 0: no new site is its. Written after @start, which is written only when no
 *	handler can have seen another @length
 * @ring: where records go, NULL: nowhere
 */
struct asite_context {
	const char *name;
	unsigned long start;
	unsigned long length;
	struct asite_ring *ring;
};

extern struct asite_context asite_contexts[ASITE_CONTEXTS_LIMIT];
/* Contexts in use. */
extern unsigned int asite_contexts_on;

/**
 * asite_context_of() - the context that a new site belongs to
 * @caller: its address
 *
 * Context: any, NMI included.
 * Return: its number, or 0.
 */
unsigned int asite_context_of(unsigned long caller);

/**
 * asite_context_record() - before an object of a watched site is published
 * @key: the site's key
 * @object: asite_context_page() of a block, else its address
 * @slot: where it is counted
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_context_record(const struct asite_key *key, unsigned long object, unsigned int slot);

/**
 * asite_context_key() - as asite_stacks_key(), of a watched key
 * @key: the site's key
 * @from: where its stack begins
 * @own: filled in
 *
 * Context: as there.
 * Return: @own.
 */
struct asite_key *asite_context_key(const struct asite_key *key, const struct asite_at *from,
				    struct asite_key *own);

/* What stands for a block in a record: no slab object, area or per-CPU object looks so. */
static inline unsigned long asite_context_page(unsigned long pfn)
{
	return pfn << ASITE_FRAME_SHIFT | ASITE_TAG_PAGE;
}

/**
 * asite_context_move_begin() - contents of pages are about to move
 * @to: first frame of where to
 * @from: first frame of where from
 * @frames: how many
 *
 * Context: any; the caller owns both, and swaps their words next.
 * Return: true: call asite_context_move_end() after that.
 */
bool asite_context_move_begin(unsigned long to, unsigned long from, unsigned long frames);

/**
 * asite_context_move_end() - the words were swapped
 *
 * Context: any.
 */
void asite_context_move_end(void);

/**
 * asite_context_moves_begun() - for a reader, after all that it reads
 *
 * Context: any.
 * Return: how many moves began; none was under way if as many were done before.
 */
long asite_context_moves_begun(void);

/**
 * asite_context_moves_done() - for a reader, before all that it reads
 *
 * Context: any.
 * Return: how many moves are over.
 */
long asite_context_moves_done(void);

/**
 * asite_context_change() - "context WORDS" in control
 * @words: "SITE on [N]" or "SITE off"
 *
 * Context: task, may sleep; no lock held. Waits for handlers.
 * Return: 0 or a negative errno; the log says why and nothing changed then.
 */
int asite_context_change(const char *words);

/**
 * asite_context_cut() - text goes: what comes to its place is somebody else
 * @start: its first address
 * @end: after the last
 *
 * Records and their text stay.
 *
 * Context: task; asite_table_lock.
 */
void asite_context_cut(unsigned long start, unsigned long end);

/**
 * asite_context_reset() - forget all records; the contexts stay
 *
 * Context: task; no hook may be attached; asite_table_lock.
 */
void asite_context_reset(void);

/**
 * asite_context_init() - check the parameters
 *
 * Context: task.
 * Return: 0 or -EINVAL; the log says why.
 */
int asite_context_init(void);

/**
 * asite_context_exit() - free all
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_context_exit(void);

/* The file, see report_context.c. */

struct asite_context_snapshot;

/**
 * asite_context_snapshot() - records of live objects, newest first
 *
 * Context: task, may sleep; takes asite_table_lock.
 * Return: the snapshot, or NULL without memory.
 */
struct asite_context_snapshot *asite_context_snapshot(void);

/**
 * asite_context_snapshot_free() - free a snapshot
 * @snap: the snapshot
 *
 * Context: task, may sleep.
 */
void asite_context_snapshot_free(struct asite_context_snapshot *snap);

/**
 * asite_context_show() - the head, or a record
 * @m: where to
 * @snap: the snapshot
 * @i: 0: the head; else which record, from 1
 *
 * Context: task, may sleep; takes asite_table_lock.
 */
void asite_context_show(struct seq_file *m, const struct asite_context_snapshot *snap,
			unsigned int i);

/**
 * asite_context_rows() - records of a snapshot
 * @snap: the snapshot
 *
 * Context: any.
 * Return: how many.
 */
unsigned int asite_context_rows(const struct asite_context_snapshot *snap);

/**
 * asite_context_show_control() - lines of control about contexts
 * @m: where to
 *
 * Context: task; asite_table_lock.
 */
void asite_context_show_control(struct seq_file *m);

/**
 * asite_context_show_stats() - lines of stats about contexts
 * @m: where to
 *
 * Context: task; asite_table_lock.
 */
void asite_context_show_stats(struct seq_file *m);

#endif /* ALLOCSITE_CONTEXT_H */
