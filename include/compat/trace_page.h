/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wraps trace/events/kmem.h and percpu.h: probes of the events of pages and of the per-CPU
 * allocator, with the arguments that each kernel's have. Their tracepoints are not exported:
 * they are looked up by name, and their prototypes are checked here.
 */
#ifndef COMPAT_TRACE_PAGE_H
#define COMPAT_TRACE_PAGE_H

#include <linux/mm.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>

#include <generated/allocsite-features.h>

#define ASITE_K_MM_PAGE_ALLOC_ARGS	struct page *page, unsigned int order,	\
					gfp_t gfp_flags, int migratetype
#define ASITE_K_MM_PAGE_FREE_ARGS	struct page *page, unsigned int order

#if ASITE_HAVE_TRACE_PERCPU_ALLOC_CALL_SITE
#define ASITE_K_PERCPU_ALLOC_ARGS	unsigned long call_site, bool reserved,	\
					bool is_atomic, size_t size, size_t align, \
					void *base_addr, int off, void __percpu *ptr, \
					size_t bytes_alloc, gfp_t gfp_flags
#else
#define ASITE_K_PERCPU_ALLOC_ARGS	bool reserved, bool is_atomic, size_t size, \
					size_t align, void *base_addr, int off,	\
					void __percpu *ptr
#endif
#define ASITE_K_PERCPU_FREE_ARGS	void *base_addr, int off, void __percpu *ptr

#endif /* COMPAT_TRACE_PAGE_H */
