/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ring of records: the newest N events of one context (context.h), and which of them tell of an
 * object that is live. Written without a lock by handlers, read by one reader.
 *
 * A writer takes a ticket, which is the record's number; ticket modulo N is its place. The place's
 * @seq says who is in it: the ticket, and a bit while the record is being written. A place whose
 * writer is not done (it was interrupted) or that has a newer record is passed over for the next
 * ticket, a few times; then the record is lost.
 *
 * A record is written before its object's live word is published, and the word names the slot
 * that the record names. That alone does not make them one: the object may have been freed, and
 * its address allocated again from the same slot. So asite_ring_live() makes two passes:
 *
 *	A: of each record: is its object live, with that slot? Its ticket is remembered if so.
 *	B: all records are copied. One is shown if it was remembered and is there still, and the
 *	   copy has no newer one of the same object.
 *
 * Why nothing else is shown: let r be remembered because its object's word named the slot at
 * some time in A. The object that was live then has a record q, complete by then. If q is not r
 * it is newer: of an older one the word was gone when r was written. In B
 *  - q is copied, and r is not shown; or
 *  - another record has q's place, or takes it. Its ticket is q's and N at least, which B sees,
 *    and then no record as old as q is shown: not r, which is older; or
 *  - q was lost. Then what is older than its last ticket is not shown any more (@valid_from), so
 *    neither is r. "A wrong record is worse than none."
 * A record whose place was passed over is as old as one that was overwritten, and treated so.
 *
 * Pages move: then records change their object. The reader begins anew if that happened
 * meanwhile; counting moves is the user's.
 *
 * This is a core: it knows nothing of tables but what the user's @live says.
 *
 * Contexts: put and move in any, NMI included; bounded time. The rest in a task; init, reset and
 * destroy without writers.
 */
#ifndef ALLOCSITE_RING_H
#define ALLOCSITE_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#define ASITE_RING_COMM		16
/* Times that a writer tries to find a place. */
#define ASITE_RING_TRIES	4
/* What a record's object is when that moved to where nobody is told. */
#define ASITE_RING_NOBODY	0UL

/**
 * struct asite_record - one allocation
 * @seq: 0: none; ticket << 1, and 1 while it is written
 * @object: its address, or what stands for it
 * @time_ns: when
 * @cgroup: of the task
 * @slot: where it is counted, and what its live word names
 * @pid: of the task on that CPU
 * @tgid: of its process
 * @cpu: which
 * @context: the user's number: task, interrupt
 * @comm: name of the task
 */
struct asite_record {
	u64 seq;
	unsigned long object;
	u64 time_ns;
	u64 cgroup;
	u32 slot;
	int pid;
	int tgid;
	u16 cpu;
	u16 context;
	char comm[ASITE_RING_COMM];
};

/**
 * struct asite_ring - a ring
 * @records: the places
 * @nr: how many
 * @next: the last ticket
 * @passed: tickets whose place was taken
 * @lost: records that found no place
 * @valid_from: records up to this ticket are not shown
 */
struct asite_ring {
	struct asite_record *records;
	unsigned int nr;
	atomic_long_t next ____cacheline_aligned_in_smp;
	atomic_long_t passed;
	atomic_long_t lost;
	atomic_long_t valid_from;
};

/**
 * struct asite_ring_counts - what became of records
 * @recorded: written ever
 * @overwritten: by newer ones
 * @lost: never written
 * @dropped: there, and not shown, as a later one was lost
 */
struct asite_ring_counts {
	u64 recorded;
	u64 overwritten;
	u64 lost;
	u64 dropped;
};

/**
 * struct asite_ring_row - a record of an object that is live
 * @record: the record
 * @live_seq: its seq when the object was seen live
 * @bytes: for @live to fill in
 * @user: the user's
 */
struct asite_ring_row {
	struct asite_record record;
	u64 live_seq;
	u64 bytes;
	u32 user;
};

/**
 * asite_ring_init() - make an empty ring
 * @ring: the ring, zeroed
 * @nr: places
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int asite_ring_init(struct asite_ring *ring, unsigned int nr);

/**
 * asite_ring_destroy() - free a ring
 * @ring: the ring; one that asite_ring_init() refused is fine
 *
 * Context: task, may sleep; no writer.
 */
void asite_ring_destroy(struct asite_ring *ring);

/**
 * asite_ring_reset() - forget all records
 * @ring: the ring
 *
 * Context: task; no writer.
 */
void asite_ring_reset(struct asite_ring *ring);

/**
 * asite_ring_put() - write a record
 * @ring: the ring
 * @new: the record; its seq is set
 *
 * Call it before the object's live word is published: what is stored after it is stored later.
 *
 * Context: any, NMI included; the caller owns the object.
 * Return: false if it was lost.
 */
bool asite_ring_put(struct asite_ring *ring, struct asite_record *new);

/**
 * asite_ring_move() - objects moved
 * @ring: the ring
 * @to: the first one's place now; what was recorded there is nobody's
 * @from: its place before
 * @bytes: the others are as far behind the first, in steps of 8
 *
 * Context: any; the caller owns both, and has readers begin anew.
 */
void asite_ring_move(struct asite_ring *ring, unsigned long to, unsigned long from,
		     unsigned long bytes);

/**
 * asite_ring_live() - records of objects that are live
 * @ring: the ring
 * @rows: room for as many as there are places; set
 * @live: is the record's object live, with its slot? What its owner did before he published the
 *	word must be seen after that
 *
 * Context: task; one reader, @ring not reset meanwhile.
 * Return: how many, in no order of meaning.
 */
unsigned int asite_ring_live(const struct asite_ring *ring, struct asite_ring_row *rows,
			     bool (*live)(struct asite_ring_row *row));

/**
 * asite_ring_counts() - what became of records
 * @ring: the ring
 * @counts: added to
 *
 * Context: task; a moving target while there are writers.
 */
void asite_ring_counts(const struct asite_ring *ring, struct asite_ring_counts *counts);

#endif /* ALLOCSITE_RING_H */
