// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrapper set: names and their classes, and changes at run time. The names that are there from
 * the start are in wrapper_names.h. What is done with classes is walk.c's affair.
 *
 * The set is an array sorted by name, never changed but replaced as a whole; handlers read it
 * without a lock. Context: named at each function.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bsearch.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <allocsite/ksyms.h>
#include <allocsite/state.h>
#include <allocsite/text.h>
#include <allocsite/track.h>
#include <allocsite/walk.h>
#include <allocsite/wrap.h>
#include <allocsite/wrapper_names.h>

static unsigned int max_wraps = 256;
module_param(max_wraps, uint, 0400);
MODULE_PARM_DESC(max_wraps, "names that 'wrap +SYMBOL' may add (default 256)");

struct name {
	const char *name;
	u8 class;
};

/**
 * struct set - the wrapper set
 * @nr: names
 * @names: sorted
 */
struct set {
	unsigned int nr;
	struct name names[];
};

/* A name that was added: kept until the module goes, handlers may be reading it. */
struct added {
	struct added *next;
	char name[];
};

#define BUILTIN(symbol, class_)	{ .name = #symbol, .class = ASITE_CLASS_##class_ },
static const struct name builtin[] = { ASITE_WRAPPERS(BUILTIN) };

static const char * const class_names[] = {
	[ASITE_CLASS_CALLER]		= "caller",
	[ASITE_CLASS_INTERNAL]		= "internal",
	[ASITE_CLASS_SLAB_PAGES]	= "slab_pages",
	[ASITE_CLASS_LARGE_PAGES]	= "large_pages",
	[ASITE_CLASS_VMALLOC_PAGES]	= "vmalloc_pages",
	[ASITE_CLASS_PERCPU_PAGES]	= "percpu_pages",
	[ASITE_CLASS_SLAB_EXT]		= "slab_ext",
	[ASITE_CLASS_HIDDEN]		= "hidden",
	[ASITE_CLASS_TRAMP]		= "trampoline",
};

static_assert(ARRAY_SIZE(class_names) == ASITE_CLASS_COUNT, "a name for each class");

/* Changes and shows exclude each other; handlers read without. */
static DEFINE_MUTEX(wrap_lock);
static struct set *set;
static struct added *added;
static unsigned int nr_added;

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static const struct name *find_name(const struct set *s, const char *symbol)
{
	const struct name key = { .name = symbol };

	return bsearch(&key, s->names, s->nr, sizeof(key), compare_names);
}

/* This module's trampolines. */
static bool is_own(const char *symbol)
{
	return str_has_prefix(symbol, "asite_tramp_") ||
	       str_has_prefix(symbol, "asite_sampled_tramp_");
}

/* Its buffer shall not be part of a handler's frame. */
noinline enum asite_class asite_wrap_class(unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN];
	const struct name *name;

	/* What a return probe puts on the stack is its trampoline's first byte. */
	sprint_symbol(symbol, address);
	if (asite_text_is_hidden(symbol) && !is_own(symbol))
		return ASITE_CLASS_HIDDEN;
	/* A call may be a function's last instruction. */
	sprint_symbol(symbol, address - 1);
	if (is_own(symbol))
		return ASITE_CLASS_TRAMP;
	/* Where a tracepoint has several probes, this calls them one by one. */
	if (str_has_prefix(symbol, "__traceiter_"))
		return ASITE_CLASS_INTERNAL;
	if (asite_text_is_hidden(symbol))
		return ASITE_CLASS_HIDDEN;
	symbol[strcspn(symbol, "+.")] = '\0';
	/* Pairs with the release in replace(). */
	name = find_name(smp_load_acquire(&set), symbol);
	return name ? name->class : ASITE_CLASS_CALLER;
}

/* Changing. */

static struct set *new_set(unsigned int nr)
{
	return kvmalloc(struct_size(set, names, nr), GFP_KERNEL);
}

static bool is_wrapper_now(struct asite_site *site, void *unused)
{
	cond_resched();
	return site->state == ASITE_SITE_LIVE &&
	       asite_wrap_class(site->caller) == ASITE_CLASS_INTERNAL;
}

/*
 * Nobody knows the old set when asite_walk_forget() returns. Then no event of a site that is
 * a wrapper now is in flight: its key can be retired.
 */
static void replace(struct set *new)
{
	struct set *old = set;

	/* Pairs with the acquire in asite_wrap_class(). */
	smp_store_release(&set, new);
	asite_walk_forget(0, ULONG_MAX);
	kvfree(old);
	mutex_lock(&asite_table_lock);
	asite_sites_retire(&asite_track.sites, is_wrapper_now, NULL);
	mutex_unlock(&asite_table_lock);
}

static int refuse(int err, const char *symbol, const char *why)
{
	pr_warn("wrap: '%s' %s\n", symbol, why);
	return err;
}

/* A copy of the name that stays; the list is under wrap_lock. */
static const char *keep(const char *symbol)
{
	struct added *a = kmalloc(struct_size(a, name, strlen(symbol) + 1), GFP_KERNEL);

	if (!a)
		return NULL;
	strcpy(a->name, symbol);
	a->next = added;
	added = a;
	nr_added++;
	return a->name;
}

static int add(const char *symbol)
{
	unsigned int functions;
	struct set *new;

	if (find_name(set, symbol))
		return refuse(-EEXIST, symbol, "is in the set");
	if (nr_added >= max_wraps)
		return refuse(-ENOSPC, symbol, "is one too many: load with a larger max_wraps=");
	functions = asite_ksyms_count(symbol);
	if (!functions)
		return refuse(-ENOENT, symbol, "is no function of this kernel");
	if (functions > 1)
		return refuse(-ENOTUNIQ, symbol, "is the name of several functions");
	new = new_set(set->nr + 1);
	if (!new)
		return -ENOMEM;
	memcpy(new->names, set->names, set->nr * sizeof(new->names[0]));
	new->names[set->nr].name = keep(symbol);
	new->names[set->nr].class = ASITE_CLASS_INTERNAL;
	new->nr = set->nr + 1;
	if (!new->names[set->nr].name) {
		kvfree(new);
		return -ENOMEM;
	}
	sort(new->names, new->nr, sizeof(new->names[0]), compare_names, NULL);
	replace(new);
	return 0;
}

static int take_out(const char *symbol)
{
	const struct name *name = find_name(set, symbol);
	unsigned int i = name ? name - set->names : 0;
	struct set *new;

	if (!name)
		return refuse(-ENOENT, symbol, "is not in the set: 'wrap list' shows it");
	if (name->class != ASITE_CLASS_INTERNAL)
		return refuse(-EINVAL, symbol, "is where backing memory is told from other");
	new = new_set(set->nr);
	if (!new)
		return -ENOMEM;
	memcpy(new->names, set->names, i * sizeof(*name));
	memcpy(new->names + i, name + 1, (set->nr - i - 1) * sizeof(*name));
	new->nr = set->nr - 1;
	replace(new);
	return 0;
}

static int say_where(void)
{
	if (mutex_lock_killable(&wrap_lock))
		return -EINTR;
	pr_info("wrap: %u names are in the set; reading control lists them\n", set->nr);
	mutex_unlock(&wrap_lock);
	return 0;
}

int asite_wrap_change(const char *word)
{
	int err;

	if (!strcmp(word, "list"))
		return say_where();
	if ((word[0] != '+' && word[0] != '-') || !word[1] || word[1 + strcspn(word + 1, " +-.")])
		return refuse(-EINVAL, word, "is not +SYMBOL, -SYMBOL or list");
	if (mutex_lock_killable(&wrap_lock))
		return -EINTR;
	err = word[0] == '+' ? add(word + 1) : take_out(word + 1);
	mutex_unlock(&wrap_lock);
	return err;
}

void asite_wrap_show(struct seq_file *m)
{
	unsigned int i;

	mutex_lock(&wrap_lock);
	for (i = 0; i < set->nr; i++)
		seq_printf(m, "wrap %s %s\n", set->names[i].name, class_names[set->names[i].class]);
	mutex_unlock(&wrap_lock);
}

int asite_wrap_init(void)
{
	struct set *new = new_set(ARRAY_SIZE(builtin));

	if (!new)
		return -ENOMEM;
	memcpy(new->names, builtin, sizeof(builtin));
	new->nr = ARRAY_SIZE(builtin);
	sort(new->names, new->nr, sizeof(new->names[0]), compare_names, NULL);
	set = new;
	return 0;
}

void asite_wrap_exit(void)
{
	struct added *a;

	kvfree(set);
	set = NULL;
	while ((a = added)) {
		added = a->next;
		kfree(a);
	}
}
