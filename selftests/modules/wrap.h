/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of asite_wrap.ko: what they share. Every function here runs in
 * task context under wrap_lock (wrap_main.c).
 */
#ifndef ASITE_WRAP_H
#define ASITE_WRAP_H

#include <linux/types.h>

struct device;
struct seq_file;

#define WRAP_CLAIMS	4

/* A row that a tracker must show for what one function holds. */
struct wrap_claim {
	const char *kind;
	const char *cache;	/* NULL for "-" */
	size_t req;		/* bytes asked for each object; decides size and bytes, or: */
#define WRAP_ANY_SIZE	0	/* the kernel's own business */
	unsigned int objects;	/* in all; 0: one for each call */
	bool maybe;		/* beside another row's, or somebody else's: a matter of opinion */
};

/* One allocator wrapper, called from one function. */
struct wrap_site {
	const char *func;	/* the function that must be the site */
	void *(*get)(void);
	void (*put)(void *p);
	unsigned int nr;	/* how often it is called */
	bool on_cpu_0;		/* all calls on one CPU: the wrapper has memory of its own there */
	/* Around all gets and around all puts of the row. */
	void (*before)(void);
	void (*after)(void);
	const char *absent;	/* why this kernel cannot have it, else NULL */
	struct wrap_claim claims[WRAP_CLAIMS];
};

struct wrap_table {
	const struct wrap_site *rows;
	unsigned int nr;
};

/* One table for each file of wrappers. */
extern const struct wrap_table wrap_slab;
extern const struct wrap_table wrap_page;
extern const struct wrap_table wrap_pool;
extern const struct wrap_table wrap_dev;

/* An area's array of pointers to its pages is allocated inside the same call. */
#define WRAP_ARRAY(bytes_) \
	{ "kmalloc", NULL, DIV_ROUND_UP(bytes_, PAGE_SIZE) * sizeof(void *), .maybe = true }

/* wrap_slab.c: what user space wrote last, for the calls that copy from there. */
extern const char __user *wrap_user;
#define WRAP_USER_BYTES		5

/* wrap_pool.c */
int wrap_pool_init(void);
void wrap_pool_exit(void);
int wrap_skb_alloc(unsigned long nr);
void wrap_skb_free(void);
void wrap_skb_status(struct seq_file *m);

/* wrap_deep.c */
int wrap_deep_init(void);
void wrap_deep_exit(void);
int wrap_deep_alloc(unsigned int nr, unsigned int calls);
void wrap_deep_free(void);
void wrap_deep_status(struct seq_file *m);

/* wrap_dev.c */
int wrap_dev_init(void);
void wrap_dev_exit(void);

#endif /* ASITE_WRAP_H */
