// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of the objects followed, by address: raising, lowering, set-up. What they are for and
 * the invariant are in filter.h.
 *
 * This is a core: built in the module and in user space.
 *
 * Contexts: any, NMI included, but for asite_filter_reset().
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/string.h>

#include <allocsite/filter.h>

u8 asite_filter[ASITE_FILTER_PLACES] ____cacheline_aligned_in_smp;

/* By one, unless it is full: then it does not say any more how many there are. */
static void change(unsigned long obj, int by)
{
	u8 *place = &asite_filter[asite_filter_place(obj)];
	u8 count = READ_ONCE(*place);

	/*
	 * A cmpxchg that succeeds is ordered before and after: raised before the word is
	 * published, lowered after it was cleared.
	 */
	while (count != ASITE_FILTER_FULL && !try_cmpxchg(place, &count, (u8)(count + by)))
		;
}

void asite_filter_raise(unsigned long obj)
{
	change(obj, 1);
}

void asite_filter_lower(unsigned long obj)
{
	change(obj, -1);
}

void asite_filter_reset(void)
{
	memset(asite_filter, 0, sizeof(asite_filter));
}

unsigned int asite_filter_count(unsigned int *full)
{
	unsigned int i, used = 0;

	*full = 0;
	for (i = 0; i < ASITE_FILTER_PLACES; i++) {
		u8 count = READ_ONCE(asite_filter[i]);

		used += count != 0;
		*full += count == ASITE_FILTER_FULL;
	}
	return used;
}
