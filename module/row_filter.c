// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which rows stacks and folded show; what may be asked for is in row_filter.h.
 *
 * Contexts: task. Everything is under asite_table_lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <allocsite/kinds.h>
#include <allocsite/row_filter.h>
#include <allocsite/state.h>

#define CORE	"vmlinux"	/* the module of what is in none */

/* Conditions; those not asked for hold for any row. */
struct row_filter {
	char words[ASITE_ROW_FILTER_LEN];
	char site[ASITE_ROW_FILTER_LEN];
	char module[MODULE_NAME_LEN];
	int kind;
	u32 least;
	u32 most;
};

static const struct row_filter all = { .kind = -1, .most = ~0U };
static struct row_filter filter = { .kind = -1, .most = ~0U };

/* Parsing. */

static bool set_text(char *to, const char *value, size_t size)
{
	return value[0] && strscpy(to, value, size) > 0;
}

static bool set_kind(struct row_filter *f, const char *value)
{
	f->kind = asite_kind_by_name(value);
	return f->kind >= 0;
}

static bool set_size(struct row_filter *f, char *value)
{
	char *least = strsep(&value, "-"), *most = value ?: least;

	return !kstrtou32(least, 0, &f->least) && !kstrtou32(most, 0, &f->most) &&
	       f->least <= f->most;
}

static bool set_condition(struct row_filter *f, const char *name, char *value)
{
	if (!value)
		return false;
	if (!strcmp(name, "site"))
		return set_text(f->site, value, sizeof(f->site));
	if (!strcmp(name, "module"))
		return set_text(f->module, value, sizeof(f->module));
	if (!strcmp(name, "kind"))
		return set_kind(f, value);
	return !strcmp(name, "size") && set_size(f, value);
}

/* NULL, or the word that is wrong. */
static const char *parse(struct row_filter *f, char *words)
{
	char *word, *value;

	while ((word = strsep(&words, " \t")) != NULL) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		if (!set_condition(f, word, value))
			return word;
	}
	return NULL;
}

int asite_row_filter_set(char *words)
{
	static struct row_filter new;	/* under asite_table_lock */
	const char *wrong = NULL;

	mutex_lock(&asite_table_lock);
	new = all;
	if (strcmp(words, "off"))
		wrong = strscpy(new.words, words, sizeof(new.words)) < 0 ? words :
			parse(&new, words);
	if (!wrong)
		filter = new;
	mutex_unlock(&asite_table_lock);
	if (!wrong)
		return 0;
	pr_err("filter: '%s' is not understood: use site=SYMBOL, module=NAME, kind=KIND, size=N or size=N-M, or filter off\n",
	       wrong);
	return -EINVAL;
}

const char *asite_row_filter_text(void)
{
	return filter.words;
}

/* Matching. */

/* The whole name, with or without offset and size. */
static bool is_site(const char *text, const char *wanted)
{
	size_t len = strlen(wanted);

	return !strncmp(text, wanted, len) && (!text[len] || strchr("+/ ", text[len]));
}

static bool is_module(const char *text, const char *wanted)
{
	const char *name = strchr(text, '[');
	size_t len = strlen(wanted);

	/* Text that is all brackets is of no code. */
	if (name == text)
		return false;
	if (!name)
		return !strcmp(wanted, CORE);
	return !strncmp(name + 1, wanted, len) && name[1 + len] == ']';
}

bool asite_row_filter_takes(const struct asite_site *site, const char *text)
{
	if (filter.kind >= 0 && site->kind != filter.kind)
		return false;
	if (site->size < filter.least || site->size > filter.most)
		return false;
	if (filter.site[0] && !is_site(text, filter.site))
		return false;
	return !filter.module[0] || is_module(text, filter.module);
}
