/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which rows stacks and folded show: "filter" in control. All of a word's conditions must hold.
 *
 *	site=SYMBOL		the call site's function; SYMBOL+0x... is the one call site
 *	module=NAME		code of that module; vmlinux: of none
 *	kind=KIND		as in the column
 *	size=N, size=N-M	bytes of an object, as in the column
 *
 * Nothing but reports knows of it: what is counted does not change.
 *
 * Lifetime: from one "filter" to the next, whatever happens to counting.
 */
#ifndef ALLOCSITE_ROW_FILTER_H
#define ALLOCSITE_ROW_FILTER_H

#include <linux/types.h>

#include <allocsite/site.h>

#define ASITE_ROW_FILTER_LEN	256

/**
 * asite_row_filter_set() - "filter WORDS" in control
 * @words: "off" or conditions; written to
 *
 * Context: task, may sleep; takes asite_table_lock.
 * Return: 0, or -EINVAL: the log says why and nothing changed.
 */
int asite_row_filter_set(char *words);

/**
 * asite_row_filter_text() - what the filter is
 *
 * Context: asite_table_lock held, for as long as the text is read.
 * Return: the words it was set by, or "" where all rows are shown.
 */
const char *asite_row_filter_text(void);

/**
 * asite_row_filter_takes() - is a row shown?
 * @site: its call site
 * @text: that site's text
 *
 * Context: asite_table_lock held.
 * Return: true if it is.
 */
bool asite_row_filter_takes(const struct asite_site *site, const char *text);

#endif /* ALLOCSITE_ROW_FILTER_H */
