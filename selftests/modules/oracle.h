/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of asite_oracle.ko: what they share. Probes run in any context, NMI
 * included; entries of the tables are claimed by one cmpxchg() of their identity and
 * never move. oracle_lock serialises control, readers and the module notifier.
 */
#ifndef ASITE_ORACLE_H
#define ASITE_ORACLE_H

#include <linux/alloc_tag.h>
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct kmem_cache;
struct seq_file;

#define ORACLE_CACHE_LEN	32
#define ORACLE_FREEZES		2

/* Places of what is no tag: none while profiling is on; none, as it is off. Tags follow. */
#define ORACLE_NO_TAG		0
#define ORACLE_WHILE_OFF	1
#define ORACLE_FIRST_TAG	2

/* What was seen under a tag. */
enum oracle_event {
	ORACLE_SLAB,		/* objects of slab events */
	ORACLE_NO_EXT,		/* of these: in caches without object extensions */
	ORACLE_PAGE,		/* pages */
	ORACLE_PAGE_BULK,	/* pages asked for in bulk, or as a range */
	ORACLE_PERCPU,		/* per-CPU objects */
	ORACLE_EVENT_COUNT
};

/* Where code tagging's counts are of another unit than allocsite's, or are not kept. */
enum oracle_extra {
	ORACLE_UNCOUNTED,	/* of slab: in caches without object extensions, and sheaves of
				 * kmalloc caches; of no tag while profiling is on: all of kmalloc()
				 */
	ORACLE_PARTS,		/* of blocks that were split, but for each one's first: calls */
	ORACLE_ROUNDED,		/* pages of areas beyond the size asked for */
	ORACLE_FIRST_CHUNK,	/* per-CPU objects in chunks without extensions */
	ORACLE_EXTRA_COUNT
};

/**
 * struct oracle_tag - a tag that was seen; its place in the table is its name
 * @tag: NULL: free, or no tag; DEAD_TAG: its module went
 * @events: objects or events of each kind
 * @extra: live objects and bytes of each kind
 * @frozen: at each freeze: what code tagging had charged to it, and @extra
 * @text: as /proc/allocinfo has it, once it is dead
 */
struct oracle_tag {
	struct alloc_tag *tag;
	atomic_long_t events[ORACLE_EVENT_COUNT];
	struct {
		atomic_long_t calls;
		atomic_long_t bytes;
	} extra[ORACLE_EXTRA_COUNT];
	struct {
		struct alloc_tag_counters charged;
		struct alloc_tag_counters extra[ORACLE_EXTRA_COUNT];
	} frozen[ORACLE_FREEZES];
	char *text;
};

/**
 * struct oracle_held - an object of an extra, or a sheaf
 * @ptr: the object; 0: free
 * @tag: index of the tag it was made under
 * @bytes: of the extra
 * @extra: which; of a sheaf ORACLE_EXTRA_COUNT: it is counted unless it is one of a kmalloc cache
 */
struct oracle_held {
	unsigned long ptr;
	unsigned int tag;
	unsigned int bytes;
	enum oracle_extra extra;
};

/* oracle_table.c: tags, pairs of site and tag, modules that go. */

extern struct mutex oracle_lock;
/* Events without room in a table: the comparison is void. */
extern atomic_long_t oracle_lost;
/* Told by control: the key is not exported everywhere, and calls are patched one by one. */
extern bool oracle_profiling;

/**
 * oracle_table_init() - make the tables, listen for modules
 *
 * Context: task, may sleep.
 * Return: 0 or a negative errno; nothing is held then.
 */
int oracle_table_init(void);

/**
 * oracle_table_exit() - free the tables
 *
 * Context: task, may sleep; no probe may be attached.
 */
void oracle_table_exit(void);

/**
 * oracle_table_tag() - the entry of a tag, claimed if it is new
 * @tag: current->alloc_tag, or NULL
 *
 * From 7.3 on, alloc_hooks() sets no tag while profiling is off.
 *
 * Context: any, NMI included.
 * Return: the entry, or that of no tag; NULL, and the event counts as lost, if there is no room.
 */
struct oracle_tag *oracle_table_tag(struct alloc_tag *tag);

/**
 * oracle_table_index() - the place of an entry, by which reports name it
 * @tag: the entry
 *
 * Return: see ORACLE_NO_TAG.
 */
unsigned int oracle_table_index(const struct oracle_tag *tag);

/**
 * oracle_table_at() - the entry of a place
 * @index: what oracle_table_index() said
 *
 * Return: the entry.
 */
struct oracle_tag *oracle_table_at(unsigned int index);

/**
 * oracle_table_count() - count an event under the tag that it has
 * @event: which
 * @nr: objects
 *
 * Context: any, NMI included.
 * Return: the entry of current->alloc_tag, or of no tag; NULL if there is no room.
 */
struct oracle_tag *oracle_table_count(enum oracle_event event, unsigned long nr);

/**
 * oracle_table_extra() - count live objects of an extra
 * @tag: entry of the tag
 * @extra: which
 * @calls: more of them, or fewer
 * @bytes: of these
 *
 * Context: any, NMI included.
 */
void oracle_table_extra(struct oracle_tag *tag, enum oracle_extra extra, long calls, long bytes);

/**
 * oracle_table_pair() - count objects of a call site under a tag
 * @site: return address
 * @what: name of the cache, or of another kind of memory in brackets; copied
 * @tag: entry of the tag
 * @nr: objects
 *
 * Context: any, NMI included.
 */
void oracle_table_pair(unsigned long site, const char *what, const struct oracle_tag *tag,
		       unsigned long nr);

/**
 * oracle_table_freeze() - copy what is charged to each tag
 * @n: to which of the copies
 *
 * Nothing is allocated between the first tag and the last.
 *
 * Context: task, under oracle_lock.
 */
void oracle_table_freeze(unsigned int n);

/**
 * oracle_table_used() - how full the tables are
 * @tags_used: entries of tags
 * @pairs_used: entries of pairs
 *
 * Context: task.
 */
void oracle_table_used(unsigned int *tags_used, unsigned int *pairs_used);

/**
 * oracle_table_show_tags() - a line for each tag
 * @m: the file
 *
 * Context: task, under oracle_lock.
 */
void oracle_table_show_tags(struct seq_file *m);

/**
 * oracle_table_show_pairs() - a line for each pair of site and tag
 * @m: the file
 *
 * Context: task, under oracle_lock.
 */
void oracle_table_show_pairs(struct seq_file *m);

/* oracle_slab.c: names of caches, caches of objects, objects that are not counted. */

/**
 * oracle_slab_init() - find what is private
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or -EOPNOTSUPP where structs are not as expected.
 */
int oracle_slab_init(void);

/**
 * oracle_slab_name() - the name of a cache
 * @s: the cache; NULL, kmalloc, is "-"
 *
 * Context: any.
 * Return: the name, which is there as long as the cache.
 */
const char *oracle_slab_name(const struct kmem_cache *s);

/**
 * oracle_slab_has_no_ext() - does an object lie in a cache without object extensions?
 * @ptr: from kmalloc(), of a size that a cache serves
 *
 * Context: any.
 * Return: true if so.
 */
bool oracle_slab_has_no_ext(const void *ptr);

/**
 * oracle_slab_hold() - note a live object, and count it unless it is a sheaf
 * @ptr: the object, of any memory, which the caller owns
 * @tag: entry of its tag
 * @bytes: of the extra
 * @extra: which; ORACLE_EXTRA_COUNT: a sheaf
 *
 * Without room, or if its last free was missed, an event counts as lost.
 *
 * Context: any.
 */
void oracle_slab_hold(const void *ptr, struct oracle_tag *tag, unsigned int bytes,
		      enum oracle_extra extra);

/**
 * oracle_slab_drop() - it goes
 * @ptr: any object, which the caller owns
 *
 * Context: any.
 * Return: true if it was held.
 */
bool oracle_slab_drop(const void *ptr);

/**
 * oracle_slab_next_sheaf() - walk the sheaves of kmalloc caches that are held
 * @at: where to go on, 0 at first; moved
 * @tag: index of its tag
 * @bytes: as allocated
 *
 * Which cache a sheaf is of is told by the sheaf, once its allocation is over.
 *
 * Context: any; exact while none comes or goes.
 * Return: false after the last.
 */
bool oracle_slab_next_sheaf(unsigned int *at, unsigned int *tag, unsigned int *bytes);

#endif /* ASITE_ORACLE_H */
