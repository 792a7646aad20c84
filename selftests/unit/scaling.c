// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time of an insert and its removal in both cores, on real CPUs: one thread, then two at once, each
 * with objects and call sites of its own. If the two wrote to a common line, a pair would take
 * longer with two. For comparison: two threads whose objects are neighbours in the same
 * slabs, so that they share lines of live words (the worst case), and two controls: a common
 * counter (if that takes no longer, nothing is shown: the two did not run at once) and one for each
 * (if that takes longer, this machine's CPUs are not apart, and the limit is so much higher).
 *
 * Only rounds count in which both threads had their CPU all the time and did nine tenths of their
 * work at once, so that another load on the machine makes it slower to measure and not wrong.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "scale.h"

#define THREADS		2
#define PAIRS		20000	/* in a round: less than a time slice */
#define LIVE		256
#define SLABS		(LIVE / SCALE_PER_SLAB)
#define RAM		(2UL << 30)
#define ROUNDS		41	/* good ones, at most */
#define TRIES		4000
#define LIMIT		1.25	/* of the ratio of a pair; shared lines give 1.6 and more */

enum mode { OWN, NEIGHBOURS, COUNTER, COUNTERS };
static const char *const mode_names[] = {
	"own slabs", "the same slabs", "control: one counter", "control: a counter for each",
};

static struct {
	double begin, end;	/* by the wall clock, ns */
	bool whole;		/* had the CPU all the time */
} results[THREADS];
static unsigned long objects[THREADS][LIVE];
static int arrived, nr_threads;
static enum mode mode;
static unsigned long counters[THREADS][64];	/* in lines of their own */

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* --- Rounds --------------------------------------------------------------------- */

static void do_pairs(int me)
{
	unsigned long *counter = counters[mode == COUNTERS ? me : 0], i;

	if (mode >= COUNTER) {
		for (i = 0; i < PAIRS; i++)
			__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
		return;
	}
	/* Half of them are live at a time. */
	for (i = 0; i < PAIRS; i++) {
		scale_allocate(objects[me][i % LIVE], SCALE_TEXT + 64 * me + 16 * (i % 4));
		scale_free(objects[me][(i + LIVE / 2) % LIVE]);
	}
}

static void *run_thread(void *arg)
{
	int me = (long)arg;
	cpu_set_t set;
	double cpu;

	shim_cpu = me;
	CPU_ZERO(&set);
	CPU_SET(me, &set);
	sched_setaffinity(0, sizeof(set), &set);
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
	while (READ_ONCE(arrived) < nr_threads)
		;
	results[me].begin = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	do_pairs(me);
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	results[me].end = now(CLOCK_MONOTONIC);
	results[me].whole = cpu > 0.97 * (results[me].end - results[me].begin);
	return NULL;
}

/* The slower thread's time for a pair; 0: one was disturbed, or they did not run at once. */
static double run_round(void)
{
	double both = 1e18, longest = 0, begin = 0;
	pthread_t threads[THREADS];
	long i;

	arrived = 0;
	for (i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < nr_threads; i++) {
		if (!results[i].whole)
			return 0;
		begin = max(begin, results[i].begin);
		both = min(both, results[i].end);
		longest = max(longest, results[i].end - results[i].begin);
	}
	return both - begin > 0.9 * longest ? longest / PAIRS : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median of the good rounds; @n says how many there were. */
static double measure(enum mode m, int threads, int *n)
{
	double times[ROUNDS], ns;
	int tries;

	mode = m;
	nr_threads = threads;
	run_round();
	for (*n = 0, tries = 0; *n < ROUNDS && tries < TRIES; tries++) {
		ns = run_round();
		if (ns > 0)
			times[(*n)++] = ns;
	}
	qsort(times, *n, sizeof(*times), compare);
	return *n ? times[*n / 2] : 0;
}

/* --- Objects ---------------------------------------------------------------------- */

static void set_up(enum mode m)
{
	unsigned long i;
	int t;

	for (t = 0; t < THREADS; t++)
		for (i = 0; i < LIVE; i++)
			objects[t][i] = m == NEIGHBOURS ?
				scale_object(0, THREADS * i + t, SLABS, RAM) :
				scale_object(t, i, SLABS, RAM);
}

/* How many times as long a pair took with two; 0: too few good rounds. */
static double show(enum mode m)
{
	int n1, n2;
	double one, two, ratio = 0;

	if (!scale_init(1024, RAM / 256))
		exit(2);
	set_up(m);
	one = measure(m, 1, &n1);
	two = measure(m, 2, &n2);
	scale_exit();
	if (n1 && n2)
		ratio = two / one;
	case_print("# %s: ns a pair: one %.1f (%d rounds), two at once %.1f (%d), ratio %.2f\n",
		   mode_names[m], one, n1, two, n2, ratio);
	return n1 >= 5 && n2 >= 5 ? ratio : 0;
}

int main(void)
{
	double own, control, apart;
	bool ok;

	case_print("KTAP version 1\n1..1\n");
	control = sysconf(_SC_NPROCESSORS_ONLN) < THREADS ? 0 : show(COUNTER);
	if (control < 1.3) {
		case_print("ok 1 scaling_two_threads # SKIP two threads did not run at once\n");
		return 0;
	}
	apart = show(COUNTERS);
	own = show(OWN);
	show(NEIGHBOURS);
	ok = own > 0 && own < LIMIT * max(apart, 1.0);
	case_print("%s 1 scaling_two_threads\n", case_result(ok));
	return ok ? 0 : 1;
}
