/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slab family's handlers: what decodes an event of a tracepoint, a function's result or its
 * arguments. A template, which hook_slab.c includes once for exact accounting and once for
 * sampling: so both decode alike, and neither asks which of them it is. No include guard, and
 * nobody else includes it.
 *
 * What is to be defined before, and is undefined at the end:
 *	ASITE_HANDLER(name)		name of a static handler
 *	ASITE_RESULT_HANDLER(name)	name of the handler of a result, which tramp.S calls
 *	ASITE_FTRACE_HANDLER		name of the handler of all entry-only rows
 *	ASITE_KMALLOC(caller, object, requested, allocated)
 *	ASITE_KMALLOC_OUTER(caller, object, requested, allocated)	of a function that another
 *			hooked one may have reported a large object before
 *	ASITE_CACHE_ALLOC(caller, object, cache, bytes)		bytes an object of it takes
 *	ASITE_FREE(object)
 *
 * Contexts: handlers run in any context, NMI included, under any lock.
 */

/* Tracepoints. */

#define TRACEPOINT(event, on_event)						\
ASITE_K_PROBE_##event(ASITE_HANDLER(on_trace_##event), on_event)		\
static int ASITE_HANDLER(register_##event)(void)				\
{										\
	return register_trace_##event(ASITE_HANDLER(on_trace_##event), NULL);	\
}										\
static void ASITE_HANDLER(unregister_##event)(void)				\
{										\
	unregister_trace_##event(ASITE_HANDLER(on_trace_##event), NULL);	\
}

TRACEPOINT(kmalloc, ASITE_KMALLOC)
TRACEPOINT(kmem_cache_alloc, ASITE_CACHE_ALLOC)
TRACEPOINT(kfree, ASITE_FREE)
ASITE_IF(TRACE_KMALLOC_NODE_EVENT, TRACEPOINT(kmalloc_node, ASITE_KMALLOC))
ASITE_IF(TRACE_KMALLOC_NODE_EVENT, TRACEPOINT(kmem_cache_alloc_node, ASITE_CACHE_ALLOC))
ASITE_IF(TRACE_KMEM_CACHE_FREE_CACHE, TRACEPOINT(kmem_cache_free, ASITE_FREE))

#undef TRACEPOINT

/*
 * Results of functions: args are the first six arguments. Where size 0 is possible the
 * result may be ZERO_SIZE_PTR, which is no object.
 */

void ASITE_RESULT_HANDLER(kmalloc)(unsigned long caller, unsigned long result,
				   const unsigned long *args, unsigned long at)
{
	if (args[0])
		ASITE_KMALLOC(caller, (void *)result, args[0],
			      asite_sizes_allocated(args[0]));
}

void ASITE_RESULT_HANDLER(kmalloc_outer)(unsigned long caller, unsigned long result,
					 const unsigned long *args, unsigned long at)
{
	if (args[0])
		ASITE_KMALLOC_OUTER(caller, (void *)result, args[0],
				    asite_sizes_allocated(args[0]));
}

void ASITE_RESULT_HANDLER(kmalloc_track_caller)(unsigned long caller, unsigned long result,
						const unsigned long *args, unsigned long at)
{
	if (args[0])
		ASITE_KMALLOC_OUTER(args[2], (void *)result, args[0],
				    asite_sizes_allocated(args[0]));
}

void ASITE_RESULT_HANDLER(kmalloc_node_track_caller)(unsigned long caller,
						     unsigned long result,
						     const unsigned long *args, unsigned long at)
{
	if (args[0])
		ASITE_KMALLOC(args[ASITE_K_CALLER_ARGUMENT], (void *)result, args[0],
			      asite_sizes_allocated(args[0]));
}

void ASITE_RESULT_HANDLER(kmalloc_trace)(unsigned long caller, unsigned long result,
					 const unsigned long *args, unsigned long at)
{
	ASITE_KMALLOC(caller, (void *)result, args[2],
		      asite_caches_size((struct kmem_cache *)args[0]));
}

void ASITE_RESULT_HANDLER(kmalloc_node_trace)(unsigned long caller, unsigned long result,
					      const unsigned long *args, unsigned long at)
{
	ASITE_KMALLOC(caller, (void *)result, args[3],
		      asite_caches_size((struct kmem_cache *)args[0]));
}

/* Whole pages even for a size that a cache would serve: nobody calls it so. */
void ASITE_RESULT_HANDLER(kmalloc_large)(unsigned long caller, unsigned long result,
					 const unsigned long *args, unsigned long at)
{
	ASITE_KMALLOC(caller, (void *)result, args[0], PAGE_SIZE << get_order(args[0]));
}

/* What vmalloc gave is none of the slab family's. */
void ASITE_RESULT_HANDLER(kvmalloc)(unsigned long caller, unsigned long result,
				    const unsigned long *args, unsigned long at)
{
	if (!is_vmalloc_addr((void *)result))
		ASITE_RESULT_HANDLER(kmalloc)(caller, result, args, at);
}

/* It may have taken the next larger class: the object is asked. */
void ASITE_RESULT_HANDLER(kmalloc_nolock)(unsigned long caller, unsigned long result,
					  const unsigned long *args, unsigned long at)
{
	if (!ZERO_OR_NULL_PTR((void *)result))
		ASITE_KMALLOC(caller, (void *)result, args[0], ksize((void *)result));
}

void ASITE_RESULT_HANDLER(cache_alloc)(unsigned long caller, unsigned long result,
				       const unsigned long *args, unsigned long at)
{
	ASITE_CACHE_ALLOC(caller, (void *)result, (struct kmem_cache *)args[0],
			  asite_caches_size((struct kmem_cache *)args[0]));
}

/* All or nothing: a failed call has freed what it got, and returns 0. */
void ASITE_RESULT_HANDLER(cache_alloc_bulk)(unsigned long caller, unsigned long result,
					    const unsigned long *args, unsigned long at)
{
	void **p = (void **)args[3];
	size_t i;

	if (!asite_k_bulk_succeeded(result))
		return;
	for (i = 0; i < args[2]; i++)
		ASITE_CACHE_ALLOC(caller, p[i], (struct kmem_cache *)args[0],
				  asite_caches_size((struct kmem_cache *)args[0]));
}

/* Entries of functions. */

static void ASITE_HANDLER(on_kfree)(const unsigned long *args)
{
	ASITE_FREE((void *)args[0]);
}

static void ASITE_HANDLER(on_kmem_cache_free)(const unsigned long *args)
{
	ASITE_FREE((void *)args[1]);
}

/* Read at entry: the function permutes the array. */
static void ASITE_HANDLER(on_free_bulk)(const unsigned long *args)
{
	void **p = (void **)args[2];
	size_t i;

	for (i = 0; i < args[1]; i++)
		ASITE_FREE(p[i]);
}

/* Called for a cache's last user only, under slab_mutex; not exported. */
static void ASITE_HANDLER(on_cache_shutdown)(const unsigned long *args)
{
	asite_track_cache_destroyed((struct kmem_cache *)args[0]);
}

/* A sheaf full of objects that kfree_rcu() was given, after their grace period. */
static void ASITE_HANDLER(on_rcu_sheaf)(const unsigned long *args)
{
	const struct asite_k_sheaf *sheaf = (void *)args[1];
	unsigned int i;

	if (unlikely((unsigned long)sheaf->cache != args[0])) {
		asite_stat_inc(ASITE_STAT_SHEAF_LOST);
		return;
	}
	for (i = 0; i < sheaf->size; i++)
		ASITE_FREE(sheaf->objects[i]);
}

bool ASITE_FTRACE_HANDLER(unsigned long ip, const unsigned long *args)
{
	if (ASITE_K_IS_ENTRY(ip, kfree))
		ASITE_HANDLER(on_kfree)(args);
	else if (ASITE_K_IS_ENTRY(ip, kmem_cache_free))
		ASITE_HANDLER(on_kmem_cache_free)(args);
	else if (ASITE_K_IS_ENTRY(ip, kmem_cache_free_bulk))
		ASITE_HANDLER(on_free_bulk)(args);
	else if (ASITE_K_IS_ENTRY(ip, rcu_sheaf))
		ASITE_HANDLER(on_rcu_sheaf)(args);
	else if (ASITE_K_IS_ENTRY(ip, cache_shutdown))
		ASITE_HANDLER(on_cache_shutdown)(args);
	else if (ASITE_K_IS_ENTRY(ip, asite_k_kfree_nolock_address()))
		ASITE_HANDLER(on_kfree)(args);
	else
		return false;
	return true;
}

#undef ASITE_HANDLER
#undef ASITE_RESULT_HANDLER
#undef ASITE_FTRACE_HANDLER
#undef ASITE_KMALLOC
#undef ASITE_KMALLOC_OUTER
#undef ASITE_CACHE_ALLOC
#undef ASITE_FREE
