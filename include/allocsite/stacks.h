/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack mode: objects are charged to the stack that allocated them. A stack has a slot of its
 * own, with counters as a call site has, and belongs to the call site that it begins with: what
 * is followed, freed and moved is so by slot number, and knows nothing of stacks. Reports of
 * sites add up a site's stacks and what has none.
 *
 * While stacks are off nothing is executed for them: a site's key is found by the fast path,
 * as ever. While they are on, keys are hidden from it (asite_sites_hide()), so that all
 * allocations come to the slow paths, which ask asite_stacks_key().
 *
 * Contexts: asite_stacks_key() in any, NMI included: no lock, no allocation.
 */
#ifndef ALLOCSITE_STACKS_H
#define ALLOCSITE_STACKS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <allocsite/depot.h>
#include <allocsite/sites.h>
#include <allocsite/walk.h>

extern struct asite_depot asite_stacks;
/* Frames to keep of each stack, the call site included; 0: stacks are off. */
extern unsigned int asite_stacks_depth;

/**
 * asite_stacks_slot() - the slot of the stack above a call site
 * @key: the call site's; if it is watched, stacks may be off
 * @address: a return address, of the call site or below
 * @at: where it stands, on this stack
 * @bp: the frame pointer register on return to it
 *
 * Context: any, NMI included.
 * Return: the stack's slot; that of @key where there is no stack, or no room for it (counted by
 * cause).
 */
unsigned int asite_stacks_slot(const struct asite_key *key, unsigned long address,
			       unsigned long at, unsigned long bp);

/* The same from where this function was called. */
#define asite_stacks_slot_here(key) ({						\
	const unsigned long *__frame = __builtin_frame_address(0);		\
	asite_stacks_slot(key, __frame[1], (unsigned long)(__frame + 1), __frame[0]); \
})

static __always_inline bool asite_stacks_on(void)
{
	/* Pairs with the release in set_depth(): who sees it sees the depot. */
	return unlikely(smp_load_acquire(&asite_stacks_depth));
}

/**
 * asite_stacks_key() - as asite_stacks_slot(), as a key
 * @key: the call site's
 * @from: where to begin
 * @own: filled in
 *
 * Context: any, NMI included; @from on this stack.
 * Return: @own; @key where stacks are off.
 */
struct asite_key *asite_stacks_key(struct asite_key *key, const struct asite_at *from,
				   struct asite_key *own);

/* A key that a slot would have. */
static inline void asite_stacks_fill(struct asite_key *own, const struct asite_key *key,
				     const struct asite_sitetab *t, unsigned int slot)
{
	own->caller = READ_ONCE(key->caller);
	own->sub = key->sub;
	own->counts = asite_sites_counts(t, slot);
	own->bits = asite_objtab_bits(slot, 0);
}

/**
 * asite_stacks_owner() - the call site of a stack
 * @t: the site table
 * @slot: the stack's slot
 *
 * Context: any.
 * Return: its slot.
 */
unsigned int asite_stacks_owner(const struct asite_sitetab *t, unsigned int slot);

/**
 * asite_stacks_next_slot() - walk all slots in use, those of sites and of stacks
 * @slot: the last one, or -1
 *
 * Context: any; asite_table_lock.
 * Return: the next slot, or -1 at the end.
 */
long asite_stacks_next_slot(long slot);

/**
 * asite_stacks_used_slots() - how many slots there are to walk, at most a few more
 *
 * Context: any; asite_table_lock.
 * Return: slots in use.
 */
unsigned int asite_stacks_used_slots(void);

/**
 * asite_stacks_wanted() - slots to have for stacks: "max_stacks"
 *
 * Context: any.
 * Return: how many.
 */
unsigned int asite_stacks_wanted(void);

/**
 * asite_stacks_check() - are the parameters sane?
 *
 * Context: task, at load.
 * Return: 0 or -EINVAL; the log says why.
 */
int asite_stacks_check(void);

/**
 * asite_stacks_init() - stacks as "stacks" says
 *
 * Context: task, may sleep; no hook may be attached.
 * Return: 0 or a negative errno; the log says why.
 */
int asite_stacks_init(void);

/**
 * asite_stacks_exit() - free all
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_stacks_exit(void);

/**
 * asite_stacks_set() - "stacks WORD" in control
 * @word: "off", or frames to keep
 *
 * Context: task, may sleep; no lock held.
 * Return: 0, -EINVAL, or -ENOMEM; the log says why and nothing changed then.
 */
int asite_stacks_set(const char *word);

/**
 * asite_stacks_make() - room for stacks, though they are off: those of watched sites are kept
 *
 * Context: task, may sleep; no lock held but one that is outside of all of stacks.c.
 * Return: 0 or a negative errno; the log says why.
 */
int asite_stacks_make(void);

/**
 * asite_stacks_grow() - make room for further stacks
 *
 * Context: task, may sleep; asite_table_lock.
 * Return: 0 or -ENOMEM.
 */
int asite_stacks_grow(void);

/**
 * asite_stacks_reset() - forget every stack
 *
 * Context: task, may sleep; no hook may be attached; asite_table_lock.
 */
void asite_stacks_reset(void);

#endif /* ALLOCSITE_STACKS_H */
