/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Families: the allocators whose memory is followed, each with its rows of the hook table
 * (hook_slab.c, hook_page.c) and what else it needs. "kinds=" chooses among them.
 *
 * Context: task, but for the handlers of entries.
 */
#ifndef ALLOCSITE_FAMILIES_H
#define ALLOCSITE_FAMILIES_H

#include <allocsite/hooks.h>

/*
 * How they look whether their hooks notice, each second: not so that anybody is killed for it,
 * where memory is short. What fails then was no allocation.
 */
#define ASITE_GFP_LOOK		(GFP_NOWAIT | __GFP_NOWARN)

/**
 * struct asite_family - an allocator
 * @name: as in "kinds="
 * @hooks: its rows
 * @nr: how many
 * @follow: whether its memory is followed
 * @init: make what its rows need; 0 or a negative errno
 * @exit: give that back; no hook may be attached; may be NULL
 * @deaf: allocate and free, and look whether the hooks noticed: NULL if they did or it cannot be
 *	told, else the event that was not noticed. A hook may be attached and yet never run:
 *	kprobes and ftrace can be switched off for the whole machine.
 */
struct asite_family {
	const char *name;
	struct asite_hook *hooks;
	unsigned int nr;
	bool follow;
	int (*init)(void);
	void (*exit)(void);
	const char *(*deaf)(void);
};

extern struct asite_family asite_slab_family;
extern struct asite_family asite_page_family;
extern struct asite_family asite_vmalloc_family;
extern struct asite_family asite_percpu_family;

/**
 * asite_slab_ftrace_entry() - entry-only rows of the slab family, by ftrace
 * @ip: the hooked function's traced address
 * @args: its three leading arguments
 *
 * Context: any.
 * Return: false if it is no function of that family.
 */
bool asite_slab_ftrace_entry(unsigned long ip, const unsigned long *args);

/**
 * asite_slab_sampled_ftrace_entry() - the same in sampled mode
 * @ip: the hooked function's traced address
 * @args: its three leading arguments
 *
 * Context: any.
 * Return: false if it is no function of that family.
 */
bool asite_slab_sampled_ftrace_entry(unsigned long ip, const unsigned long *args);

/**
 * asite_slab_is_first_report() - will a large object be reported again, by a caller of this one?
 * @caller: return address of the allocator
 * @allocated: bytes the object takes
 *
 * Context: any, NMI included.
 * Return: true if @caller lies in a function that reports large objects itself.
 */
bool asite_slab_is_first_report(unsigned long caller, size_t allocated);

/**
 * asite_page_ftrace_entry() - entry-only rows of the other families, by ftrace
 * @ip: the hooked function's traced address
 * @args: its leading arguments
 *
 * Context: any.
 */
void asite_page_ftrace_entry(unsigned long ip, const unsigned long *args);

/**
 * asite_families_follow() - check "kinds="
 *
 * Context: task.
 * Return: 0 or -EINVAL; the log names the choices then.
 */
int asite_families_follow(void);

/**
 * asite_families_init() - make what the families that are followed need
 *
 * Context: task, may sleep.
 * Return: 0 or a negative errno; nothing is held then.
 */
int asite_families_init(void);

/**
 * asite_families_exit() - give that back
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_families_exit(void);

/**
 * asite_families_deaf() - do the attached rows notice what happens?
 *
 * Context: task, may sleep; hooks attached.
 * Return: as struct asite_family.deaf.
 */
const char *asite_families_deaf(void);

/**
 * asite_families_hooked() - is an event hooked?
 * @family: whose
 * @event: a row's event
 *
 * Context: task.
 * Return: true if one of the event's rows is attached.
 */
bool asite_families_hooked(const struct asite_family *family, const char *event);

#endif /* ALLOCSITE_FAMILIES_H */
