// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack depot: inserting, retiring, walking and set-up. Layout and invariants are in
 * depot.h, the hot path is in depot_find.h.
 *
 * This is a core: plain data structure, built in the module and in user space. It
 * does not walk stacks, know what a frame means, or count what a stack allocates.
 *
 * Contexts: asite_depot_find_slow() runs in any context; it takes no lock and allocates
 * nothing. The owner serialises the rest with a lock of its own.
 */
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <allocsite/depot.h>
#include <allocsite/depot_find.h>
#include <allocsite/mem.h>

/*
 * Places that a stack may be in: bounds the time of an event in a full index. With 32 of them
 * 7 of 1,000,000 stacks found none in an index that is half full; with 64 none is to be expected.
 */
#define PLACES		64

/* Records ready ahead of need, for each class. */
#define SPARE_RECORDS	(ASITE_DEPOT_POOL / 2)

/* What lib/stackdepot takes, from struct stack_record and depot_stack_record_size() of 6.12. */
#define LIB_HEAD	32
#define LIB_FRAMES	64
#define LIB_ALIGN	16

static_assert(ASITE_DEPOT_FRAMES % 4 == 3, "records are multiples of 16 bytes");
static_assert(sizeof(struct asite_depot_stack) % 16 == 0,
	      "a stack is compared by 16 bytes, with zeros behind its frames");
static_assert(ASITE_DEPOT_MAX_STACKS / ASITE_DEPOT_POOL <= 1U << 16,
	      "struct asite_depot_class has 16 bits for a pool's number");

/* In the order of cache lines: those of the first one's line, then those of its neighbour. */
static u32 *place_at(const struct asite_depot *d, u64 first, unsigned int i)
{
	return &d->index[(first >> 32) ^ i];
}

/* Inserting: the record first, so that it is whole when the index shows it. */

/* -1: this place has another stack, or none. */
static long handle_if(const struct asite_depot *d, u32 entry, u64 first,
		      const struct asite_depot_stack *stack, unsigned int nr)
{
	u32 handle = asite_depot_handle(d, entry, first);

	if (handle > d->handle_mask || !asite_depot_is(d, handle, stack, nr))
		return -1;
	return handle;
}

static long look_up(const struct asite_depot *d, u64 first,
		    const struct asite_depot_stack *stack, unsigned int nr)
{
	unsigned int i;
	long handle;
	u32 entry;

	for (i = 0; i < PLACES; i++) {
		/* Pairs with the cmpxchg in publish(). */
		entry = smp_load_acquire(place_at(d, first, i));
		if (entry == ASITE_DEPOT_EMPTY)
			return -1;
		handle = handle_if(d, entry, first, stack, nr);
		if (handle >= 0)
			return handle;
	}
	return -1;
}

static long take_of_class(struct asite_depot *d, struct asite_depot_class *class)
{
	/* Pairs with the release in add_pool(). */
	unsigned int ready = smp_load_acquire(&class->ready);
	int n = atomic_read(&class->next);
	long handle = -1;

	while (n < (int)ready && !atomic_try_cmpxchg(&class->next, &n, n + 1))
		;
	if (n < (int)ready)
		handle = (long)class->pools[n / ASITE_DEPOT_POOL] << ASITE_DEPOT_POOL_SHIFT |
			 n % ASITE_DEPOT_POOL;
	if (ready - n <= SPARE_RECORDS / 2 && READ_ONCE(class->wanted) && !READ_ONCE(class->closed))
		d->ops->kick(d);
	handle = asite_depot_evict_take(d, class, handle);
	return handle;
}

/* Of the class for so many frames, or a larger one; -1 when there is none, counted. */
static long take_record(struct asite_depot *d, unsigned int nr)
{
	struct asite_depot_class *class = &d->classes[d->class_of[nr]], *larger;
	long handle;

	if (!READ_ONCE(class->wanted))
		WRITE_ONCE(class->wanted, true);
	for (larger = class; larger < d->classes + d->nr_classes; larger++) {
		handle = take_of_class(d, larger);
		if (handle >= 0)
			return handle;
	}
	if (READ_ONCE(class->closed))
		this_cpu_inc(d->counts->full);
	else
		this_cpu_inc(d->counts->late);
	return -1;
}

static void fill_record(const struct asite_depot *d, u32 handle,
			const struct asite_depot_stack *stack, unsigned int nr)
{
	const struct asite_depot_pool *pool = asite_depot_pool(d, handle);
	struct asite_depot_stack *record = asite_depot_record(pool, handle);
	unsigned int i, used = (nr / 4 + 1) * 2;

	record->frames[0] = stack->frames[0];
	for (i = 1; i < used; i++)
		record->words[i] = stack->words[i];
	for (; i < pool->bytes / sizeof(u64); i++)
		record->words[i] = 0;
	/* Pairs with the acquire in in_use(). */
	smp_store_release(&record->owner, stack->owner);
}

static bool publish(const struct asite_depot *d, u32 *place, u32 was, u64 first, u32 handle)
{
	return cmpxchg(place, was, asite_depot_tag(d, first) | handle) == was;
}

/* It was never published. Without eviction it is gone. */
static void lose_record(const struct asite_depot *d, long handle)
{
	if (handle < 0)
		return;
	/* Pairs with the acquire in in_use(). */
	smp_store_release(&asite_depot_record(asite_depot_pool(d, handle), handle)->owner,
			  ASITE_DEPOT_LOST);
}

/*
 * Other CPUs, and interrupts of this one, insert meanwhile: the same stack may turn up in any
 * place that is taken away from under this insert, or in one that it had passed.
 */
static long insert(struct asite_depot *d, u64 first, const struct asite_depot_stack *stack,
		   unsigned int nr)
{
	long handle = -1, found;
	unsigned int i;
	u32 *place, entry;

	for (i = 0; i < PLACES; i++) {
		place = place_at(d, first, i);
		/* Pairs with the cmpxchg in publish(). */
		entry = smp_load_acquire(place);
		if (asite_depot_place_free(entry)) {
			if (handle < 0) {
				handle = take_record(d, nr);
				if (handle < 0)
					return -1;
				fill_record(d, handle, stack, nr);
			}
			if (publish(d, place, entry, first, handle)) {
				this_cpu_inc(d->counts->inserts);
				return handle;
			}
			/* A cmpxchg that fails orders nothing: look again, as above. */
			entry = smp_load_acquire(place);
		}
		found = handle_if(d, entry, first, stack, nr);
		if (found >= 0) {
			if (handle >= 0)
				this_cpu_inc(d->counts->races);
			lose_record(d, handle);
			return found;
		}
	}
	lose_record(d, handle);
	this_cpu_inc(d->counts->far);
	return -1;
}

long asite_depot_find_slow(struct asite_depot *d, const struct asite_depot_stack *stack,
			   unsigned int nr, u64 hash)
{
	u64 first = asite_depot_first(d, hash);
	long handle;

	if (nr > d->classes[d->nr_classes - 1].frames) {
		this_cpu_inc(d->counts->deep);
		return -1;
	}
	handle = look_up(d, first, stack, nr);
	return handle >= 0 ? handle : insert(d, first, stack, nr);
}

/* Walking and retiring. */

static bool in_use(const struct asite_depot *d, u32 handle)
{
	/* Pairs with the release in fill_record() and lose_record(). */
	u32 owner = smp_load_acquire(&asite_depot_stack(d, handle)->owner);

	return owner != ASITE_DEPOT_NOBODY && owner != ASITE_DEPOT_LOST;
}

long asite_depot_next(const struct asite_depot *d, long handle)
{
	long end = (long)asite_depot_pools(d) << ASITE_DEPOT_POOL_SHIFT;

	while (++handle < end) {
		if (in_use(d, handle))
			return handle;
	}
	return -1;
}

const u32 *asite_depot_frames(const struct asite_depot *d, u32 handle, unsigned int *nr)
{
	const struct asite_depot_stack *stack = asite_depot_stack(d, handle);
	unsigned int end = asite_depot_class(d, handle);

	for (*nr = 0; *nr < end && stack->frames[*nr]; ++*nr)
		;
	return stack->frames;
}

static u64 hash_of(const struct asite_depot *d, u32 handle)
{
	u64 hash = ASITE_DEPOT_HASH;
	const u32 *frames;
	unsigned int i, nr;

	frames = asite_depot_frames(d, handle, &nr);
	for (i = 0; i < nr; i++)
		hash = asite_depot_hash(hash, frames[i]);
	return asite_depot_hash_end(hash, READ_ONCE(asite_depot_stack(d, handle)->owner));
}

/* NULL: the index does not have it. */
static u32 *place_of_handle(const struct asite_depot *d, u32 handle)
{
	u64 first = asite_depot_first(d, hash_of(d, handle));
	u32 *place, entry;
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		place = place_at(d, first, i);
		entry = READ_ONCE(*place);
		if (entry == ASITE_DEPOT_EMPTY)
			return NULL;
		if (asite_depot_handle(d, entry, first) == handle)
			return place;
	}
	return NULL;
}

bool asite_depot_indexed(const struct asite_depot *d, u32 handle)
{
	return place_of_handle(d, handle);
}

bool asite_depot_unlink(struct asite_depot *d, u32 handle)
{
	u32 *place = place_of_handle(d, handle);

	/* Under the owner's lock: nobody else takes a live place. */
	if (place)
		WRITE_ONCE(*place, ASITE_DEPOT_DEAD);
	return place;
}

unsigned int asite_depot_retire(struct asite_depot *d,
				bool (*match)(const struct asite_depot *d, u32 handle,
					      void *data),
				void *data)
{
	unsigned int retired = 0;
	long handle = -1;

	while ((handle = asite_depot_next(d, handle)) >= 0) {
		if (handle % 64 == 0)
			cond_resched();
		if (match(d, handle, data) && asite_depot_unlink(d, handle))
			retired++;
	}
	return retired;
}

/* Statistics. */

static u64 places(const struct asite_depot *d)
{
	return 1ULL << (32 - d->shift);
}

static size_t pool_bytes(const struct asite_depot_class *class)
{
	return ASITE_DEPOT_POOL * sizeof(u32) * (1 + class->frames);
}

static void sum_counts(const struct asite_depot *d, struct asite_depot_stats *stats)
{
	const struct asite_depot_counts *c;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(d->counts, cpu);
		stats->inserts += READ_ONCE(c->inserts);
		stats->races += READ_ONCE(c->races);
		stats->full += READ_ONCE(c->full);
		stats->late += READ_ONCE(c->late);
		stats->far += READ_ONCE(c->far);
		stats->deep += READ_ONCE(c->deep);
	}
}

/* The library's record has the leaf frame, too, that the owner stands for here. */
static void sum_records(const struct asite_depot *d, struct asite_depot_stats *stats)
{
	long handle = -1;
	unsigned int nr;

	while ((handle = asite_depot_next(d, handle)) >= 0) {
		if (handle % 64 == 0)
			cond_resched();
		asite_depot_frames(d, handle, &nr);
		stats->records++;
		stats->used_bytes += sizeof(u32) * (1 + nr);
		stats->rounding_bytes += sizeof(u32) * (asite_depot_class(d, handle) - nr);
		stats->fixed_bytes += LIB_HEAD + LIB_FRAMES * sizeof(u64);
		stats->exact_bytes += DIV_ROUND_UP(LIB_HEAD + (nr + 1) * sizeof(u64), LIB_ALIGN) *
				      LIB_ALIGN;
	}
}

void asite_depot_stats(const struct asite_depot *d, struct asite_depot_stats *stats)
{
	unsigned int i;
	u64 place;

	memset(stats, 0, sizeof(*stats));
	sum_counts(d, stats);
	sum_records(d, stats);
	for (i = 0; i < d->nr_classes; i++)
		stats->pool_bytes += d->classes[i].ready / ASITE_DEPOT_POOL *
				     pool_bytes(&d->classes[i]);
	for (place = 0; place < places(d); place++) {
		if (place % 65536 == 0)
			cond_resched();
		stats->dead += READ_ONCE(d->index[place]) == ASITE_DEPOT_DEAD;
	}
	stats->index_bytes = places(d) * sizeof(*d->index);
	stats->bytes = d->bytes;
	stats->refused = d->refused;
}

/* Set-up. */

static bool room_for(const struct asite_depot *d, u64 bytes)
{
	return d->nr_pools < d->max_pools && d->bytes + bytes <= d->max_bytes;
}

static void *records_of(const struct asite_depot *d, unsigned int nr)
{
	return asite_depot_record(&d->pools[nr], nr * ASITE_DEPOT_POOL);
}

static size_t records_bytes(const struct asite_depot *d, unsigned int nr)
{
	return ASITE_DEPOT_POOL * d->pools[nr].bytes;
}

/* Before any record of the pool is handed out. */
static void set_pool(struct asite_depot *d, struct asite_depot_class *class, void *records)
{
	struct asite_depot_pool *pool = &d->pools[d->nr_pools];

	pool->bytes = pool_bytes(class) / ASITE_DEPOT_POOL;
	pool->frames = class->frames;
	pool->origin = (unsigned long)records - d->nr_pools * pool_bytes(class);
	d->bytes += pool_bytes(class);
	class->pools[class->ready / ASITE_DEPOT_POOL] = d->nr_pools;
	/* Pairs with the acquire in asite_depot_pools(). */
	smp_store_release(&d->nr_pools, d->nr_pools + 1);
	/* Pairs with the acquire in take_of_class(). */
	smp_store_release(&class->ready, class->ready + ASITE_DEPOT_POOL);
}

static int add_pool(struct asite_depot *d, struct asite_depot_class *class)
{
	void *records = asite_mem_alloc(pool_bytes(class));
	int err;

	err = records ? d->ops->add_pool(d, d->nr_pools) : -ENOMEM;
	if (err) {
		asite_mem_free(records, pool_bytes(class));
		d->refused++;
		return err;
	}
	set_pool(d, class, records);
	return 0;
}

static bool is_low(const struct asite_depot_class *class)
{
	return class->ready - atomic_read(&class->next) <= SPARE_RECORDS &&
	       READ_ONCE(class->wanted);
}

int asite_depot_grow(struct asite_depot *d)
{
	struct asite_depot_class *class;
	int err = 0;

	for (class = d->classes; !err && class < d->classes + d->nr_classes; class++) {
		if (class->closed || !is_low(class))
			continue;
		if (room_for(d, pool_bytes(class)))
			err = add_pool(d, class);
		else
			WRITE_ONCE(class->closed, true);
	}
	return err;
}

/* The same as all the others together, or a stack could find all larger classes closed. */
static int add_first_pools(struct asite_depot *d)
{
	struct asite_depot_class *last = &d->classes[d->nr_classes - 1], *class;
	u64 bytes = 0;
	int err;

	if (!room_for(d, pool_bytes(last)))
		return -ENOSPC;
	err = add_pool(d, last);
	for (class = d->classes; class <= last; class++)
		bytes += pool_bytes(class);
	if (err || bytes > d->max_bytes / 8 || d->nr_classes > d->max_pools / 8)
		return err;
	for (class = d->classes; class < last; class++)
		class->wanted = true;
	return asite_depot_grow(d);
}

static bool config_valid(const struct asite_depot_config *config)
{
	unsigned int i;

	if (!config->nr_classes || config->nr_classes > ASITE_DEPOT_CLASSES ||
	    !config->max_stacks || config->max_stacks > ASITE_DEPOT_MAX_STACKS)
		return false;
	for (i = 0; i < config->nr_classes; i++) {
		if (config->classes[i] % 4 != 3 || config->classes[i] > ASITE_DEPOT_FRAMES ||
		    (i && config->classes[i] <= config->classes[i - 1]))
			return false;
	}
	return true;
}

static size_t class_pools_bytes(const struct asite_depot *d)
{
	return d->nr_classes * d->max_pools * sizeof(u16);
}

static size_t pool_table_bytes(const struct asite_depot *d)
{
	return d->max_pools * sizeof(*d->pools);
}

static void set_config(struct asite_depot *d, const struct asite_depot_config *config)
{
	unsigned int i, class = 0;

	d->ops = config->ops;
	d->data = config->data;
	d->max_bytes = config->max_bytes;
	d->nr_classes = config->nr_classes;
	d->max_pools = DIV_ROUND_UP(config->max_stacks, ASITE_DEPOT_POOL);
	d->handle_mask = roundup_pow_of_two(asite_depot_max(d)) - 1;
	d->tag_mask = ~d->handle_mask;
	d->shift = 32 - ilog2(2UL * (d->handle_mask + 1));
	for (i = 0; i < config->nr_classes; i++)
		d->classes[i].frames = config->classes[i];
	for (i = 0; i <= ASITE_DEPOT_FRAMES; i++) {
		if (i > d->classes[class].frames && class < d->nr_classes - 1)
			class++;
		d->class_of[i] = class;
	}
	d->bytes = places(d) * sizeof(*d->index) + pool_table_bytes(d) + class_pools_bytes(d) +
		   num_possible_cpus() * sizeof(*d->counts);
}

static int make_tables(struct asite_depot *d)
{
	unsigned int i;
	u16 *pools;

	d->index = asite_mem_alloc(places(d) * sizeof(*d->index));
	d->pools = asite_mem_alloc(pool_table_bytes(d));
	d->counts = asite_mem_alloc_percpu(sizeof(*d->counts));
	pools = asite_mem_alloc(class_pools_bytes(d));
	for (i = 0; i < d->nr_classes && pools; i++)
		d->classes[i].pools = pools + i * d->max_pools;
	return d->index && d->pools && d->counts && pools ? 0 : -ENOMEM;
}

int asite_depot_init(struct asite_depot *d, const struct asite_depot_config *config)
{
	int err;

	if (!config_valid(config))
		return -EINVAL;
	set_config(d, config);
	err = d->bytes <= d->max_bytes ? 0 : -ENOSPC;
	err = err ?: make_tables(d);
	err = err ?: asite_depot_evict_init(d);
	err = err ?: add_first_pools(d);
	if (err)
		asite_depot_destroy(d);
	return err;
}

void asite_depot_destroy(struct asite_depot *d)
{
	unsigned int i;

	asite_depot_evict_destroy(d);
	for (i = 0; i < d->nr_pools; i++)
		asite_mem_free(records_of(d, i), records_bytes(d, i));
	asite_mem_free(d->classes[0].pools, class_pools_bytes(d));
	asite_mem_free_percpu(d->counts, sizeof(*d->counts));
	asite_mem_free(d->pools, pool_table_bytes(d));
	asite_mem_free(d->index, places(d) * sizeof(*d->index));
	memset(d, 0, sizeof(*d));
}

void asite_depot_reset(struct asite_depot *d)
{
	unsigned int i;
	int cpu;

	memset(d->index, 0, places(d) * sizeof(*d->index));
	for (i = 0; i < d->nr_pools; i++) {
		cond_resched();
		memset(records_of(d, i), 0, records_bytes(d, i));
	}
	for (i = 0; i < d->nr_classes; i++)
		atomic_set(&d->classes[i].next, 0);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(d->counts, cpu), 0, sizeof(*d->counts));
	d->refused = 0;
	asite_depot_evict_reset(d);
}
