/* SPDX-License-Identifier: GPL-2.0-only */
/* Seeds of random tests: a fixed list and one of the day, or SEED= alone. */
#ifndef UNIT_SEED_H
#define UNIT_SEED_H

#include <stdlib.h>
#include <sys/random.h>

#define SEEDS_MAX	4

/* Fills @seeds, returns how many. */
static inline int get_seeds(unsigned long *seeds)
{
	const char *env = getenv("SEED");
	unsigned int fresh = 0;

	if (env) {
		seeds[0] = strtoul(env, NULL, 0);
		return 1;
	}
	seeds[0] = 1;
	seeds[1] = 0xa110c51e;
	seeds[2] = 20240229;
	if (getrandom(&fresh, sizeof(fresh), 0) != sizeof(fresh))
		fresh = 7;
	seeds[3] = fresh;
	return SEEDS_MAX;
}

static inline unsigned long seed_next(unsigned long *state)
{
	unsigned long x = *state += 0x9E3779B97F4A7C15UL;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9UL;
	x = (x ^ x >> 27) * 0x94D049BB133111EBUL;
	return x ^ x >> 31;
}

#endif /* UNIT_SEED_H */
