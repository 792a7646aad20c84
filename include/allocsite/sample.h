/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled mode (sample_bytes=): the counterpart of track.h, whose tables it fills, for
 * handlers of their own: nothing here is asked on the way of exact accounting.
 *
 *	allocation: count its bytes down (poisson.h); on an event: count the object, raise the
 *		    filter, publish the live word
 *	free:	    ask the filter (filter.h); if it may be in the sample: remove the live word,
 *		    lower the filter, count the free
 *
 * Contexts: asite_sample_kmalloc() and its kin, _cache_alloc() and _free() run in any context,
 * NMI included, as those of track.h.
 *
 * Lifetime: that of asite_track.
 */
#ifndef ALLOCSITE_SAMPLE_H
#define ALLOCSITE_SAMPLE_H

#include <linux/slab.h>

#include <allocsite/filter.h>
#include <allocsite/poisson.h>

/* The parameter: bytes allocated for each event, on average; 0: exact accounting. */
extern unsigned int asite_sample_bytes;

/**
 * asite_sample_check() - check the parameter
 *
 * Context: task.
 * Return: 0 or -EINVAL; the log says why.
 */
int asite_sample_check(void);

/**
 * asite_sample_reset() - forget the sample, begin with fresh randomness
 *
 * Context: task; no hook may be attached.
 */
void asite_sample_reset(void);

/**
 * asite_sample_force() - from now on what this task allocates on this CPU is followed
 *
 * For asite_slab_deaf(). Such objects are followed but not counted: they were not picked. What
 * others allocate meanwhile keeps its probability. One task at a time; it ends with
 * asite_sample_unforce(). In exact mode both do nothing.
 *
 * Context: task.
 */
void asite_sample_force(void);

/**
 * asite_sample_unforce() - the end of asite_sample_force()
 *
 * Context: task.
 */
void asite_sample_unforce(void);

/**
 * asite_sample_kmalloc_slow() - an event fell on an object from kmalloc() or one of its kin
 * @data: not used
 * @caller: return address of the allocator
 * @ptr: the object, or NULL
 * @requested: bytes asked for
 * @allocated: bytes it takes
 *
 * Its arguments stand where a tracepoint hands them over: see track.h.
 *
 * Context: any, NMI included.
 */
void asite_sample_kmalloc_slow(void *data, unsigned long caller, const void *ptr,
			       size_t requested, size_t allocated);

/**
 * asite_sample_again() - an object that was reported is reported by the function around
 * @caller: return address of that function
 * @ptr: the object, or NULL
 * @requested: bytes asked for
 * @allocated: bytes it takes
 *
 * The first report decided whether it is in the sample; this one whose it is.
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_sample_again(unsigned long caller, const void *ptr, size_t requested,
			size_t allocated);

/**
 * asite_sample_cache_slow() - an event fell on an object from a cache
 * @data: not used
 * @caller: return address of the allocator
 * @ptr: the object, or NULL
 * @s: the cache; any value if @ptr is NULL
 * @bytes: what an object of it takes
 *
 * Context: any, NMI included.
 */
void asite_sample_cache_slow(void *data, unsigned long caller, const void *ptr,
			     struct kmem_cache *s, size_t bytes);

/**
 * asite_sample_free_slow() - a free of what may be in the sample
 * @data: not used
 * @call_site: not used
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 *
 * Context: any, NMI included; the caller owns the object.
 */
void asite_sample_free_slow(void *data, unsigned long call_site, const void *ptr);

/**
 * asite_sample_kmalloc() - as asite_track_kmalloc()
 * @caller: return address of the allocator
 * @ptr: the object, or NULL; not ZERO_SIZE_PTR
 * @requested: bytes asked for
 * @allocated: bytes it takes
 *
 * Context: any, NMI included.
 */
static __always_inline void asite_sample_kmalloc(unsigned long caller, const void *ptr,
						 size_t requested, size_t allocated)
{
	if (!asite_poisson_passes(allocated))
		asite_sample_kmalloc_slow(NULL, caller, ptr, requested, allocated);
}

/*
 * As asite_track_cache_alloc(), with what an object of the cache takes. A macro: @s is looked
 * for only when it is needed.
 */
#define asite_sample_cache_alloc(caller, ptr, s, bytes)				\
do {										\
	size_t bytes__ = (bytes);						\
										\
	if (!asite_poisson_passes(bytes__))					\
		asite_sample_cache_slow(NULL, caller, ptr, s, bytes__);		\
} while (0)

/**
 * asite_sample_free() - an object goes back to the allocator
 * @ptr: the object, NULL or ZERO_SIZE_PTR
 *
 * Context: any, NMI included; before the allocator has it back.
 */
static __always_inline void asite_sample_free(const void *ptr)
{
	if (!asite_filter_passes((unsigned long)ptr))
		asite_sample_free_slow(NULL, 0, ptr);
}

#endif /* ALLOCSITE_SAMPLE_H */
