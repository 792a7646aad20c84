// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slab family: rows of the hook table and the handlers that decode them
 * (slab_handlers.h). No counters and no locks here: handlers call track.h or, in
 * sampled mode, sample.h. How rows are attached is hooks.c's and the backends' affair.
 *
 * What each kernel's events miss, with source lines, is in module/README.md:
 * bulk allocation and bulk free have no tracepoint anywhere, and kfree_rcu()
 * batches are freed in bulk.
 *
 * Contexts: handlers run in any context, NMI included, under any lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <allocsite/caches.h>
#include <allocsite/families.h>
#include <allocsite/hooks.h>
#include <allocsite/sample.h>
#include <allocsite/sizes.h>
#include <allocsite/stats.h>
#include <allocsite/track.h>
#include <allocsite/tramp.h>
#include <compat/entry.h>
#include <compat/slab.h>
#include <compat/slab_functions.h>
#include <compat/trace_kmem.h>

/* Found at load: they are not exported. */
static unsigned long cache_shutdown, rcu_sheaf, __maybe_unused alloc_from_sheaf;

/* A large object which two functions report: the outer one, which knows the caller, counts. */

static __always_inline bool was_reported(size_t requested)
{
	return asite_k_large_has_inner_function() && requested > KMALLOC_MAX_CACHE_SIZE;
}

static __always_inline void track_outer(unsigned long caller, const void *ptr, size_t requested,
					size_t allocated)
{
	if (was_reported(requested))
		asite_track_take_back(ptr, requested);
	asite_track_kmalloc(caller, ptr, requested, allocated);
}

static __always_inline void sample_outer(unsigned long caller, const void *ptr, size_t requested,
					 size_t allocated)
{
	if (was_reported(requested))
		asite_sample_again(caller, ptr, requested, allocated);
	else
		asite_sample_kmalloc(caller, ptr, requested, allocated);
}

/* The handlers twice: exact, and sampled. */

#define ASITE_HANDLER(name)				name
#define ASITE_RESULT_HANDLER(name)			asite_on_##name
#define ASITE_FTRACE_HANDLER				asite_slab_ftrace_entry
#define ASITE_KMALLOC					asite_track_kmalloc
#define ASITE_KMALLOC_OUTER				track_outer
#define ASITE_CACHE_ALLOC(caller, object, s, bytes)	asite_track_cache_alloc(caller, object, s)
#define ASITE_FREE					asite_track_free
#include <allocsite/slab_handlers.h>

#define ASITE_HANDLER(name)				sampled_##name
#define ASITE_RESULT_HANDLER(name)			asite_sampled_on_##name
#define ASITE_FTRACE_HANDLER				asite_slab_sampled_ftrace_entry
#define ASITE_KMALLOC					asite_sample_kmalloc
#define ASITE_KMALLOC_OUTER				sample_outer
#define ASITE_CACHE_ALLOC				asite_sample_cache_alloc
#define ASITE_FREE					asite_sample_free
#include <allocsite/slab_handlers.h>

/* Rows: an event's tracepoint stands before its functions. */

#define KFREE_NOT_SEEN		"objects given to kfree() would stay live"
#define CACHE_FREE_NOT_SEEN	"objects given to kmem_cache_free() would stay live"

#define TRACEPOINT_ROW(name, free, sentence) {			\
	.event = #name, .symbol = "kmem:" #name,		\
	.is_free = free, .required = true, .not_seen = sentence,\
	.tp_register = register_##name,				\
	.tp_unregister = unregister_##name,			\
	.sampled = {						\
		.tp_register = sampled_register_##name,		\
		.tp_unregister = sampled_unregister_##name } },

#define EVENT_ROW(name)						\
	TRACEPOINT_ROW(name, false, "objects from " #name "() are not seen")

#define STRING(name)		#name
#define FUNCTION_ROW(name, function, handler, need) {			\
	.event = STRING(name), .symbol = #function,		\
	.address = (unsigned long)function, .required = need,	\
	.not_seen = "objects from " #function "() are not seen",\
	.tramp = asite_tramp_##function, .on_result = asite_on_##handler, \
	.sampled = {						\
		.tramp = asite_sampled_tramp_##function,	\
		.on_result = asite_sampled_on_##handler } },

#define ENTRY_ROW(name, function, handler, need, sentence) {	\
	.event = #name, .symbol = #function,			\
	.address = (unsigned long)function, .is_free = true,	\
	.required = need, .not_seen = sentence, .on_entry = handler, \
	.sampled = { .on_entry = sampled_##handler } },

/* Functions that are not exported: their addresses are looked up at load. */
#define LOOKED_UP_ROW(name, function, place, handler, sentence) {	\
	.event = #name, .symbol = #function, .looked_up = &(place),	\
	.is_free = true, .not_seen = sentence, .on_entry = handler,	\
	.sampled = { .on_entry = sampled_##handler } },

/* No trampoline can call it by name. */
#define LOOKED_UP_RESULT_ROW(name, function, place, handler) {		\
	.event = #name, .symbol = #function, .looked_up = &(place),	\
	.not_seen = "objects from " #function "() are not seen",	\
	.on_result = asite_on_##handler,				\
	.sampled = { .on_result = asite_sampled_on_##handler } },

static struct asite_hook slab_hooks[] = {
	ASITE_K_SLAB_EVENTS(EVENT_ROW)
	ASITE_K_SLAB_FUNCTIONS(FUNCTION_ROW)
	ASITE_IF(SHEAVES,
		 LOOKED_UP_RESULT_ROW(kmem_cache_alloc, kmem_cache_alloc_from_sheaf_noprof,
				      alloc_from_sheaf, cache_alloc))

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

/* Do the hooks notice? A cache of our own, which nobody else frees to. */

#define PROBE_OBJECTS	4
/* A sample is made to hold what this CPU allocates: this task may move to another. */
#define SAMPLED_TRIES	20

static bool follows(const void *object)
{
	return asite_objtab_follows(&asite_track.objs, (unsigned long)object);
}

static const char *deaf_to_kmalloc(void)
{
	void *object = kmalloc(ASITE_PROBE_BYTES, ASITE_GFP_LOOK);
	bool heard = !object || follows(object);

	kfree(object);
	return heard ? NULL : "kmalloc";
}

/* SLUB's kfree() takes an object of any cache. */
static const char *deaf_to_cache(void (*free)(void *object), const char *free_event)
{
	void *object = kmem_cache_alloc(asite_probe_cache, ASITE_GFP_LOOK);
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
	return asite_families_hooked(&asite_slab_family, event);
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

	if (!kmem_cache_alloc_bulk(asite_probe_cache, ASITE_GFP_LOOK, PROBE_OBJECTS, objects))
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

static const char *deaf_to_any(void)
{
	const char *deaf;

	asite_sample_force();
	deaf = deaf_to_kmalloc();
	deaf = deaf ?: deaf_to_cache(free_by_kfree, "kfree");
	deaf = deaf ?: deaf_to_cache(free_by_cache, "kmem_cache_free");
	deaf = deaf ?: deaf_to_bulk();
	asite_sample_unforce();
	return deaf;
}

static const char *deaf(void)
{
	unsigned int tries = asite_sample_bytes ? SAMPLED_TRIES : 1;
	u64 losses = named_losses();
	const char *event;

	do
		event = deaf_to_any();
	while (event && --tries);
	return named_losses() == losses ? event : NULL;
}

static void use_sampled(void)
{
	struct asite_hook *hook;

	for (hook = slab_hooks; hook < slab_hooks + ARRAY_SIZE(slab_hooks); hook++) {
		hook->tp_register = hook->sampled.tp_register;
		hook->tp_unregister = hook->sampled.tp_unregister;
		hook->tramp = hook->sampled.tramp;
		hook->on_entry = hook->sampled.on_entry;
		hook->on_result = hook->sampled.on_result;
	}
}

/*
 * Large objects that are reported twice: the first report comes from inside a function that
 * will report the same object itself, under the true caller.
 */

#define REPORTERS_MAX	16

static struct {
	unsigned long start;
	unsigned long bytes;
} reporters[REPORTERS_MAX];
static unsigned int reporters_nr;

bool asite_slab_is_first_report(unsigned long caller, size_t allocated)
{
	unsigned int i;

	if (allocated <= KMALLOC_MAX_CACHE_SIZE)
		return false;
	for (i = 0; i < reporters_nr; i++) {
		if (caller - reporters[i].start < reporters[i].bytes)
			return true;
	}
	return false;
}

/* A function's length; 0 if that is not known: its symbol reads "name+0x0/0x1a0". */
static unsigned long function_bytes(unsigned long address)
{
	static char text[KSYM_SYMBOL_LEN];	/* too large for a stack; at load only */
	unsigned long bytes;
	char *slash;

	sprint_symbol(text, address);
	slash = strchr(text, '/');
	if (!slash)
		return 0;
	slash[1 + strcspn(slash + 1, " ")] = '\0';
	return kstrtoul(slash + 1, 0, &bytes) ? 0 : bytes;
}

static int add_reporter(const struct asite_hook *hook)
{
	unsigned long bytes = function_bytes(hook->address);

	if (!bytes || reporters_nr == REPORTERS_MAX) {
		pr_err("the extent of %s is not known, large objects would be counted twice\n",
		       hook->symbol);
		return -EOPNOTSUPP;
	}
	reporters[reporters_nr].start = hook->address;
	reporters[reporters_nr++].bytes = bytes;
	return 0;
}

static int reports_init(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && asite_k_large_reports_twice() && i < ARRAY_SIZE(slab_hooks); i++) {
		const struct asite_hook *hook = &slab_hooks[i];

		if (hook->on_result && hook->address && strstarts(hook->event, "kmalloc"))
			err = add_reporter(hook);
	}
	return err;
}

static int init(void)
{
	int err = asite_caches_init();

	if (err)
		return err;
	asite_sizes_init();
	err = reports_init();
	if (err)
		asite_caches_exit();
	else if (asite_sample_bytes)
		use_sampled();
	return err;
}

struct asite_family asite_slab_family = {
	.name	= "slab",
	.hooks	= slab_hooks,
	.nr	= ARRAY_SIZE(slab_hooks),
	.init	= init,
	.exit	= asite_caches_exit,
	.deaf	= deaf,
};
