// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack depot, eviction; built with "make EVICT=1" only. How it is done and what a caller
 * owes is in depot_evict.h.
 *
 * This is a core, as depot.c. It does not know what makes a record idle, and waits for
 * nobody: the owner does, between begin and end.
 *
 * Contexts: asite_depot_evict_take() runs in any context; the rest under the owner's lock.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include <allocsite/depot.h>
#include <allocsite/mem.h>

/* When so few are left of what was given back, it is time for more. */
#define RING_LOW	(ASITE_DEPOT_RING / 8)

static unsigned long ring_count(const struct asite_depot_evict_ring *ring)
{
	return READ_ONCE(ring->tail) - atomic_long_read(&ring->head);
}

static long pop_handle(struct asite_depot_evict_ring *ring)
{
	long head = atomic_long_read(&ring->head);
	u32 handle;

	do {
		/* Pairs with the release in push_handle(). */
		if (head == (long)smp_load_acquire(&ring->tail))
			return -1;
		/* May be overwritten meanwhile, but then the head has moved. */
		handle = READ_ONCE(ring->handles[head % ASITE_DEPOT_RING]);
	} while (!atomic_long_try_cmpxchg(&ring->head, &head, head + 1));
	return handle;
}

/* There is room: only this side fills it. */
static void push_handle(struct asite_depot_evict_ring *ring, u32 handle)
{
	WRITE_ONCE(ring->handles[ring->tail % ASITE_DEPOT_RING], handle);
	/* Pairs with the acquire in pop_handle(). */
	smp_store_release(&ring->tail, ring->tail + 1);
}

/*
 * Few left of those that it has, and no pool will come: none is made for a class that is not
 * wanted, which serves smaller ones.
 */
static bool class_wants(const struct asite_depot_class *class)
{
	unsigned int ready = READ_ONCE(class->ready);

	return ready && (READ_ONCE(class->closed) || !READ_ONCE(class->wanted)) &&
	       ready - atomic_read(&class->next) <= RING_LOW &&
	       ring_count(&class->ring) <= RING_LOW;
}

/* What was @handle, or if that is -1, a record that was given back. */
long asite_depot_evict_take(struct asite_depot *d, struct asite_depot_class *class, long handle)
{
	if (handle < 0)
		handle = pop_handle(&class->ring);
	if (class_wants(class) && !READ_ONCE(d->evict.rests))
		d->ops->kick(d);
	return handle;
}

bool asite_depot_evict_wanted(const struct asite_depot *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_classes; i++) {
		if (class_wants(&d->classes[i]))
			return true;
	}
	return false;
}

bool asite_depot_evict_wants(const struct asite_depot *d, u32 handle)
{
	return class_wants(&d->classes[d->class_of[asite_depot_class(d, handle)]]);
}

static struct asite_depot_evict_ring *ring_of(struct asite_depot *d, u32 handle)
{
	return &d->classes[d->class_of[asite_depot_class(d, handle)]].ring;
}

static u32 *owner_of_record(struct asite_depot *d, u32 handle)
{
	return &asite_depot_record(asite_depot_pool(d, handle), handle)->owner;
}

/*
 * A record whose insert is underway may be taken, as it is idle and not in the index: it is
 * in the index, or lost, when the handlers have ended.
 */
static bool is_victim(struct asite_depot *d, u32 handle,
		      bool (*idle)(const struct asite_depot *d, u32 handle, void *data),
		      void *data)
{
	/* Pairs with the release in fill_record() and lose_record(). */
	u32 owner = smp_load_acquire(owner_of_record(d, handle));

	if (owner == ASITE_DEPOT_NOBODY)
		return false;
	return owner == ASITE_DEPOT_LOST || idle(d, handle, data);
}

/* Room in the ring of its class, those chosen before counted: none of them may be left over. */
static bool ring_has_room(struct asite_depot *d, u32 handle)
{
	return ring_count(ring_of(d, handle)) + d->evict.nr_victims < ASITE_DEPOT_RING;
}

unsigned int asite_depot_evict_begin(struct asite_depot *d, unsigned int want,
				     bool (*idle)(const struct asite_depot *d, u32 handle,
						  void *data),
				     void *data)
{
	u32 end = d->nr_pools * ASITE_DEPOT_POOL, left, handle;

	want = min(want, ASITE_DEPOT_RING);
	for (left = end; left && d->evict.nr_victims < want; left--) {
		handle = d->evict.hand++ % end;
		if (handle % 64 == 0)
			cond_resched();
		if (!ring_has_room(d, handle) || !is_victim(d, handle, idle, data))
			continue;
		asite_depot_unlink(d, handle);
		d->evict.victims[d->evict.nr_victims++] = handle;
	}
	d->evict.hand %= end;
	return d->evict.nr_victims;
}

/* False: it stays as it is. */
static bool give_back(struct asite_depot *d, u32 handle,
		      bool (*idle)(const struct asite_depot *d, u32 handle, void *data),
		      void (*release)(const struct asite_depot *d, u32 handle, void *data),
		      void *data)
{
	u32 *owner = owner_of_record(d, handle);
	/* Pairs with the release in lose_record(). */
	bool lost = smp_load_acquire(owner) == ASITE_DEPOT_LOST;

	if (!lost && (asite_depot_indexed(d, handle) || !idle(d, handle, data))) {
		d->evict.kept++;
		return false;
	}
	if (lost)
		d->evict.regained++;
	else
		d->evict.evicted++;
	if (!lost)
		release(d, handle, data);
	WRITE_ONCE(*owner, ASITE_DEPOT_NOBODY);
	push_handle(ring_of(d, handle), handle);
	return true;
}

unsigned int asite_depot_evict_end(struct asite_depot *d,
				   bool (*idle)(const struct asite_depot *d, u32 handle,
						void *data),
				   void (*release)(const struct asite_depot *d, u32 handle,
						   void *data),
				   void *data)
{
	unsigned int i, given = 0;

	for (i = 0; i < d->evict.nr_victims; i++)
		given += give_back(d, d->evict.victims[i], idle, release, data);
	d->evict.nr_victims = 0;
	return given;
}

static size_t ring_bytes(void)
{
	return ASITE_DEPOT_RING * sizeof(u32);
}

/* One allocation: the victims, then the rings. */
int asite_depot_evict_init(struct asite_depot *d)
{
	size_t bytes = (1 + d->nr_classes) * ring_bytes();
	unsigned int i;

	d->evict.victims = asite_mem_alloc(bytes);
	if (!d->evict.victims)
		return -ENOMEM;
	d->bytes += bytes;
	for (i = 0; i < d->nr_classes; i++)
		d->classes[i].ring.handles = d->evict.victims + (i + 1) * ASITE_DEPOT_RING;
	return 0;
}

void asite_depot_evict_destroy(struct asite_depot *d)
{
	asite_mem_free(d->evict.victims, (1 + d->nr_classes) * ring_bytes());
	d->evict.victims = NULL;
}

void asite_depot_evict_reset(struct asite_depot *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_classes; i++) {
		atomic_long_set(&d->classes[i].ring.head, 0);
		d->classes[i].ring.tail = 0;
	}
	d->evict.nr_victims = 0;
	d->evict.rests = false;
	d->evict.hand = 0;
	d->evict.evicted = 0;
	d->evict.kept = 0;
	d->evict.regained = 0;
}
