/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Models of a processor's data caches and TLBs, fed with one access after the
 * other: set-associative, true LRU, write-allocate, the second level not told of
 * first-level hits. Nothing here knows of QEMU: cachemodel.c feeds it, test/ checks it.
 *
 * What the models leave out: prefetchers, the order that a real core reorders accesses
 * into, misses that overlap, replacement that is not LRU, instruction fetch, other CPUs.
 */
#ifndef ALLOCSITE_BENCH_MODEL_H
#define ALLOCSITE_BENCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#define MODEL_LINE_SHIFT	6
#define MODEL_PAGE_SHIFT	12
#define MODEL_LARGE_SHIFT	21

/**
 * struct model_cache - a cache or a level of a TLB
 * @sets: a power of two
 * @ways: entries in a set
 * @keys: per set, the keys it holds, last used first; a key is never 0
 */
struct model_cache {
	unsigned long sets;
	unsigned int ways;
	unsigned long *keys;
};

/**
 * struct model_set - which keys were seen
 * @slots: 0 or a key
 * @size: slots, a power of two
 * @count: keys in it
 */
struct model_set {
	unsigned long *slots;
	unsigned long size;
	unsigned long count;
};

/**
 * struct model_counts - what is counted between two markers
 * @loads: accesses that read, @stores: that write
 * @l1d: lines not in the first level, @l2: of these, not in the second
 * @dtlb: pages not in the first level, @stlb: of these, not in the second
 */
struct model_counts {
	unsigned long loads;
	unsigned long stores;
	unsigned long l1d;
	unsigned long l2;
	unsigned long dtlb;
	unsigned long stlb;
};

/**
 * struct model - all of it
 * @l1d: by physical line
 * @l2: by physical line
 * @dtlb: by virtual page of 4 KiB
 * @dtlb_large: by virtual page of 2 MiB
 * @stlb: both
 * @lines: virtual lines touched while counting
 * @lines_written: those of them that were written
 * @pages: virtual pages of 4 KiB touched while counting
 * @counting: between a begin and an end; the caches learn outside too
 * @counts: since the last begin
 */
struct model {
	struct model_cache l1d;
	struct model_cache l2;
	struct model_cache dtlb;
	struct model_cache dtlb_large;
	struct model_cache stlb;
	struct model_set lines;
	struct model_set lines_written;
	struct model_set pages;
	bool counting;
	struct model_counts counts;
};

/* Whether an instruction is one of the markers of bench_markers.h. */
enum model_marker {
	MODEL_NO_MARKER,
	MODEL_BEGIN,
	MODEL_END,
};

/**
 * model_init() - a Skylake-SP core's caches and TLBs, empty
 * @m: the model, zeroed
 *
 * Return: false: no memory.
 */
bool model_init(struct model *m);

/**
 * model_configure() - change the geometry of one of them; empties it
 * @m: the model, after model_init()
 * @option: "l1d=32k:8", "l2=1m:16", "dtlb=64:4", "dtlb_large=32:4", "stlb=1536:12":
 *	bytes or entries, then ways
 *
 * Return: false: no such option, or sets that are no power of two.
 */
bool model_configure(struct model *m, const char *option);

/**
 * model_exit() - free what model_init() took
 * @m: the model
 */
void model_exit(struct model *m);

/**
 * model_begin() - start counting
 * @m: the model
 */
void model_begin(struct model *m);

/**
 * model_access() - one access to memory
 * @m: the model
 * @vaddr: virtual address
 * @paddr: physical address
 * @bytes: its size, at least 1
 * @store: it writes
 */
void model_access(struct model *m, unsigned long vaddr, unsigned long paddr,
		  unsigned int bytes, bool store);

/**
 * model_is_large() - is an address mapped by a large page?
 * @vaddr: virtual address
 * @paddr: physical address
 *
 * Page tables cannot be read from a plugin. In a mapping of 2 MiB or 1 GiB the two
 * addresses agree in their low 21 bits; elsewhere they do by chance only, one page in 512.
 * 1 GiB is taken as 2 MiB.
 *
 * Return: true if so.
 */
bool model_is_large(unsigned long vaddr, unsigned long paddr);

/**
 * model_is_locked() - is an instruction an atomic read-modify-write of memory?
 * @code: its bytes
 * @size: how many
 *
 * Return: true with a lock prefix, and for xchg with memory.
 */
bool model_is_locked(const unsigned char *code, size_t size);

/**
 * model_marker_of() - is an instruction a marker?
 * @code: its bytes
 * @size: how many
 *
 * Return: which.
 */
enum model_marker model_marker_of(const unsigned char *code, size_t size);

#endif /* ALLOCSITE_BENCH_MODEL_H */
