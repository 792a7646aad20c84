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

#endif /* ALLOCSITE_PAGE_MEMORY_H */
