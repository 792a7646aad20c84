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

#include <allocsite/caches.h>
#include <allocsite/hooks.h>
#include <allocsite/ksyms.h>
#include <allocsite/sizes.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/tramp.h>
#include <compat/entry.h>
#include <compat/slab.h>
#include <compat/slab_functions.h>
#include <compat/trace_kmem.h>

/* Tracepoints. */

#define TRACEPOINT(event, on_event)						\
ASITE_K_PROBE_##event(on_trace_##event, on_event)				\
static int register_##event(void)						\
{										\
	return register_trace_##event(on_trace_##event, NULL);			\
}										\
static void unregister_##event(void)						\
{										\
	unregister_trace_##event(on_trace_##event, NULL);			\
}

TRACEPOINT(kmalloc, asite_track_kmalloc)
TRACEPOINT(kmem_cache_alloc, asite_track_cache_alloc)
TRACEPOINT(kfree, asite_track_free)
ASITE_IF(TRACE_KMALLOC_NODE_EVENT, TRACEPOINT(kmalloc_node, asite_track_kmalloc))
ASITE_IF(TRACE_KMALLOC_NODE_EVENT, TRACEPOINT(kmem_cache_alloc_node, asite_track_cache_alloc))
ASITE_IF(TRACE_KMEM_CACHE_FREE_CACHE, TRACEPOINT(kmem_cache_free, asite_track_free))

/*
 * Results of functions: args are the first six arguments. Where size 0 is possible the
 * result may be ZERO_SIZE_PTR, which is no object.
 */

void asite_on_kmalloc(unsigned long caller, unsigned long result,
		      const unsigned long *args)
{
	if (args[0])
		asite_track_kmalloc(caller, (void *)result, args[0],
				    asite_sizes_allocated(args[0]));
}

/* What the function inside has reported, perhaps under another caller, is not to count twice. */
static void take_back_large(unsigned long result, size_t size)
{
	if (asite_k_large_has_inner_function() && size > KMALLOC_MAX_CACHE_SIZE)
		asite_track_take_back((void *)result, size);
}

void asite_on_kmalloc_outer(unsigned long caller, unsigned long result,
			    const unsigned long *args)
{
	take_back_large(result, args[0]);
	asite_on_kmalloc(caller, result, args);
}

void asite_on_kmalloc_track_caller(unsigned long caller, unsigned long result,
				   const unsigned long *args)
{
	take_back_large(result, args[0]);
	if (args[0])
		asite_track_kmalloc(args[2], (void *)result, args[0],
				    asite_sizes_allocated(args[0]));
}

void asite_on_kmalloc_node_track_caller(unsigned long caller, unsigned long result,
					const unsigned long *args)
{
	if (args[0])
		asite_track_kmalloc(args[ASITE_K_CALLER_ARGUMENT], (void *)result, args[0],
				    asite_sizes_allocated(args[0]));
}

void asite_on_kmalloc_trace(unsigned long caller, unsigned long result,
			    const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[2],
			    asite_caches_size((struct kmem_cache *)args[0]));
}

void asite_on_kmalloc_node_trace(unsigned long caller, unsigned long result,
				 const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[3],
			    asite_caches_size((struct kmem_cache *)args[0]));
}

/* Whole pages even for a size that a cache would serve: nobody calls it so. */
void asite_on_kmalloc_large(unsigned long caller, unsigned long result,
			    const unsigned long *args)
{
	asite_track_kmalloc(caller, (void *)result, args[0], PAGE_SIZE << get_order(args[0]));
}

/* What vmalloc gave is none of the slab family's. */
void asite_on_kvmalloc(unsigned long caller, unsigned long result,
		       const unsigned long *args)
{
	if (!is_vmalloc_addr((void *)result))
		asite_on_kmalloc(caller, result, args);
}

/* It may have taken the next larger class: the object is asked. */
void asite_on_kmalloc_nolock(unsigned long caller, unsigned long result,
			     const unsigned long *args)
{
	if (!ZERO_OR_NULL_PTR((void *)result))
		asite_track_kmalloc(caller, (void *)result, args[0], ksize((void *)result));
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

	if (!asite_k_bulk_succeeded(result))
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

/* A sheaf full of objects that kfree_rcu() was given, after their grace period. */
static void on_rcu_sheaf(const unsigned long *args)
{
	const struct asite_k_sheaf *sheaf = (void *)args[1];
	unsigned int i;

	if (unlikely((unsigned long)sheaf->cache != args[0])) {
		asite_stat_inc(ASITE_STAT_SHEAF_LOST);
		return;
	}
	for (i = 0; i < sheaf->size; i++)
		asite_track_free(sheaf->objects[i]);
}

/* Found at load: they are not exported. */
static unsigned long cache_shutdown, rcu_sheaf, __maybe_unused alloc_from_sheaf;

void asite_slab_ftrace_entry(unsigned long ip, const unsigned long *args)
{
	if (ASITE_K_IS_ENTRY(ip, kfree))
		on_kfree(args);
	else if (ASITE_K_IS_ENTRY(ip, kmem_cache_free))
		on_kmem_cache_free(args);
	else if (ASITE_K_IS_ENTRY(ip, kmem_cache_free_bulk))
		on_free_bulk(args);
	else if (ASITE_K_IS_ENTRY(ip, rcu_sheaf))
		on_rcu_sheaf(args);
	else if (ASITE_K_IS_ENTRY(ip, cache_shutdown))
		on_cache_shutdown(args);
	else if (ASITE_K_IS_ENTRY(ip, asite_k_kfree_nolock_address()))
		on_kfree(args);
}

/* Rows: an event's tracepoint stands before its functions. */

#define KFREE_NOT_SEEN		"objects given to kfree() would stay live"
#define CACHE_FREE_NOT_SEEN	"objects given to kmem_cache_free() would stay live"

#define TRACEPOINT_ROW(name, free, sentence) {			\
	.event = #name, .symbol = "kmem:" #name,		\
	.is_free = free, .required = true, .not_seen = sentence,\
	.tp_register = register_##name,				\
	.tp_unregister = unregister_##name },

#define EVENT_ROW(name)						\
	TRACEPOINT_ROW(name, false, "objects from " #name "() are not seen")

#define STRING(name)		#name
#define FUNCTION_ROW(name, function, handler, need) {			\
	.event = STRING(name), .symbol = #function,		\
	.address = (unsigned long)function, .required = need,	\
	.not_seen = "objects from " #function "() are not seen",\
	.tramp = asite_tramp_##function, .on_result = asite_on_##handler },

#define ENTRY_ROW(name, function, handler, need, sentence) {	\
	.event = #name, .symbol = #function,			\
	.address = (unsigned long)function, .is_free = true,	\
	.required = need, .not_seen = sentence, .on_entry = handler },

/* Functions that are not exported: their addresses are looked up at load. */
#define LOOKED_UP_ROW(name, function, place, handler, sentence) {	\
	.event = #name, .symbol = #function, .looked_up = &(place),	\
	.is_free = true, .not_seen = sentence, .on_entry = handler },

/* No trampoline can call it by name. */
#define LOOKED_UP_RESULT_ROW(name, function, place, handler) {		\
	.event = #name, .symbol = #function, .looked_up = &(place),	\
	.not_seen = "objects from " #function "() are not seen",	\
	.on_result = handler },

struct asite_hook asite_slab_hooks[] = {
	ASITE_K_SLAB_EVENTS(EVENT_ROW)
	ASITE_K_SLAB_FUNCTIONS(FUNCTION_ROW)
	ASITE_IF(SHEAVES,
		 LOOKED_UP_RESULT_ROW(kmem_cache_alloc, kmem_cache_alloc_from_sheaf_noprof,
				      alloc_from_sheaf, asite_on_cache_alloc))

	TRACEPOINT_ROW(kfree, true, KFREE_NOT_SEEN)
	ENTRY_ROW(kfree, kfree, on_kfree, true, KFREE_NOT_SEEN)
	/* Where the event has no cache, it comes when another may own the object. */
	ASITE_IF(TRACE_KMEM_CACHE_FREE_CACHE,
		 TRACEPOINT_ROW(kmem_cache_free, true, CACHE_FREE_NOT_SEEN))
	ENTRY_ROW(kmem_cache_free, kmem_cache_free, on_kmem_cache_free, true,
		  CACHE_FREE_NOT_SEEN)

	ENTRY_ROW(kmem_cache_free_bulk, kmem_cache_free_bulk, on_free_bulk, false,
		  "objects freed in bulk or by kfree_rcu() stay live")
	ASITE_IF(EXPORT_KFREE_NOLOCK,
		 ENTRY_ROW(kfree_nolock, kfree_nolock, on_kfree, false,
			   "objects given to kfree_nolock() stay live"))
	ASITE_IF(SHEAVES,
		 LOOKED_UP_ROW(rcu_sheaf, __rcu_free_sheaf_prepare, rcu_sheaf, on_rcu_sheaf,
			       "objects given to kfree_rcu() stay live"))
	LOOKED_UP_ROW(kmem_cache_destroy, __kmem_cache_shutdown, cache_shutdown,
		      on_cache_shutdown,
		      "a cache made where a destroyed one was shares its sites")
};

const unsigned int asite_slab_hooks_nr = ARRAY_SIZE(asite_slab_hooks);

/* Do the hooks notice? A cache of our own, which nobody else frees to. */

#define PROBE_OBJECTS	4

static bool follows(const void *object)
{
	return asite_objtab_follows(&asite_track.objs, (unsigned long)object);
}

static const char *deaf_to_kmalloc(void)
{
	void *object = kmalloc(ASITE_PROBE_BYTES, GFP_KERNEL);
	bool heard = !object || follows(object);

	kfree(object);
	return heard ? NULL : "kmalloc";
}

/* SLUB's kfree() takes an object of any cache. */
static const char *deaf_to_cache(void (*free)(void *object), const char *free_event)
{
	void *object = kmem_cache_alloc(asite_probe_cache, GFP_KERNEL);
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
	kmem_cache_free(asite_probe_cache, object);
}

/* What no row hooks cannot be heard. */
static bool is_hooked(const char *event)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asite_slab_hooks); i++) {
		if (asite_slab_hooks[i].state == ASITE_HOOK_ATTACHED &&
		    !strcmp(asite_slab_hooks[i].event, event))
			return true;
	}
	return false;
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

	if (!kmem_cache_alloc_bulk(asite_probe_cache, GFP_KERNEL, PROBE_OBJECTS, objects))
		return NULL;
	followed = count_followed(objects);
	memcpy(copy, objects, sizeof(copy));
	kmem_cache_free_bulk(asite_probe_cache, PROBE_OBJECTS, objects);
	if (followed != PROBE_OBJECTS && is_hooked("kmem_cache_alloc_bulk"))
		return "kmem_cache_alloc_bulk";
	if (count_followed(copy) && is_hooked("kmem_cache_free_bulk"))
		return "kmem_cache_free_bulk";
	return NULL;
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

static void look_up(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asite_slab_hooks); i++) {
		struct asite_hook *hook = &asite_slab_hooks[i];

		if (!hook->looked_up)
			continue;
		hook->address = asite_ksyms_address(hook->symbol);
		*hook->looked_up = hook->address;
	}
}

int asite_slab_init(void)
{
	int err = asite_caches_init();

	if (err)
		return err;
	asite_sizes_init();
	look_up();
	return 0;
}

void asite_slab_exit(void)
{
	asite_caches_exit();
}
