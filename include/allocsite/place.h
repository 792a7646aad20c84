/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of call sites, as reports print them and users write them:
 *
 *	symbol+0x12/0x34 [module]	one call site
 *	symbol+0x12 [module]		the same
 *	symbol [module]			all call sites of that function
 *
 * [module] may be left out. What is left out may be anything.
 */
#ifndef ALLOCSITE_PLACE_H
#define ALLOCSITE_PLACE_H

#include <linux/types.h>

/**
 * struct asite_place - a name, taken apart; points into the text
 * @symbol: the function
 * @symbol_len: bytes of it
 * @module: the module, NULL if not named
 * @module_len: bytes of it
 * @whole: the function, no call site
 * @offset: of the call site in the function
 * @size: of the function, 0 if not said
 */
struct asite_place {
	const char *symbol;
	size_t symbol_len;
	const char *module;
	size_t module_len;
	bool whole;
	unsigned long offset;
	unsigned long size;
};

/**
 * asite_place_parse() - take a name apart
 * @text: the name
 * @place: set
 *
 * Context: any.
 * Return: false if it is none.
 */
bool asite_place_parse(const char *text, struct asite_place *place);

/**
 * asite_place_means() - does what was written mean a place?
 * @written: what was written
 * @place: the place; one that is a whole function is meant by that alone
 *
 * Context: any.
 * Return: true if it does.
 */
bool asite_place_means(const struct asite_place *written, const struct asite_place *place);

/**
 * asite_place_find() - where is what was written?
 * @written: what was written
 * @start: set to the first address
 * @length: set to how many bytes
 *
 * Asks the names of the call sites that are known.
 *
 * Context: task, may sleep; asite_table_lock held.
 * Return: its name in full, to be freed by kfree(); or ERR_PTR() of -ENOENT, -ENOTUNIQ if it
 * means several places, or -ENOMEM.
 */
char *asite_place_find(const struct asite_place *written, unsigned long *start,
		       unsigned long *length);

#endif /* ALLOCSITE_PLACE_H */
