/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From addresses to text, while they mean something. A module's text goes away,
 * init text earlier than the rest: their sites are resolved and retired before
 * the addresses can be used again. An address that is no call site (a return
 * probe's trampoline, a BPF image) never becomes one in a report, and a raw
 * address never appears.
 */
#ifndef ALLOCSITE_TEXT_H
#define ALLOCSITE_TEXT_H

#include <linux/kallsyms.h>
#include <linux/types.h>

#include <allocsite/sites.h>

#define ASITE_TEXT_LEN	(KSYM_SYMBOL_LEN + 16)

#define ASITE_TEXT_HIDDEN	"[hidden by return probe]"
#define ASITE_TEXT_LOST		"[caller not found]"

/**
 * asite_text_site() - what to print for a site
 * @site: the site
 * @buf: at least ASITE_TEXT_LEN bytes
 *
 * "function+0x12/0x34 [module]", followed by " (gone)" once its text was freed,
 * or a name in brackets for what is no call site.
 *
 * Context: task, asite_table_lock held.
 * Return: false if the site is hidden.
 */
bool asite_text_site(const struct asite_site *site, char *buf);

/**
 * asite_text_is_hidden() - is this no function?
 * @symbol: as sprint_symbol() prints it
 *
 * Trampolines of probes and tracers, BPF images, and what has no symbol.
 *
 * Context: any.
 * Return: true if no call site can lie there.
 */
bool asite_text_is_hidden(const char *symbol);

/**
 * asite_text_init() - watch modules come and go
 *
 * Context: task, may sleep; before the first hook is attached.
 * Return: 0 or a negative errno.
 */
int asite_text_init(void);

/**
 * asite_text_exit() - stop watching modules
 *
 * Context: task, may sleep; after the last hook is gone.
 */
void asite_text_exit(void);

#endif /* ALLOCSITE_TEXT_H */
