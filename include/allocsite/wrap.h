/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wrapper set: which functions are allocators or pass on to one, by name. A return address
 * in one of them is no call site: the walk (walk.h) goes on to the caller. Where an allocator
 * takes memory for itself (pages behind slabs), the walk ends, and that memory is backing.
 *
 * A name stands for every function that has it, compiler's suffixes (.isra.0) aside. Names
 * that a kernel does not have do no harm.
 *
 * Contexts: asite_wrap_class() in any; the rest in a task.
 */
#ifndef ALLOCSITE_WRAP_H
#define ALLOCSITE_WRAP_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include <allocsite/kinds.h>

/* Where pages are asked for, the class is the tag of their key: see kinds.h. */
enum asite_class {
	ASITE_CLASS_INTERNAL,		/* an allocator's API: who calls it? */
	ASITE_CLASS_CALLER = ASITE_TAG_PAGE,	/* a call site */
	ASITE_CLASS_SLAB_EXT,		/* vectors that the slab allocator keeps for its objects */
	ASITE_CLASS_HIDDEN,		/* a trampoline: no function */
	ASITE_CLASS_SLAB_PAGES = ASITE_TAG_SLAB_PAGES,	/* pages of slabs */
	ASITE_CLASS_LARGE_PAGES = ASITE_TAG_LARGE_PAGES, /* pages of large kmalloc() objects */
	ASITE_CLASS_VMALLOC_PAGES = ASITE_TAG_VMALLOC_PAGES, /* pages of vmalloc() areas */
	ASITE_CLASS_PERCPU_PAGES = ASITE_TAG_PERCPU_PAGES, /* pages of per-CPU chunks */
	ASITE_CLASS_TRAMP,		/* this module's trampoline: passed */
	ASITE_CLASS_COUNT,
};

/**
 * asite_wrap_class() - what is at a return address?
 * @address: the return address
 *
 * Asks kallsyms: for addresses seen for the first time.
 *
 * Context: any, NMI included.
 * Return: its class.
 */
enum asite_class asite_wrap_class(unsigned long address);

/**
 * asite_wrap_change() - add a name to the set, or take one out
 * @word: "+SYMBOL" or "-SYMBOL"; "list" says in the log where the set is shown
 *
 * Applies to events from now on; what was counted stays where it was.
 *
 * Context: task, may sleep; no lock held.
 * Return: 0; -EINVAL for another form, -ENOENT for a name that no function has or that is not
 * in the set, -EEXIST for one that is, -ENOTUNIQ for one that several functions have, -ENOSPC
 * when the set is full, -ENOMEM. The log says why then, and nothing changed.
 */
int asite_wrap_change(const char *word);

/**
 * asite_wrap_show() - the set, a name and its class a line
 * @m: where to
 *
 * Context: task, may sleep.
 */
void asite_wrap_show(struct seq_file *m);

/**
 * asite_wrap_init() - make the set
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int asite_wrap_init(void);

/**
 * asite_wrap_exit() - free the set
 *
 * Context: task, may sleep; no hook may be attached.
 */
void asite_wrap_exit(void);

#endif /* ALLOCSITE_WRAP_H */
