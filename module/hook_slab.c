// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slab family: rows of the hook table and the handlers that decode them.
 * No counters and no locks here: handlers call track.h. How rows are attached is
 * hooks.c's and the backends' affair.
 *
 * What each kernel's events miss, with source lines, is in module/README.md:
 * bulk allocation and bulk free have no tracepoint anywhere, and kfree_rcu()
 * batches are freed in bulk.
 *
 * Contexts: handlers run in any context, NMI included, under any lock.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/kmem.h>

#include <allocsite/hooks.h>
#include <allocsite/ksyms.h>
#include <allocsite/sizes.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/tramp.h>
#include <compat/entry.h>
#include <compat/slab.h>

/* Tracepoints. */

static void notrace on_trace_kmalloc(void *data, unsigned long call_site, const void *ptr,
				     size_t bytes_req, size_t bytes_alloc,
				     gfp_t gfp_flags, int node)
{
	asite_track_kmalloc(call_site, ptr, bytes_req, bytes_alloc);
}

static void notrace on_trace_kmem_cache_alloc(void *data, unsigned long call_site,
					      const void *ptr, struct kmem_cache *s,
					      gfp_t gfp_flags, int node)
{
	asite_track_cache_alloc(call_site, ptr, s);
}

static void notrace on_trace_kfree(void *data, unsigned long call_site, const void *ptr)
{
	asite_track_free(ptr);
}

static void notrace on_trace_kmem_cache_free(void *data, unsigned long call_site,
					     const void *ptr, const struct kmem_cache *s)
{
	asite_track_free(ptr);
}

static int register_kmalloc(void)
{
	return register_trace_kmalloc(on_trace_kmalloc, NULL);
}

static void unregister_kmalloc(void)
{
	unregister_trace_kmalloc(on_trace_kmalloc, NULL);
}

static int register_kmem_cache_alloc(void)
{
	return register_trace_kmem_cache_alloc(on_trace_kmem_cache_alloc, NULL);
}

static void unregister_kmem_cache_alloc(void)
{
	unregister_trace_kmem_cache_alloc(on_trace_kmem_cache_alloc, NULL);
}

static int register_kfree(void)
{
	return register_trace_kfree(on_trace_kfree, NULL);
}

static void unregister_kfree(void)
{
	unregister_trace_kfree(on_trace_kfree, NULL);
}

static int register_kmem_cache_free(void)
{
	return register_trace_kmem_cache_free(on_trace_kmem_cache_free, NULL);
}

static void unregister_kmem_cache_free(void)
{
	unregister_trace_kmem_cache_free(on_trace_kmem_cache_free, NULL);
}

/* Results of functions: args are the first four arguments. */

void asite_on_kmalloc(unsigned long caller, unsigned long result,
		      const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[0], asite_sizes_allocated(args[0]));
}

void asite_on_kmalloc_track_caller(unsigned long caller, unsigned long result,
				   const unsigned long *args)
{
	asite_track_kmalloc(args[3], (void *)result, args[0], asite_sizes_allocated(args[0]));
}

void asite_on_kmalloc_trace(unsigned long caller, unsigned long result,
			    const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[2],
			    asite_k_cache_size((struct kmem_cache *)args[0]));
}

void asite_on_kmalloc_node_trace(unsigned long caller, unsigned long result,
				 const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[3],
			    asite_k_cache_size((struct kmem_cache *)args[0]));
}

/* Whole pages even for a size that a cache would serve: nobody calls it so. */
void asite_on_kmalloc_large(unsigned long caller, unsigned long result,
			    const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[0], PAGE_SIZE << get_order(args[0]));
}

void asite_on_cache_alloc(unsigned long caller, unsigned long result,
			  const unsigned long *args)
{
	asite_track_cache_alloc(caller, (void *)result, (struct kmem_cache *)args[0]);
}

/* All or nothing: a failed call has freed what it got, and returns 0. */
void asite_on_cache_alloc_bulk(unsigned long caller, unsigned long result,
			       const unsigned long *args)
{
	void **p = (void **)args[3];
	size_t i;

	if (!(int)result)
		return;
	for (i = 0; i < args[2]; i++)
		asite_track_cache_alloc(caller, p[i], (struct kmem_cache *)args[0]);
}

/* Entries of functions. */

static void on_kfree(const unsigned long *args)
{
	asite_track_free((void *)args[0]);
}

static void on_kmem_cache_free(const unsigned long *args)
{
	asite_track_free((void *)args[1]);
}

/* Read at entry: the function permutes the array. */
static void on_free_bulk(const unsigned long *args)
{
	void **p = (void **)args[2];
	size_t i;

	for (i = 0; i < args[1]; i++)
		asite_track_free(p[i]);
}

/* Called for a cache's last user only, under slab_mutex; not exported. */
static void on_cache_shutdown(const unsigned long *args)
{
	asite_track_cache_destroyed((struct kmem_cache *)args[0]);
}

static unsigned long cache_shutdown;

void asite_slab_ftrace_entry(unsigned long ip, const unsigned long *args)
{
	/* Where an ENDBR stands first, the traced address is behind it. */
	unsigned long function = ip - (ASITE_ENTRY_BYTES - 5);

	if (function == (unsigned long)kfree)
		on_kfree(args);
	else if (function == (unsigned long)kmem_cache_free)
		on_kmem_cache_free(args);
	else if (function == (unsigned long)kmem_cache_free_bulk)
		on_free_bulk(args);
	else if (function == cache_shutdown)
		on_cache_shutdown(args);
}

/* Rows: an event's tracepoint stands before its functions. */

#define KMALLOC_NOT_SEEN	"objects from kmalloc() are not seen"
#define CACHE_NOT_SEEN		"objects from kmem_cache_alloc() are not seen"

#define TRACEPOINT_ROW(name, free, sentence) {			\
	.event = #name, .symbol = "kmem:" #name,		\
	.is_free = free, .required = true, .not_seen = sentence,\
	.tp_register = register_##name,				\
	.tp_unregister = unregister_##name }

#define RESULT_ROW(name, function, trampoline, handler, sentence) {	\
	.event = #name, .symbol = #function,				\
	.address = (unsigned long)function,				\
	.required = true, .not_seen = sentence,				\
	.tramp = trampoline, .on_result = handler }

#define ENTRY_ROW(name, function, handler, need, sentence) {	\
	.event = #name, .symbol = #function,			\
	.address = (unsigned long)function, .is_free = true,	\
	.required = need, .not_seen = sentence, .on_entry = handler }

struct asite_hook asite_slab_hooks[] = {
	TRACEPOINT_ROW(kmalloc, false, KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, __kmalloc, asite_tramp_kmalloc, asite_on_kmalloc,
		   KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, __kmalloc_node, asite_tramp_kmalloc_node, asite_on_kmalloc,
		   KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, __kmalloc_node_track_caller,
		   asite_tramp_kmalloc_node_track_caller, asite_on_kmalloc_track_caller,
		   KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, kmalloc_trace, asite_tramp_kmalloc_trace,
		   asite_on_kmalloc_trace, KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, kmalloc_node_trace, asite_tramp_kmalloc_node_trace,
		   asite_on_kmalloc_node_trace, KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, kmalloc_large, asite_tramp_kmalloc_large,
		   asite_on_kmalloc_large, KMALLOC_NOT_SEEN),
	RESULT_ROW(kmalloc, kmalloc_large_node, asite_tramp_kmalloc_large_node,
		   asite_on_kmalloc_large, KMALLOC_NOT_SEEN),

	TRACEPOINT_ROW(kmem_cache_alloc, false, CACHE_NOT_SEEN),
	RESULT_ROW(kmem_cache_alloc, kmem_cache_alloc, asite_tramp_kmem_cache_alloc,
		   asite_on_cache_alloc, CACHE_NOT_SEEN),
	RESULT_ROW(kmem_cache_alloc, kmem_cache_alloc_lru, asite_tramp_kmem_cache_alloc_lru,
		   asite_on_cache_alloc, CACHE_NOT_SEEN),
	RESULT_ROW(kmem_cache_alloc, kmem_cache_alloc_node,
		   asite_tramp_kmem_cache_alloc_node, asite_on_cache_alloc, CACHE_NOT_SEEN),

	RESULT_ROW(kmem_cache_alloc_bulk, kmem_cache_alloc_bulk,
		   asite_tramp_kmem_cache_alloc_bulk, asite_on_cache_alloc_bulk,
		   "objects allocated in bulk are not seen"),

	TRACEPOINT_ROW(kfree, true, "objects given to kfree() would stay live"),
	ENTRY_ROW(kfree, kfree, on_kfree, true, "objects given to kfree() would stay live"),
	TRACEPOINT_ROW(kmem_cache_free, true,
		       "objects given to kmem_cache_free() would stay live"),
	ENTRY_ROW(kmem_cache_free, kmem_cache_free, on_kmem_cache_free, true,
		  "objects given to kmem_cache_free() would stay live"),

	ENTRY_ROW(kmem_cache_free_bulk, kmem_cache_free_bulk, on_free_bulk, true,
		  "objects freed in bulk or by kfree_rcu() would stay live"),
	/* Its address is looked up at load. */
	{ .event = "kmem_cache_destroy", .symbol = "__kmem_cache_shutdown",
	  .is_free = true, .on_entry = on_cache_shutdown,
	  .not_seen = "a cache made where a destroyed one was shares its sites" },
};

const unsigned int asite_slab_hooks_nr = ARRAY_SIZE(asite_slab_hooks);

/* Do the hooks notice? A cache of our own, which nobody else frees to. */

#define PROBE_OBJECTS	4

static struct kmem_cache *probe_cache;

/* A constructor keeps the cache from being merged with another. */
static void construct(void *object)
{
}

static bool follows(const void *object)
{
	return asite_objtab_follows(&asite_track.objs, (unsigned long)object);
}

static const char *deaf_to_kmalloc(void)
{
	void *object = kmalloc(PROBE_OBJECTS * sizeof(long), GFP_KERNEL);
	bool heard = !object || follows(object);

	kfree(object);
	return heard ? NULL : "kmalloc";
}

/* SLUB's kfree() takes an object of any cache. */
static const char *deaf_to_cache(void (*free)(void *object), const char *free_event)
{
	void *object = kmem_cache_alloc(probe_cache, GFP_KERNEL);
	bool heard;

	if (!object)
		return NULL;
	heard = follows(object);
	free(object);
	if (!heard)
		return "kmem_cache_alloc";
	return follows(object) ? free_event : NULL;
}

static void free_by_kfree(void *object)
{
	kfree(object);
}

static void free_by_cache(void *object)
{
	kmem_cache_free(probe_cache, object);
}

static unsigned int count_followed(void * const *objects)
{
	unsigned int i, n = 0;

	for (i = 0; i < PROBE_OBJECTS; i++)
		n += follows(objects[i]);
	return n;
}

static const char *deaf_to_bulk(void)
{
	void *objects[PROBE_OBJECTS], *copy[PROBE_OBJECTS];
	unsigned int followed;

	if (!kmem_cache_alloc_bulk(probe_cache, GFP_KERNEL, PROBE_OBJECTS, objects))
		return NULL;
	followed = count_followed(objects);
	memcpy(copy, objects, sizeof(copy));
	kmem_cache_free_bulk(probe_cache, PROBE_OBJECTS, objects);
	if (followed != PROBE_OBJECTS)
		return "kmem_cache_alloc_bulk";
	return count_followed(copy) ? "kmem_cache_free_bulk" : NULL;
}

/* While these move, an event that was not noticed has a name already. */
static u64 named_losses(void)
{
	return asite_stats_sum(ASITE_STAT_UNTRACKED) +
	       asite_stats_sum(ASITE_STAT_TEST_DROPPED) + asite_hooks_missed();
}

const char *asite_slab_deaf(void)
{
	u64 losses = named_losses();
	const char *deaf;

	deaf = deaf_to_kmalloc();
	deaf = deaf ?: deaf_to_cache(free_by_kfree, "kfree");
	deaf = deaf ?: deaf_to_cache(free_by_cache, "kmem_cache_free");
	deaf = deaf ?: deaf_to_bulk();
	return named_losses() == losses ? deaf : NULL;
}

static void look_up_shutdown(void)
{
	unsigned int i;

	cache_shutdown = asite_ksyms_address("__kmem_cache_shutdown");
	for (i = 0; i < ARRAY_SIZE(asite_slab_hooks); i++) {
		if (asite_slab_hooks[i].on_entry == on_cache_shutdown)
			asite_slab_hooks[i].address = cache_shutdown;
	}
}

int asite_slab_init(void)
{
	asite_sizes_init();
	look_up_shutdown();
	probe_cache = kmem_cache_create("allocsite_probe", PROBE_OBJECTS * sizeof(long), 0, 0,
					construct);
	return probe_cache ? 0 : -ENOMEM;
}

void asite_slab_exit(void)
{
	kmem_cache_destroy(probe_cache);
}
