/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page map's leaves for memory that is there, and how much memory is in use.
 *
 * Context: task, may sleep.
 */
#ifndef ALLOCSITE_PAGE_MEMORY_H
#define ALLOCSITE_PAGE_MEMORY_H

#include <linux/types.h>

/**
 * asite_page_memory_init() - make leaves for all memory, and for what will be added
 *
 * Return: 0, -ENOMEM, or -E2BIG above "pages_mb"; nothing is held then. The log says why.
 */
int asite_page_memory_init(void);

/**
 * asite_page_memory_exit() - watch no memory that is added any more
 *
 * The leaves are the page map's.
 */
void asite_page_memory_exit(void);

/**
 * asite_page_memory_used() - memory in use
 *
 * MemTotal - MemFree - pages on per-CPU lists, with what CPUs have not added up yet.
 *
 * Return: bytes.
 */
u64 asite_page_memory_used(void);

/**
 * asite_page_memory_unknown() - what was in use before, and was freed without being followed
 *
 * Compaction and contiguous ranges isolate free pages, without an event, and free with one what
 * they did not use, and what they moved there from: frees of nothing that was in use before. As
 * long as a page is isolated its free is counted ahead, so that the sum with what is followed is
 * right at any time; it may be below 0.
 *
 * Return: bytes.
 */
s64 asite_page_memory_unknown(void);

#endif /* ALLOCSITE_PAGE_MEMORY_H */
