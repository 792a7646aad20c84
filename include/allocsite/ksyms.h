/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of kernel functions that are not exported.
 */
#ifndef ALLOCSITE_KSYMS_H
#define ALLOCSITE_KSYMS_H

/**
 * asite_ksyms_address() - where a function is
 * @name: its symbol
 *
 * kallsyms_lookup_name() is not exported; a kprobe takes a name and tells where
 * it put itself. Good for hooking the function there; it is never called.
 *
 * Context: task, may sleep.
 * Return: the address, or 0 if there is no such function or none can be probed.
 */
unsigned long asite_ksyms_address(const char *name);

/**
 * asite_ksyms_count() - how many functions of the kernel have this name?
 * @name: a symbol
 *
 * Goes through all symbols of the kernel from one to the next, which takes a while. Of a module's
 * functions with the name, one at most is found, and only if the kernel itself has none.
 *
 * Context: task, may sleep.
 * Return: number of them.
 */
unsigned int asite_ksyms_count(const char *name);

#endif /* ALLOCSITE_KSYMS_H */
