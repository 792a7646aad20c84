// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_oracle: pages, vmalloc and per-CPU memory. vmalloc has no event: its pages have, and
 * whoever they are for is the site of the area.
 *
 * A map by frame number has the tag of each page in use and whether the frame is a part that
 * was split off its block, as code tagging counts a call for each part. Vmalloc's pages are
 * not in it, which are counted one by one anyway, nor is what came in bulk or as a range.
 *
 * Contexts: probes run in any, NMI included. A frame's entry is written by its owner only.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "oracle.h"
#include "oracle_page.h"

/* Of an entry of the map: an index of a tag, 0 for none; a part of a block, not its first. */
#define ENTRY_TAG	0x3fffU
#define ENTRY_PART	0x8000U

static u16 *map;
static unsigned long map_end;

/* What tasks asked vmalloc() for. */
#define ASKED_BITS	8

static struct asked {
	const struct task_struct *task;
	unsigned long size;
} asked[1U << ASKED_BITS];

/* As told by the first event; see pcpu_obj_full_size(). */
static unsigned int percpu_vector;
atomic_long_t oracle_percpu_odd;

/* -- the map ------------------------------------------------------------- */

int oracle_page_init(void)
{
	int node;

	for_each_online_node(node)
		map_end = max(map_end, node_end_pfn(node));
	map = vzalloc(array_size(map_end, sizeof(*map)));
	return map ? 0 : -ENOMEM;
}

void oracle_page_exit(void)
{
	vfree(map);
}

/* The frames of a block; NULL, and lost, where none were at load. */
static u16 *entries_of(const struct page *page, unsigned long frames)
{
	unsigned long pfn = page_to_pfn(page);

	if (pfn + frames <= map_end)
		return &map[pfn];
	atomic_long_inc(&oracle_lost);
	return NULL;
}

static void set_tag(const struct page *page, unsigned long frames, unsigned int tag)
{
	u16 *entry = entries_of(page, frames);

	while (entry && frames--)
		WRITE_ONCE(*entry++, tag);
}

static void clear_entry(u16 *entry)
{
	u16 was = READ_ONCE(*entry);

	if (!was)
		return;
	WRITE_ONCE(*entry, 0);
	if (was & ENTRY_PART)
		oracle_table_extra(oracle_table_at(was & ENTRY_TAG), ORACLE_PARTS, -1, 0);
}

/* -- events -------------------------------------------------------------- */

static const char *kind_of(enum asite_class class)
{
	switch (class) {
	case ASITE_CLASS_SLAB_PAGES:
		return "[slab_pages]";
	case ASITE_CLASS_LARGE_PAGES:
		return "[large_pages]";
	case ASITE_CLASS_VMALLOC_PAGES:
		return "[vmalloc_pages]";
	case ASITE_CLASS_PERCPU_PAGES:
		return "[percpu_pages]";
	default:
		return "[page]";
	}
}

/* Index of the tag by which splits are counted, 0 for none. */
static unsigned int on_pages(unsigned long from, enum oracle_event event, unsigned long frames)
{
	struct oracle_tag *tag = oracle_table_count(event, frames);
	struct oracle_end end;

	if (!tag)
		return 0;
	oracle_walk(from, &end);
	oracle_table_pair(end.site, kind_of(end.class), tag, frames);
	if (end.class == ASITE_CLASS_VMALLOC_PAGES) {
		oracle_table_pair(end.object, "[vmalloc]", tag, frames);
		return 0;
	}
	return oracle_table_index(tag);
}

/* Until profiling is on, code tagging has no tag at a page, and splits are not counted. */
noinline void oracle_on_page_alloc(void *data, struct page *page, unsigned int order, gfp_t gfp,
				   int migratetype)
{
	unsigned int tag = page ? on_pages(_RET_IP_, ORACLE_PAGE, 1UL << order) : 0;

	if (page && READ_ONCE(oracle_profiling) && tag >= ORACLE_FIRST_TAG)
		set_tag(page, 1UL << order, tag);
}

void oracle_on_page_free(void *data, struct page *page, unsigned int order)
{
	unsigned long frames = 1UL << order;
	u16 *entry = entries_of(page, frames);

	while (entry && frames--)
		clear_entry(entry++);
}

static const void *as_object(const void __percpu *ptr)
{
	return (const void *)(__force unsigned long)ptr;
}

static u64 vector_bytes(size_t size)
{
	return (u64)size / PCPU_MIN_ALLOC_SIZE * READ_ONCE(percpu_vector);
}

noinline void oracle_on_percpu_alloc(void *data, unsigned long call_site, bool reserved,
				     bool is_atomic, size_t size, size_t align, void *base_addr,
				     int off, void __percpu *ptr, size_t bytes_alloc, gfp_t gfp)
{
	struct oracle_tag *tag = oracle_table_count(ORACLE_PERCPU, 1);
	size_t copies = size * num_possible_cpus();
	struct oracle_end end;

	if (!READ_ONCE(percpu_vector))
		WRITE_ONCE(percpu_vector, (bytes_alloc - copies) / (size / PCPU_MIN_ALLOC_SIZE));
	if (bytes_alloc != copies + vector_bytes(size))
		atomic_long_inc(&oracle_percpu_odd);
	if (!tag)
		return;
	oracle_walk(_RET_IP_, &end);
	oracle_table_pair(end.object, "[percpu]", tag, 1);
	/* The first chunk and the reserved one are in the direct map and have no extensions. */
	if (!is_vmalloc_addr(base_addr) && READ_ONCE(oracle_profiling))
		oracle_slab_hold(as_object(ptr), tag, bytes_alloc, ORACLE_FIRST_CHUNK);
}

void oracle_on_percpu_free(void *data, void *base_addr, int off, void __percpu *ptr)
{
	oracle_slab_drop(as_object(ptr));
}

unsigned int oracle_percpu_vector(void)
{
	return READ_ONCE(percpu_vector);
}

/*
 * (size, ...): an area that may be mapped by huge pages takes whole ones. How much it takes
 * is seen when it is mapped, by the same task. Arrays of pages, for which the function is
 * called from within, are smaller than that.
 */
void oracle_on_vmalloc(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct asite_k_ftrace_regs *fregs)
{
	unsigned long size = asite_k_ftrace_argument(fregs, 0);
	struct asked *a = &asked[hash_ptr(current, ASKED_BITS)];

	if (size < PMD_SIZE)
		return;
	a->task = current;
	a->size = PAGE_ALIGN(size);
}

/* (start, end, protection, pages, shift) */
void oracle_on_vmap(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		    struct asite_k_ftrace_regs *fregs)
{
	const struct asked *a = &asked[hash_ptr(current, ASKED_BITS)];
	unsigned long start = asite_k_ftrace_argument(fregs, 0);
	unsigned long size = asite_k_ftrace_argument(fregs, 1) - start;
	struct oracle_tag *tag = oracle_table_tag(current->alloc_tag);

	if ((u32)asite_k_ftrace_argument(fregs, 4) <= PAGE_SHIFT || !tag ||
	    !READ_ONCE(oracle_profiling))
		return;
	if (a->task != current)
		atomic_long_inc(&oracle_lost);
	else if (size > a->size)
		oracle_slab_hold((void *)start, tag, size - a->size, ORACLE_ROUNDED);
}

/* remove_vm_area(address) */
void oracle_on_vfree(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct asite_k_ftrace_regs *fregs)
{
	oracle_slab_drop((void *)asite_k_ftrace_argument(fregs, 0));
}

/* alloc_pages_bulk(gfp, nid, nodemask, nr_pages, ...): its entry; it may yet give fewer. */
void oracle_on_page_bulk(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct asite_k_ftrace_regs *fregs)
{
	on_pages(parent_ip, ORACLE_PAGE_BULK, (u32)asite_k_ftrace_argument(fregs, 3));
}

/* alloc_contig_range(start, end, ...): the same. */
void oracle_on_contig(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		      struct asite_k_ftrace_regs *fregs)
{
	on_pages(parent_ip, ORACLE_PAGE_BULK,
		 asite_k_ftrace_argument(fregs, 1) - asite_k_ftrace_argument(fregs, 0));
}

/* (page, old order, new order): each part but the first, which goes on as the block. */
void oracle_on_split(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct asite_k_ftrace_regs *fregs)
{
	unsigned long frames = 1UL << (u32)asite_k_ftrace_argument(fregs, 1);
	unsigned long step = 1UL << (u32)asite_k_ftrace_argument(fregs, 2), i;
	u16 *entry = entries_of((struct page *)asite_k_ftrace_argument(fregs, 0), frames);
	unsigned int tag = entry ? *entry & ENTRY_TAG : 0;

	for (i = step; tag && i < frames; i += step) {
		WRITE_ONCE(entry[i], tag | ENTRY_PART);
		oracle_table_extra(oracle_table_at(tag), ORACLE_PARTS, 1, 0);
	}
}

/* (new, old): what is known of the old one is the new one's. */
void oracle_on_migrate(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct asite_k_ftrace_regs *fregs)
{
	struct folio *new = (struct folio *)asite_k_ftrace_argument(fregs, 0);
	struct folio *old = (struct folio *)asite_k_ftrace_argument(fregs, 1);
	unsigned long frames = folio_nr_pages(new);
	u16 *to = entries_of(&new->page, frames), *from = entries_of(&old->page, frames);

	for (; to && from && frames--; to++, from++)
		swap(*to, *from);
}
