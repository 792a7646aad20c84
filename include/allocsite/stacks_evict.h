/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack mode, eviction: only with "make EVICT=1". Without, none of it is in the object code
 * (scripts/check/evict.sh shows it). How a record of the depot is evicted is in
 * depot_evict.h; here is when, what makes a stack idle, and what becomes of its counts.
 *
 * Idle: of the objects that a stack allocated none is live, neither by count nor by bytes
 * (blocks of pages may have lost their heads), frees of all CPUs summed before allocations
 * are. Live words, page words and areas name a slot only between its two counts, so then
 * none does. What else could still come to the slot:
 *
 *  - A handler found it and has not counted yet. It found it in the index, so it began before
 *    the record was unlinked: all handlers are waited for after that. Then it has counted, and
 *    the stack is idle no more, or idle again.
 *  - An object was counted and has no live word yet: it is live, by count.
 *  - An object's end is being counted: the counter that says that it ended is written last
 *    (track.h), so it is live until all of it is counted.
 *
 * (Objects of the self-test in sampled mode have a word and are never counted; nor is their end.)
 *
 * After the wait nobody finds the slot any more, so once idle it stays so. Its counts are added
 * to those of its call site: sums of sites and of stacks stay what they were, and no report
 * looks in between, as all are made under asite_table_lock.
 *
 * A report that was opened before names stacks by slot. Each slot keeps the number of the round
 * that gave it back last, each report that of the round before it: so no later stack's text is
 * shown for an earlier one's figures.
 *
 * When: a class of records runs short. Stacks that were used since they were looked at last are
 * passed over, if there are enough others. A round that gave none back is followed by a second of
 * rest.
 *
 * Off, reset and "stacks off": while counting is off nothing is given back, as reports are
 * frozen; a reset makes the depot forget the round that is underway.
 *
 * Contexts: task.
 */
#ifndef ALLOCSITE_STACKS_EVICT_H
#define ALLOCSITE_STACKS_EVICT_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include <allocsite/depot_evict.h>

#if ASITE_EVICT

/**
 * struct asite_stacks_mark - when a report was made
 * @round: the last round of eviction before
 */
struct asite_stacks_mark {
	u32 round;
};

/**
 * asite_stacks_evict_init() - get ready; destroys the depot if that fails
 *
 * Context: task, may sleep; asite_table_lock; the depot was made a moment ago.
 * Return: 0 or -ENOMEM.
 */
int asite_stacks_evict_init(void);

/**
 * asite_stacks_evict_exit() - stop for good
 *
 * Context: task, may sleep; no lock held; the depot was destroyed.
 */
void asite_stacks_evict_exit(void);

/**
 * asite_stacks_evict_soon() - evict if records run short
 *
 * Context: task; asite_table_lock.
 */
void asite_stacks_evict_soon(void);

/**
 * asite_stacks_evict_mark() - note when a report is made
 * @mark: set
 *
 * Context: task; asite_table_lock.
 */
void asite_stacks_evict_mark(struct asite_stacks_mark *mark);

/**
 * asite_stacks_evict_text() - a stack that a report has, and the depot may have no more
 * @m: where to
 * @mark: when the report was made
 * @slot: the stack's slot; 0: the row has none
 * @text: printed if it was evicted since
 * @nr: set to 0 then: the record's frames are another's
 *
 * Context: task; asite_table_lock.
 */
void asite_stacks_evict_text(struct seq_file *m, const struct asite_stacks_mark *mark,
			     unsigned int slot, const char *text, unsigned int *nr);

/**
 * asite_stacks_evict_stats() - lines of the stats file
 * @m: where to
 *
 * Context: task; asite_table_lock.
 */
void asite_stacks_evict_stats(struct seq_file *m);

#else

struct asite_stacks_mark {
};

static inline int asite_stacks_evict_init(void)
{
	return 0;
}

static inline void asite_stacks_evict_exit(void)
{
}

static inline void asite_stacks_evict_soon(void)
{
}

static inline void asite_stacks_evict_mark(struct asite_stacks_mark *mark)
{
}

static inline void asite_stacks_evict_text(struct seq_file *m,
					   const struct asite_stacks_mark *mark,
					   unsigned int slot, const char *text,
					   unsigned int *nr)
{
}

static inline void asite_stacks_evict_stats(struct seq_file *m)
{
}

#endif /* ASITE_EVICT */

#endif /* ALLOCSITE_STACKS_EVICT_H */
