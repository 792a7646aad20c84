/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of asite_load.ko: what they share. Every function here runs in
 * task context under load_lock (load_main.c) unless it says otherwise.
 */
#ifndef ASITE_LOAD_H
#define ASITE_LOAD_H

#include <linux/slab.h>
#include <linux/types.h>

struct seq_file;

/* Caches of the module; see cache_table in load_sites.c. */
enum load_cache {
	LOAD_CACHE_ODD,		/* unmergeable, odd size */
	LOAD_CACHE_RCU,		/* SLAB_TYPESAFE_BY_RCU */
	LOAD_CACHE_MERGE_A,	/* these two become one kmem_cache */
	LOAD_CACHE_MERGE_B,
	LOAD_CACHE_COUNT
};

/* By which call an object goes back. */
enum load_way {
	LOAD_KFREE,
	LOAD_KFREE_BULK,
	LOAD_KFREE_SENSITIVE,
	LOAD_KFREE_RCU,		/* rcu_head at the start of the object */
	LOAD_KVFREE,
	LOAD_KVFREE_RCU,	/* no rcu_head: sleeps */
	LOAD_CACHE_FREE,
	LOAD_CACHE_FREE_BULK,
	LOAD_KFREE_NOLOCK,
	LOAD_KFREE_RCU_NOLOCK,
	LOAD_KREALLOC_ZERO,	/* krealloc() to no bytes */
	LOAD_DROP,		/* the row's own drop() */
};

/* Where the call is made. */
enum load_place {
	LOAD_HERE,
	LOAD_OTHER_CPU,		/* a worker on the next online CPU */
	LOAD_SOFTIRQ,		/* a tasklet */
	LOAD_HARDIRQ,		/* an IPI to the next online CPU */
	LOAD_STOPPED,		/* interrupts off on every CPU, so that none holds a spinlock */
};

/* What a report must say about the objects of a row. */
enum load_claim {
	LOAD_LIVE,		/* all of them, while they are held */
	LOAD_PASSING,		/* total only: freed before alloc() returned */
	LOAD_ABSENT,		/* nothing at all */
};

/* One call site and size. */
struct load_site {
	const char *func;	/* function the site must lie in */
	const char *kind;
	const char *cache_name;	/* "-" for kmalloc */
	size_t size;		/* bytes per object, as allocated */
	size_t req;		/* bytes asked for */
	unsigned int nr;	/* a prime of its own */
	void *(*one)(size_t req);
	int (*many)(void **objs, unsigned int nr);
	enum load_place alloc_place;
	enum load_way way;
	enum load_place free_place;
	enum load_cache cache;
	enum load_claim claim;
	const char *absent;	/* why this kernel cannot have it, else NULL */
	void (*drop)(void *obj, size_t req);
	size_t left;		/* bytes of each that stay live; 0: .size, or .req without one */
	size_t align;		/* .left and .req are rounded up to, if not 0 */
	bool headless;		/* its first frame is free: bytes live, but no object */
	bool each_cpu;		/* .req and .left are of one CPU */
	const unsigned long *calls;	/* made since mark, where not nr each time */
};

#define LOAD_MERGE_B_NAME	"asite_load_merge_b"

/* load_calls.c: the functions that allocate, their tables, the caches. */
extern struct kmem_cache *load_caches[LOAD_CACHE_COUNT];
extern const struct load_site load_table[];
extern const unsigned int load_table_rows;
extern const struct load_site load_pre_table[];
extern const unsigned int load_pre_table_rows;
int load_calls_init(void);
void load_calls_exit(void);
bool load_calls_merged(void);
int load_calls_destroy_merged(void);

/* load_pages.c: pages by every call of the page allocator. */
extern const struct load_site load_page_table[];
extern const unsigned int load_page_table_rows;
void load_pages_mark(void);

/* load_areas.c: vmalloc, per-CPU, DMA memory, memory pools. */
extern const struct load_site load_area_table[];
extern const unsigned int load_area_table_rows;
int load_areas_init(void);
void load_areas_free_rest(void);
void load_areas_exit(void);

/* load_parts.c: blocks that go in parts, step by step. */
int load_part_step(unsigned long nr);
void load_parts_mark(void);
void load_parts_expect(struct seq_file *m);
void load_parts_status(struct seq_file *m);
void load_parts_exit(void);

/* load_sites.c: what is done with them. */
void load_sites_exit(void);
int load_sites_alloc(void);
int load_sites_free(void);
void load_sites_mark(void);
int load_sites_prealloc(void);
int load_sites_prefree(void);
void load_sites_expect(struct seq_file *m);
void load_sites_status(struct seq_file *m);

/* load_free.c */
int load_run_at(enum load_place place, void (*fn)(void *arg), void *arg);
void load_flush_rcu(void);
int load_free_objects(enum load_way way, enum load_place place,
		      struct kmem_cache *cache, void **objs, unsigned int nr);
int load_drop_objects(const struct load_site *site, void **objs, unsigned int nr);

/* load_work.c: kthreads that allocate and free. */
int load_storm_start(unsigned long ops);
int load_storm_wait(bool stop);
int load_leak_start(void);
int load_leak_stop(void);
int load_leak_free(void);
void load_work_status(struct seq_file *m);
void load_work_exit(void);

/* load_misc.c: cache destruction, sleeping constructor, many sites, many objects. */
int load_destroy_clean(void);
int load_destroy_leak(void);
int load_sleep_start(unsigned long nr);
int load_sleep_release(void);
int load_many_alloc(void);
int load_many_free(void);
int load_hold(unsigned long nr);
int load_hold_half(void);
int load_hold_free(void);
void load_misc_status(struct seq_file *m);
void load_misc_exit(void);

/* load_paths.c: objects of one call site, each from a stack of its own. */
int load_paths(unsigned long nr);
int load_paths_free(void);
int load_path_pages_hold(unsigned long nr);
int load_path_pages_free(void);
int load_path_again(unsigned long nr);
int load_path_wait(void);
void load_paths_mark(void);
void load_paths_expect(struct seq_file *m);
void load_paths_status(struct seq_file *m);
void load_paths_exit(void);

#endif /* ASITE_LOAD_H */
