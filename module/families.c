// SPDX-License-Identifier: GPL-2.0-only
/*
 * Families: which are followed, their set-up, going through their rows.
 *
 * Context: task.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <allocsite/families.h>
#include <allocsite/ksyms.h>

static char *kinds = "slab,page,vmalloc,percpu";
module_param(kinds, charp, 0400);
MODULE_PARM_DESC(kinds, "memory to follow: some of slab, page, vmalloc, percpu, by comma (default all)");

static struct asite_family * const families[] = {
	&asite_slab_family, &asite_page_family, &asite_vmalloc_family, &asite_percpu_family,
};

static struct asite_family *find_family(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		if (strlen(families[i]->name) == len && !strncmp(families[i]->name, name, len))
			return families[i];
	}
	return NULL;
}

int asite_families_follow(void)
{
	struct asite_family *family;
	const char *at = kinds;
	size_t len;

	do {
		len = strcspn(at, ",");
		family = find_family(at, len);
		if (!family) {
			pr_err("kinds=%s: \"%.*s\" is not known: use slab, page, vmalloc, percpu, by comma\n",
			       kinds, (int)len, at);
			return -EINVAL;
		}
		family->follow = true;
		at += len;
	} while (*at++);
	return 0;
}

/* Rows. */

static struct asite_hook *first_of(unsigned int i)
{
	for (; i < ARRAY_SIZE(families); i++) {
		if (families[i]->follow)
			return families[i]->hooks;
	}
	return NULL;
}

struct asite_hook *asite_hooks_next(const struct asite_hook *hook)
{
	unsigned int i;

	if (!hook)
		return first_of(0);
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct asite_hook *end = families[i]->hooks + families[i]->nr;

		if (hook < families[i]->hooks || hook >= end)
			continue;
		return hook + 1 < end ? (struct asite_hook *)hook + 1 : first_of(i + 1);
	}
	return NULL;
}

bool asite_families_hooked(const struct asite_family *family, const char *event)
{
	unsigned int i;

	for (i = 0; i < family->nr; i++) {
		if (family->hooks[i].state == ASITE_HOOK_ATTACHED &&
		    !strcmp(family->hooks[i].event, event))
			return true;
	}
	return false;
}

const char *asite_families_deaf(void)
{
	const char *deaf = NULL;
	unsigned int i;

	for (i = 0; !deaf && i < ARRAY_SIZE(families); i++) {
		if (families[i]->follow)
			deaf = families[i]->deaf();
	}
	return deaf;
}

/* Set-up. */

/* Addresses of functions that are not exported. */
static void look_up(struct asite_family *family)
{
	struct asite_hook *hook;

	for (hook = family->hooks; hook < family->hooks + family->nr; hook++) {
		if (!hook->looked_up && !hook->look_up)
			continue;
		hook->address = asite_ksyms_address(hook->symbol);
		if (hook->looked_up)
			*hook->looked_up = hook->address;
	}
}

static void exit_to(unsigned int end)
{
	while (end--) {
		if (families[end]->follow && families[end]->exit)
			families[end]->exit();
	}
}

int asite_families_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		if (!families[i]->follow)
			continue;
		look_up(families[i]);
		err = families[i]->init();
		if (!err)
			continue;
		exit_to(i);
		return err;
	}
	return 0;
}

void asite_families_exit(void)
{
	exit_to(ARRAY_SIZE(families));
}
