// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_oracle: the tables of tags and of pairs of call site and tag, what happens to
 * them when a module goes, and their text.
 *
 * Contexts: oracle_table_tag() and _pair() run in any, the rest in a task, the shows
 * and the freeze under oracle_lock. Invariant: an entry whose module goes dies in the
 * notifier, with its text, before its address can be another's.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/vmalloc.h>

#include <compat/module.h>

#include "oracle.h"
#include "oracle_page.h"

#define TAG_BITS	13
#define TAGS		(1U << TAG_BITS)
#define PAIR_BITS	15
#define PAIRS		(1U << PAIR_BITS)

static const char * const event_names[] = {
	[ORACLE_SLAB] = "slab",
	[ORACLE_NO_EXT] = "no_ext",
	[ORACLE_PAGE] = "page",
	[ORACLE_PAGE_BULK] = "page_bulk",
	[ORACLE_PERCPU] = "percpu",
};

static_assert(ARRAY_SIZE(event_names) == ORACLE_EVENT_COUNT);

static const char * const extra_names[] = {
	[ORACLE_UNCOUNTED] = "uncounted",
	[ORACLE_PARTS] = "parts",
	[ORACLE_ROUNDED] = "rounded",
	[ORACLE_FIRST_CHUNK] = "first_chunk",
};

static_assert(ARRAY_SIZE(extra_names) == ORACLE_EXTRA_COUNT);

/**
 * struct oracle_pair - a call site of objects of a cache, and the tag it ran under
 * @id: hash of all that tells pairs apart, 64 bits of it; 0: free; DEAD_PAIR
 * @site: return address
 * @tag: index of the tag
 * @ready: all of the above is there
 * @cache: name, "-" for kmalloc, "[page]" and so on for other memory
 * @objects: so many
 * @text: of @site, once its text went
 */
struct oracle_pair {
	u64 id;
	unsigned long site;
	unsigned int tag;
	bool ready;
	char cache[ORACLE_CACHE_LEN];
	atomic_long_t objects;
	char *text;
};

#define DEAD_TAG	((struct alloc_tag *)1)
#define DEAD_PAIR	1ULL

/* See oracle.h. */
DEFINE_MUTEX(oracle_lock);
atomic_long_t oracle_lost;
bool oracle_profiling;

/* Tags from ORACLE_FIRST_TAG on. */
static struct oracle_tag *tags;
static struct oracle_pair *pairs;

/* -- tables -------------------------------------------------------------- */

struct oracle_tag *oracle_table_tag(struct alloc_tag *tag)
{
	unsigned int i, n;
	struct alloc_tag *old;

	if (!tag)
		return &tags[READ_ONCE(oracle_profiling) ? ORACLE_NO_TAG : ORACLE_WHILE_OFF];
	i = hash_ptr(tag, TAG_BITS);
	for (n = 0; n < TAGS; n++, i = (i + 1) % TAGS) {
		if (i < ORACLE_FIRST_TAG)
			continue;
		old = READ_ONCE(tags[i].tag);
		if (!old)
			old = cmpxchg(&tags[i].tag, NULL, tag) ?: tag;
		if (old == tag)
			return &tags[i];
	}
	atomic_long_inc(&oracle_lost);
	return NULL;
}

unsigned int oracle_table_index(const struct oracle_tag *tag)
{
	return tag - tags;
}

struct oracle_tag *oracle_table_at(unsigned int index)
{
	return &tags[index];
}

struct oracle_tag *oracle_table_count(enum oracle_event event, unsigned long nr)
{
	struct oracle_tag *tag = oracle_table_tag(current->alloc_tag);

	if (tag)
		atomic_long_add(nr, &tag->events[event]);
	return tag;
}

void oracle_table_extra(struct oracle_tag *tag, enum oracle_extra extra, long calls, long bytes)
{
	atomic_long_add(calls, &tag->extra[extra].calls);
	atomic_long_add(bytes, &tag->extra[extra].bytes);
}

static u64 mix(u64 id, u64 word)
{
	id = (id ^ word) * GOLDEN_RATIO_64;
	return id ^ id >> 32;
}

static void fill_pair(struct oracle_pair *pair, unsigned long site, const char *what,
		      unsigned int tag)
{
	pair->site = site;
	pair->tag = tag;
	strscpy(pair->cache, what, sizeof(pair->cache));
	/* Pairs with is_filled(). */
	smp_store_release(&pair->ready, true);
}

static bool is_filled(const struct oracle_pair *pair)
{
	/* Pairs with fill_pair(). */
	return smp_load_acquire(&pair->ready);
}

/* A cache is told by its name: another may be where it was. */
void oracle_table_pair(unsigned long site, const char *what, const struct oracle_tag *tag,
		       unsigned long nr)
{
	u64 name = full_name_hash(NULL, what, strlen(what));
	u64 id = mix(mix(mix(0, site), name), oracle_table_index(tag)), old;
	unsigned int i = hash_64(id, PAIR_BITS), n;

	for (n = 0; n < PAIRS; n++, i = (i + 1) % PAIRS) {
		old = READ_ONCE(pairs[i].id);
		if (!old) {
			old = cmpxchg64(&pairs[i].id, 0, id);
			if (!old) {
				fill_pair(&pairs[i], site, what, oracle_table_index(tag));
				old = id;
			}
		}
		if (old == id) {
			atomic_long_add(nr, &pairs[i].objects);
			return;
		}
	}
	atomic_long_inc(&oracle_lost);
}

/* -- modules that go ----------------------------------------------------- */

static bool is_in(struct asite_range range, unsigned long address)
{
	return address >= range.start && address < range.end;
}

/* As codetag_to_text() does, which is not exported. */
static char *tag_text(const struct codetag *ct)
{
	if (ct->modname)
		return kasprintf(GFP_KERNEL, "%s:%u [%s] func:%s", ct->filename, ct->lineno,
				 ct->modname, ct->function);
	return kasprintf(GFP_KERNEL, "%s:%u func:%s", ct->filename, ct->lineno, ct->function);
}

static void retire_sites(struct asite_range range)
{
	char *text = range.start == range.end ? NULL : kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	unsigned int i;

	for (i = 0; text && i < PAIRS; i++) {
		if (!is_filled(&pairs[i]) || pairs[i].id == DEAD_PAIR ||
		    !is_in(range, pairs[i].site))
			continue;
		sprint_symbol(text, pairs[i].site);
		pairs[i].text = kasprintf(GFP_KERNEL, "%s (gone)", text);
		WRITE_ONCE(pairs[i].id, DEAD_PAIR);
	}
	kfree(text);
}

/*
 * A tag's strings lie in its module; the tag itself may not. Nothing is charged to it any
 * more: code tagging waits for what kfree_rcu() has still to free, and complains of a rest.
 */
static void retire_tags(const struct module *mod)
{
	struct alloc_tag *tag;
	unsigned int i;

	for (i = ORACLE_FIRST_TAG; i < TAGS; i++) {
		tag = READ_ONCE(tags[i].tag);
		if (!tag || tag == DEAD_TAG || !tag->ct.modname ||
		    !within_module_core((unsigned long)tag->ct.modname, mod))
			continue;
		tags[i].text = tag_text(&tag->ct);
		WRITE_ONCE(tags[i].tag, DEAD_TAG);
		memset(tags[i].frozen, 0, sizeof(tags[i].frozen));
	}
}

/* A site whose tag died may run under a tag of the same place later. */
static void retire_pairs_of_tags(void)
{
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		if (!is_filled(&pairs[i]) || pairs[i].id == DEAD_PAIR ||
		    READ_ONCE(tags[pairs[i].tag].tag) != DEAD_TAG)
			continue;
		pairs[i].text = kasprintf(GFP_KERNEL, "%pS", (void *)pairs[i].site);
		WRITE_ONCE(pairs[i].id, DEAD_PAIR);
	}
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;

	mutex_lock(&oracle_lock);
	switch (state) {
	case MODULE_STATE_LIVE:
		retire_sites(asite_k_module_init(mod));
		oracle_walk_forget();
		break;
	case MODULE_STATE_GOING:
		retire_sites(asite_k_module_init(mod));
		retire_sites(asite_k_module_core(mod));
		retire_tags(mod);
		retire_pairs_of_tags();
		oracle_walk_forget();
		break;
	}
	mutex_unlock(&oracle_lock);
	return NOTIFY_DONE;
}

/* After all others, whose work may still allocate in the module's name. */
static struct notifier_block module_nb = { .notifier_call = on_module, .priority = INT_MIN + 1 };

/* -- reports -------------------------------------------------------------- */

static void freeze_tag(struct oracle_tag *t, unsigned int n)
{
	int i;

	if (t->tag)
		t->frozen[n].charged = alloc_tag_read(t->tag);
	for (i = 0; i < ORACLE_EXTRA_COUNT; i++) {
		t->frozen[n].extra[i].calls = atomic_long_read(&t->extra[i].calls);
		t->frozen[n].extra[i].bytes = atomic_long_read(&t->extra[i].bytes);
	}
}

static void freeze_sheaves(unsigned int n)
{
	unsigned int at = 0, tag, bytes;

	while (oracle_slab_next_sheaf(&at, &tag, &bytes)) {
		tags[tag].frozen[n].extra[ORACLE_UNCOUNTED].calls++;
		tags[tag].frozen[n].extra[ORACLE_UNCOUNTED].bytes += bytes;
	}
}

void oracle_table_freeze(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < TAGS; i++)
		if (READ_ONCE(tags[i].tag) != DEAD_TAG)
			freeze_tag(&tags[i], n);
	freeze_sheaves(n);
}

void oracle_table_used(unsigned int *tags_used, unsigned int *pairs_used)
{
	unsigned int i;

	*tags_used = 0;
	*pairs_used = 0;
	for (i = ORACLE_FIRST_TAG; i < TAGS; i++)
		*tags_used += !!tags[i].tag;
	for (i = 0; i < PAIRS; i++)
		*pairs_used += !!pairs[i].id;
}

static void show_frozen(struct seq_file *m, const struct oracle_tag *t, unsigned int n)
{
	int i;

	seq_printf(m, "\t%lld\t%lld", t->frozen[n].charged.calls, t->frozen[n].charged.bytes);
	for (i = 0; i < ORACLE_EXTRA_COUNT; i++)
		seq_printf(m, "\t%lld\t%lld", t->frozen[n].extra[i].calls,
			   t->frozen[n].extra[i].bytes);
}

static void show_tag(struct seq_file *m, const struct oracle_tag *t)
{
	struct alloc_tag *tag = READ_ONCE(t->tag);
	const struct codetag *ct = &tag->ct;
	int i;

	if (!tag && t >= tags + ORACLE_FIRST_TAG)
		return;
	seq_printf(m, "%zd\t%s", t - tags, !tag ? "none" : tag == DEAD_TAG ? "gone" : "live");
	for (i = 0; i < ORACLE_EVENT_COUNT; i++)
		seq_printf(m, "\t%ld", atomic_long_read(&t->events[i]));
	for (i = 0; i < ORACLE_FREEZES; i++)
		show_frozen(m, t, i);
	if (!tag)
		seq_printf(m, "\t[%s]\n", t == tags + ORACLE_NO_TAG ? "no tag" : "while off");
	else if (tag == DEAD_TAG)
		seq_printf(m, "\t%s\n", t->text ?: "[text lost]");
	else if (ct->modname)
		seq_printf(m, "\t%s:%u [%s] func:%s\n", ct->filename, ct->lineno, ct->modname,
			   ct->function);
	else
		seq_printf(m, "\t%s:%u func:%s\n", ct->filename, ct->lineno, ct->function);
}

void oracle_table_show_tags(struct seq_file *m)
{
	unsigned int i, j;

	seq_puts(m, "asite_oracle tags - version: 1\n# tag state");
	for (i = 0; i < ORACLE_EVENT_COUNT; i++)
		seq_printf(m, " %s", event_names[i]);
	for (i = 0; i < ORACLE_FREEZES; i++) {
		seq_printf(m, " calls_%u bytes_%u", i, i);
		for (j = 0; j < ORACLE_EXTRA_COUNT; j++)
			seq_printf(m, " %s_calls_%u %s_bytes_%u", extra_names[j], i,
				   extra_names[j], i);
	}
	seq_puts(m, " text (tab-separated)\n");
	for (i = 0; i < TAGS; i++)
		show_tag(m, &tags[i]);
}

static void show_pair(struct seq_file *m, const struct oracle_pair *pair)
{
	char text[KSYM_SYMBOL_LEN];

	if (!is_filled(pair))
		return;
	if (READ_ONCE(pair->id) != DEAD_PAIR)
		sprint_symbol(text, pair->site);
	seq_printf(m, "%ld\t%u\t", atomic_long_read(&pair->objects), pair->tag);
	seq_escape(m, pair->cache, " \t\n\\");
	seq_printf(m, "\t%s\n", READ_ONCE(pair->id) == DEAD_PAIR ?
				pair->text ?: "[text lost]" : text);
}

void oracle_table_show_pairs(struct seq_file *m)
{
	unsigned int i;

	seq_puts(m, "asite_oracle pairs - version: 1\n# objects tag cache site (tab-separated)\n");
	for (i = 0; i < PAIRS; i++)
		show_pair(m, &pairs[i]);
}

/* -- init and exit ------------------------------------------------------- */

static void free_tables(void)
{
	unsigned int i;

	for (i = 0; tags && i < TAGS; i++)
		kfree(tags[i].text);
	for (i = 0; pairs && i < PAIRS; i++)
		kfree(pairs[i].text);
	vfree(tags);
	vfree(pairs);
}

int oracle_table_init(void)
{
	int err = -ENOMEM;

	tags = vzalloc(array_size(TAGS, sizeof(*tags)));
	pairs = vzalloc(array_size(PAIRS, sizeof(*pairs)));
	if (tags && pairs)
		err = register_module_notifier(&module_nb);
	if (err)
		free_tables();
	return err;
}

void oracle_table_exit(void)
{
	unregister_module_notifier(&module_nb);
	free_tables();
}
