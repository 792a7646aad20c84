/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asite_oracle.ko: call sites past wrappers, and what is no slab memory. oracle_main.c attaches
 * the probes; tags and pairs are in oracle.h.
 */
#ifndef ASITE_ORACLE_PAGE_H
#define ASITE_ORACLE_PAGE_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/types.h>

#include <allocsite/wrap.h>
#include <compat/ftrace.h>

struct page;

/* The function that all contiguous ranges pass; the one that all splits of blocks pass. */
#if ASITE_HAVE_EXPORT_ALLOC_CONTIG_FROZEN_RANGE_NOPROF
#define ORACLE_K_CONTIG		"alloc_contig_frozen_range_noprof"
#define ORACLE_K_SPLIT		"pgalloc_tag_split"
#else
#define ORACLE_K_CONTIG		"alloc_contig_range_noprof"
#define ORACLE_K_SPLIT		"split_page_memcg"
#endif

/* oracle_walk.c: which return address is the call site? */

/**
 * struct oracle_end - where a walk past wrappers ended
 * @site: the first return address that is in none
 * @class: of that address
 * @object: the same for objects, which are charged beyond vmalloc's own functions
 */
struct oracle_end {
	unsigned long site;
	enum asite_class class;
	unsigned long object;
};

/**
 * oracle_walk() - from a return address on the stack to the call site
 * @from: the return address
 * @end: where it ended; @from, if it is not on the stack or all is wrappers: that counts as lost
 *
 * Context: any, NMI included.
 */
void oracle_walk(unsigned long from, struct oracle_end *end);

/**
 * oracle_walk_is_wrapper() - does an object's return address say nothing of who wants it?
 * @address: the return address
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool oracle_walk_is_wrapper(unsigned long address);

/**
 * oracle_walk_forget() - text goes or comes
 *
 * Context: any.
 */
void oracle_walk_forget(void);

/* oracle_page.c: pages and per-CPU memory. */

/* Events of per-CPU memory whose bytes are not what @oracle_percpu_vector says. */
extern atomic_long_t oracle_percpu_odd;

/**
 * oracle_percpu_vector() - bytes that a per-CPU object takes beside its copies
 *
 * Return: for each 4 bytes of a copy; 0 before the first object.
 */
unsigned int oracle_percpu_vector(void);

/**
 * oracle_page_init() - make the map of page frames
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int oracle_page_init(void);

/**
 * oracle_page_exit() - free the map
 *
 * Context: task, may sleep; no probe may be attached.
 */
void oracle_page_exit(void);

/* Probes, attached by oracle_main.c. */
void oracle_on_page_alloc(void *data, struct page *page, unsigned int order, gfp_t gfp,
			  int migratetype);
void oracle_on_page_free(void *data, struct page *page, unsigned int order);
void oracle_on_percpu_alloc(void *data, unsigned long call_site, bool reserved, bool is_atomic,
			    size_t size, size_t align, void *base_addr, int off,
			    void __percpu *ptr, size_t bytes_alloc, gfp_t gfp);
void oracle_on_percpu_free(void *data, void *base_addr, int off, void __percpu *ptr);
void oracle_on_vmalloc(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct asite_k_ftrace_regs *fregs);
void oracle_on_vmap(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		    struct asite_k_ftrace_regs *fregs);
void oracle_on_vfree(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct asite_k_ftrace_regs *fregs);
void oracle_on_page_bulk(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct asite_k_ftrace_regs *fregs);
void oracle_on_contig(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		      struct asite_k_ftrace_regs *fregs);
void oracle_on_split(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct asite_k_ftrace_regs *fregs);
void oracle_on_migrate(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct asite_k_ftrace_regs *fregs);

#endif /* ASITE_ORACLE_PAGE_H */
