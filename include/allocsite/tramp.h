/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct call-through trampolines (tramp.S): ftrace calls one at the entry of a
 * function instead of the function's body; it calls the body, then the handler
 * with (caller, result, arguments), and returns to the caller.
 *
 * Only for functions with at most 6 integer arguments and a link-time symbol:
 * the body is reached by a direct call to symbol + entry bytes, never through a
 * pointer, which a machine with IBT would refuse.
 */
#ifndef ALLOCSITE_TRAMP_H
#define ALLOCSITE_TRAMP_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <compat/page_functions.h>
#include <compat/slab_functions.h>

/* Calls that came into and went out of any trampoline; see finish_direct(). */
DECLARE_PER_CPU(u64, asite_tramp_entered);
DECLARE_PER_CPU(u64, asite_tramp_left);

/*
 * From where a trampoline's own call left its return address to where the caller's stands:
 * six arguments, the frame pointer, the address of the body. See tramp.S.
 */
#define ASITE_TRAMP_BYTES	(8 + 6 * 8 + 8 + 8)

/* A trampoline for each function that allocates, and one for sampled mode. */
#define ASITE_DECLARE_TRAMP(event, function, handler, need)	\
	void asite_tramp_##function(void);			\
	void asite_sampled_tramp_##function(void);
ASITE_K_SLAB_FUNCTIONS(ASITE_DECLARE_TRAMP)
#undef ASITE_DECLARE_TRAMP

#define ASITE_DECLARE_PAGE_TRAMP(event, function, handler, need)	\
	void asite_tramp_##function(void);
ASITE_K_PAGE_FUNCTIONS(ASITE_DECLARE_PAGE_TRAMP)
#undef ASITE_DECLARE_PAGE_TRAMP

/* Their handlers, in hook_slab.c; arguments as struct asite_hook.on_result. */
#define ASITE_DECLARE_RESULT(name)						\
	void asite_on_##name(unsigned long caller, unsigned long result,	\
			     const unsigned long *args, unsigned long at);	\
	void asite_sampled_on_##name(unsigned long caller, unsigned long result, \
				     const unsigned long *args, unsigned long at)

ASITE_DECLARE_RESULT(kmalloc);
ASITE_DECLARE_RESULT(kmalloc_outer);
ASITE_DECLARE_RESULT(kmalloc_track_caller);
ASITE_DECLARE_RESULT(kmalloc_node_track_caller);
ASITE_DECLARE_RESULT(kmalloc_trace);
ASITE_DECLARE_RESULT(kmalloc_node_trace);
ASITE_DECLARE_RESULT(kmalloc_large);
ASITE_DECLARE_RESULT(kmalloc_nolock);
ASITE_DECLARE_RESULT(kvmalloc);
ASITE_DECLARE_RESULT(cache_alloc);
ASITE_DECLARE_RESULT(cache_alloc_bulk);
#undef ASITE_DECLARE_RESULT

/* In hook_page.c. */
#define ASITE_DECLARE_PAGE_RESULT(name)						\
	void asite_on_##name(unsigned long caller, unsigned long result,	\
			     const unsigned long *args, unsigned long at)

ASITE_DECLARE_PAGE_RESULT(pages);
ASITE_DECLARE_PAGE_RESULT(bulk);
ASITE_DECLARE_PAGE_RESULT(percpu);
#undef ASITE_DECLARE_PAGE_RESULT

#endif /* ALLOCSITE_TRAMP_H */
