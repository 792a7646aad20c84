/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tool's own memory: taken politely, refused with the figure, counted.
 *
 * Context: task, may sleep. Nothing here is called from a hook.
 */
#ifndef ALLOCSITE_MEM_H
#define ALLOCSITE_MEM_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * asite_mem_alloc() - zeroed memory for a table
 * @bytes: size in bytes, not zero
 *
 * Uses large mappings where the kernel offers them and never pushes the
 * machine towards OOM: a request above the permitted share of MemAvailable is
 * refused.
 *
 * Context: task, may sleep.
 * Return: the memory, or NULL (the log then names both figures).
 */
void *asite_mem_alloc(size_t bytes);

/**
 * asite_mem_free() - give back memory from asite_mem_alloc()
 * @mem: the memory, or NULL
 * @bytes: the size it was asked for with
 *
 * Context: task, may sleep.
 */
void asite_mem_free(void *mem, size_t bytes);

/**
 * asite_mem_alloc_percpu() - zeroed per-CPU memory, aligned to a cache line
 * @bytes: size per CPU in bytes, at most 32 KiB (the allocator's own limit)
 *
 * Context: task, may sleep.
 * Return: the per-CPU pointer, or NULL.
 */
void __percpu *asite_mem_alloc_percpu(size_t bytes);

/**
 * asite_mem_free_percpu() - give back memory from asite_mem_alloc_percpu()
 * @mem: the memory, or NULL
 * @bytes: the size per CPU it was asked for with
 *
 * Context: task, may sleep.
 */
void asite_mem_free_percpu(void __percpu *mem, size_t bytes);

/**
 * asite_mem_free_text() - free a string from kasprintf() and the like
 * @text: the string, or NULL
 *
 * Context: any that may free.
 */
void asite_mem_free_text(char *text);

/**
 * asite_mem_account() - count memory that somebody else allocated for the tool
 * @bytes: bytes more, or less if negative
 *
 * Context: any.
 */
void asite_mem_account(long bytes);

/**
 * asite_mem_used() - bytes held now, per-CPU memory times possible CPUs
 *
 * Context: any.
 * Return: bytes.
 */
u64 asite_mem_used(void);

#endif /* ALLOCSITE_MEM_H */
