// SPDX-License-Identifier: GPL-2.0-only
/*
 * A study, not a test: how placement functions fill the live-object table, and
 * how many cache lines and pages a burst of inserts touches. The algorithm is
 * that of objtab.c (preferred word, home bucket, far buckets, away counts) with
 * the placement as a parameter; "present" is asite_objtab_preferred() itself.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../cases/cases.c"
#include "seed.h"

#define WORDS_SHIFT	20
#define WORDS		(1UL << WORDS_SHIFT)
#define MASK		(WORDS - 1)
#define RAM_SHIFT	36	/* 64 GiB: the table's words cover 1/1024 of it */
#define GOLDEN		0x9E3779B97F4A7C15UL

enum placement {
	PRESENT, SHIFT_XOR, BLOCK_XOR, GRAIN_32, SPREAD_LOW, ONE_MUL, FULL_HASH, PLACEMENTS
};

static const char *const placement_names[] = {
	"present", "o>>6 ^ o>>27", "o>>6 ^ hash(32K)", "o>>5 ^ hash(32K)",
	"32K and low bits", "present, 64-bit mul", "full hash",
};

enum layout { CONTIGUOUS, PAGEBLOCKS, SCATTERED, NODES, LAYOUTS };
static const char *const layout_names[] = { "contiguous", "pageblocks", "scattered", "nodes" };

struct figures {
	unsigned long inserts, fast, home, far, full;
	unsigned long burst, lines, pages;
};

static u64 words[2 * WORDS] __attribute__((__aligned__(2 << 20)));
static int away[2 * WORDS];
static unsigned long *objs;
static unsigned int stamp, line_seen[3 * WORDS / 8], page_seen[WORDS / 256];
static unsigned long rng = 1;

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static __always_inline unsigned long hash(unsigned long x)
{
	return (x * GOLDEN) >> 32;
}

/* Two rounds: one multiplication leaves the patterns of equal steps. */
static __always_inline unsigned long full_hash(unsigned long x)
{
	x *= GOLDEN;
	x = (x ^ x >> 32) * 0xD6E8FEB86659FD93UL;
	return x >> 32;
}

static __always_inline unsigned long place(enum placement p, unsigned long o, unsigned long mask)
{
	const struct asite_objtab t = { .mask = mask };

	switch (p) {
	case PRESENT:
		return asite_objtab_preferred(&t, o);
	case SHIFT_XOR:
		return ((o >> 6) ^ (o >> 27)) & mask;
	case BLOCK_XOR:
		return ((o >> 6 & 511) ^ hash(o >> 15)) & mask;
	case GRAIN_32:
		return ((o >> 5 & 1023) ^ hash(o >> 15)) & mask;
	case SPREAD_LOW:
		/* What lies in one line of memory goes to blocks of its own. */
		return ((o >> 6 & 511) ^ hash(o >> 15) ^ (o >> 3 & 7) * 0x1b519UL << 6) & mask;
	case ONE_MUL:
		/* All but bits 6 to 14 choose the block, those the word in it. */
		return (o >> 6 ^ (o & ~0x7fc0UL) * GOLDEN >> 32) & mask;
	default:
		return full_hash(o >> 3) & mask;
	}
}

/* How many far buckets are tried. */
static unsigned int far_tries = ASITE_FAR_BUCKETS;

/* The far buckets are those of objtab.c, whatever the placement. */
static __always_inline unsigned long far_of(unsigned long o, unsigned int try, unsigned long mask)
{
	const struct asite_objtab t = { .mask = mask };

	return far_bucket(&t, o, try);
}

static __always_inline u64 *find(unsigned long bucket, u64 want)
{
	u64 *w = &words[bucket * 8];
	int i;

	for (i = 0; i < 8; i++)
		if (w[i] == want)
			return &w[i];
	return NULL;
}

static void touch(unsigned int *seen, unsigned long n, unsigned long *count)
{
	*count += seen[n] != stamp;
	seen[n] = stamp;
}

static __always_inline void insert(enum placement p, unsigned long o, unsigned long mask,
				   struct figures *f, bool burst)
{
	unsigned long i = place(p, o, mask), home = i / 8, far;
	unsigned int try;
	u64 *w;

	if (burst) {
		touch(line_seen, home, &f->lines);
		touch(line_seen, WORDS / 8 + i / 32, &f->lines);
		touch(page_seen, home / 64, &f->pages);
		touch(page_seen, WORDS / 512 + i / 2048, &f->pages);
	}
	if (f)
		f->inserts++;
	if (!away[i] && !words[i]) {
		words[i] = o;
		if (f)
			f->fast++;
		return;
	}
	if (!words[i]) {
		words[i] = o;
		return;
	}
	w = find(home, 0);
	if (f)
		f->home += !!w;
	for (try = 0; !w && try < far_tries; try++) {
		far = far_of(o, try, mask);
		w = find(far, 0);
		if (f)
			f->far += !!w;
		if (burst) {
			touch(line_seen, far, &f->lines);
			touch(page_seen, far / 64, &f->pages);
		}
	}
	if (w) {
		*w = o;
		away[i]++;
	} else if (f) {
		f->full++;
	}
}

static __always_inline void take_out(enum placement p, unsigned long o, unsigned long mask)
{
	unsigned long i = place(p, o, mask), home = i / 8;
	unsigned int try;
	u64 *w;

	if (words[i] == o) {
		words[i] = 0;
		return;
	}
	if (!away[i])
		return;
	w = find(home, o);
	for (try = 0; !w && try < far_tries; try++)
		w = find(far_of(o, try, mask), o);
	if (w) {
		*w = 0;
		away[i]--;
	}
}

/* -- memory ------------------------------------------------------------------ */

static unsigned long below(unsigned long n)
{
	return seed_next(&rng) % n;
}

static void shuffle(unsigned long *a, unsigned long n)
{
	unsigned long i, j, t;

	for (i = n - 1; i > 0 && n; i--) {
		j = below(i + 1);
		t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
}

/* As SLUB: at most 1/16 wasted, at least some objects, at most 32 KiB. */
static unsigned long slab_bytes(unsigned int size)
{
	unsigned long bytes = 4096;

	while (bytes < 32768 && (bytes / size < 16 || bytes % size > bytes / 16))
		bytes *= 2;
	return bytes;
}

/* Where the next slab is. */
static unsigned long next_slab(enum layout layout, unsigned long bytes, unsigned long *at,
			       unsigned long n)
{
	static unsigned long node_at;

	switch (layout) {
	case CONTIGUOUS:
		*at = n ? (*at + bytes - 1) & -bytes : 1UL << 30;
		break;
	case PAGEBLOCKS:
		*at = (*at + bytes - 1) & -bytes;
		if (!n || !(*at & ((2UL << 20) - 1)))
			*at = below(1UL << (RAM_SHIFT - 21)) << 21;
		break;
	case SCATTERED:
		*at = below((1UL << RAM_SHIFT) / bytes) * bytes;
		break;
	default:
		/* Four nodes, filled alike. */
		if (!n)
			node_at = 1UL << 28;
		if (n % 4 == 0)
			node_at = (node_at + bytes - 1) & -bytes;
		*at = (n % 4 << (RAM_SHIFT - 2)) + node_at;
		if (n % 4 == 3)
			node_at += bytes;
		return *at;
	}
	*at += bytes;
	return *at - bytes;
}

/* Sizes as in a running Debian's /proc/slabinfo, by share of objects (percent). */
static const struct { unsigned int size, share; } mix[] = {
	{ 8, 3 }, { 16, 6 }, { 32, 8 }, { 64, 12 }, { 80, 6 }, { 104, 10 }, { 128, 10 },
	{ 192, 17 }, { 256, 8 }, { 512, 4 }, { 576, 4 }, { 696, 4 }, { 1024, 4 },
	{ 2048, 2 }, { 4096, 1 }, { 8192, 1 },
};

static unsigned int pick_size(void)
{
	unsigned int r = below(100), i;

	for (i = 0; r >= mix[i].share; i++)
		r -= mix[i].share;
	return mix[i].size;
}

/*
 * @n objects, slab after slab, in random order within each; size 0: the mix,
 * each size's slabs weighted so that shares are of objects.
 */
static void lay_out(enum layout layout, unsigned int size, unsigned long n)
{
	unsigned long at = 0, i = 0, slab = 0, base, first, room;
	static long debt[9000];

	memset(debt, 0, sizeof(debt));
	while (i < n) {
		unsigned int s = size ? size : pick_size();

		/* One slab per as many picks as it has objects. */
		if (!size && debt[s]-- > 0)
			continue;
		room = slab_bytes(s) / s;
		debt[s] = room - 1;
		base = CASE_BASE + next_slab(layout, slab_bytes(s), &at, slab++);
		for (first = i; room-- && i < n; i++)
			objs[i] = base + (i - first) * s;
		shuffle(objs + first, i - first);
	}
}

/* -- measuring ----------------------------------------------------------------- */

static __always_inline void measure(enum placement p, unsigned long n, struct figures *f)
{
	unsigned long i, round, live = n - n / 10;

	memset(f, 0, sizeof(*f));
	memset(words, 0, WORDS * 8);
	memset(away, 0, WORDS * sizeof(int));
	/* One in ten stays free, as in slabs in use; the last tenth is a burst. */
	for (i = 0; i < n; i++) {
		bool burst = i > live && f->burst < 50000;

		if (burst && f->burst++ % 1000 == 0)
			stamp++;
		if (seed_next(&rng) % 10 || burst)
			insert(p, objs[i], MASK, f, burst);
	}
	f->inserts = f->fast = f->home = f->far = f->full = 0;
	for (round = 0; round < 100; round++) {
		unsigned long some[1000];

		for (i = 0; i < 1000; i++) {
			some[i] = objs[below(n)];
			take_out(p, some[i], MASK);
		}
		shuffle(some, 1000);
		for (i = 0; i < 1000; i++) {
			take_out(p, some[i], MASK);	/* picked twice */
			insert(p, some[i], MASK, f, false);
		}
	}
}

static void measure_any(enum placement p, unsigned long n, struct figures *f)
{
	switch (p) {
	case PRESENT:
		measure(PRESENT, n, f);
		break;
	case SHIFT_XOR:
		measure(SHIFT_XOR, n, f);
		break;
	case BLOCK_XOR:
		measure(BLOCK_XOR, n, f);
		break;
	case GRAIN_32:
		measure(GRAIN_32, n, f);
		break;
	case SPREAD_LOW:
		measure(SPREAD_LOW, n, f);
		break;
	case ONE_MUL:
		measure(ONE_MUL, n, f);
		break;
	default:
		measure(FULL_HASH, n, f);
		break;
	}
}

static double percent(unsigned long part, unsigned long of)
{
	return of ? 100.0 * part / of : 0;
}

static void print_row(const char *what, unsigned int load, enum placement p,
		      const struct figures *f)
{
	double k = f->burst / 1000.0;

	printf("%-11s %3u%%  %-23s %6.2f %6.2f %6.2f %7.3f %6.0f %6.0f\n", what, load,
	       placement_names[p], percent(f->fast, f->inserts), percent(f->home, f->inserts),
	       percent(f->far, f->inserts), percent(f->full, f->inserts),
	       f->lines / k, f->pages / k);
}

static void print_head(const char *title)
{
	printf("\n%s\n%-11s %4s  %-23s %6s %6s %6s %7s %6s %6s\n", title, "", "load", "placement",
	       "fast%", "home%", "far%", "full%", "lines", "pages");
}

static void study_mix(void)
{
	static const unsigned int loads[] = { 10, 25, 50, 75, 95 };
	struct figures f;
	unsigned int l;
	int layout, p;

	print_head("Mix of sizes; lines and 4K pages per 1,000 inserts of a burst");
	for (layout = 0; layout < LAYOUTS; layout++) {
		for (l = 0; l < ARRAY_SIZE(loads); l++) {
			unsigned long n = WORDS / 100 * loads[l] * 10 / 9;

			lay_out(layout, 0, n);
			for (p = 0; p < PLACEMENTS; p++) {
				measure_any(p, n, &f);
				print_row(layout_names[layout], loads[l], p, &f);
			}
		}
	}
}

/* Words left empty, yet objects refused: what more far buckets would change. */
static void study_far(void)
{
	static const unsigned int loads[] = { 10, 25, 50, 75, 95 };
	unsigned int l, tries;
	struct figures f;
	int p;

	printf("\nRefused (full%%) of inserts, mix, pageblocks, by far buckets tried\n");
	printf("%4s  %-23s %8s %8s %8s %8s\n", "load", "placement", "1", "2", "3", "4");
	for (l = 0; l < ARRAY_SIZE(loads); l++) {
		unsigned long n = WORDS / 100 * loads[l] * 10 / 9;

		lay_out(PAGEBLOCKS, 0, n);
		for (p = 0; p < PLACEMENTS; p++) {
			printf("%3u%%  %-23s", loads[l], placement_names[p]);
			for (tries = 1; tries <= 4; tries++) {
				far_tries = tries;
				measure_any(p, n, &f);
				printf(" %8.4f", percent(f.full, f.inserts));
			}
			printf("\n");
		}
	}
	far_tries = ASITE_FAR_BUCKETS;
}

static void study_sizes(void)
{
	static const unsigned int sizes[] = {
		8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192 };
	unsigned long n = WORDS / 2 * 10 / 9;
	struct figures f;
	unsigned int s;
	char what[16];
	int p;

	print_head("One size, pageblocks");
	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		lay_out(PAGEBLOCKS, sizes[s], n);
		snprintf(what, sizeof(what), "%u bytes", sizes[s]);
		for (p = 0; p < PLACEMENTS; p++) {
			measure_any(p, n, &f);
			print_row(what, 50, p, &f);
		}
	}
}

/* -- time ------------------------------------------------------------------------ */

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Nanoseconds per remove and insert; @run objects in a row, then elsewhere. */
static __always_inline double time_pairs(enum placement p, unsigned long n, unsigned long run)
{
	unsigned long mask = 2 * WORDS - 1, rounds = 1000000 / run, r, i, at;
	double best = 1e9, start;
	int try;

	memset(words, 0, sizeof(words));
	memset(away, 0, sizeof(away));
	for (i = 0; i < n; i++)
		insert(p, objs[i], mask, NULL, false);
	for (try = 0; try < 3; try++) {
		start = now_ns();
		for (r = 0; r < rounds; r++) {
			at = hash(r * 7919 + try) % (n - run);
			for (i = at; i < at + run; i++)
				take_out(p, objs[i], mask);
			for (i = at; i < at + run; i++)
				insert(p, objs[i], mask, NULL, false);
		}
		start = (now_ns() - start) / (rounds * run);
		best = start < best ? start : best;
	}
	return best;
}

#define TIME(p, run) time_pairs(p, 1000000, run)
#define TIME_ROW(p) printf("%-23s %10.1f %10.1f %10.1f\n", placement_names[p], \
			   TIME(p, 1), TIME(p, 32), TIME(p, 1000))

static void study_time(void)
{
	lay_out(PAGEBLOCKS, 0, 1000000);
	printf("\nns per remove+insert, 10^6 live in 2^21 words, runs of 1, 32, 1000 neighbours\n");
	TIME_ROW(PRESENT);
	TIME_ROW(SHIFT_XOR);
	TIME_ROW(BLOCK_XOR);
	TIME_ROW(GRAIN_32);
	TIME_ROW(SPREAD_LOW);
	TIME_ROW(ONE_MUL);
	TIME_ROW(FULL_HASH);
}

int main(void)
{
	objs = malloc(2 * WORDS * sizeof(*objs));
	if (!objs)
		return 2;
	printf("table: 2^%d words, RAM 2^%d bytes, %d far buckets\n", WORDS_SHIFT, RAM_SHIFT,
	       ASITE_FAR_BUCKETS);
	study_mix();
	study_far();
	study_sizes();
	study_time();
	return 0;
}
