// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved sampling: owners of objects that share a place of the filter, with the live table
 * they guard; and an interrupt between the two instructions of an event.
 */

/* The filter's place is of 64 bytes: these two prefer one word of the live table, too. */
static unsigned long sampled_object(int n)
{
	return CASE_BASE + 8 * n;
}

static void sampled_start(void)
{
	objtab_start();
	asite_filter_reset();
}

/* As record() and asite_sample_free_slow() of module/sample.c. */
static void sampled_put(int n)
{
	u64 old;

	asite_filter_raise(sampled_object(n));
	expect_eq(asite_objtab_insert(&il_tab, sampled_object(n), asite_objtab_bits(n, 0), &old),
		  ASITE_INSERTED);
}

static void sampled_take(int n)
{
	expect(!asite_filter_passes(sampled_object(n)));
	expect_eq(asite_objtab_remove(&il_tab, sampled_object(n)), rest_of(n, 0));
	asite_filter_lower(sampled_object(n));
}

static void sampled_put_take_0(void) { sampled_put(0); sampled_take(0); }
static void sampled_put_take_1(void) { sampled_put(1); sampled_take(1); }
static void sampled_put_2(void) { sampled_put(2); }
static void sampled_put_0_flag(void) { sampled_put(0); flags[0] = 1; }
static void sampled_take_0_later(void) { il_wait_for(&flags[0]); sampled_take(0); }

static void sampled_check_empty(void)
{
	expect(asite_filter_passes(sampled_object(0)));
	expect(check_objtab(&il_tab, 0));
}

static void sampled_check_one(void)
{
	expect(!asite_filter_passes(sampled_object(0)));
	sampled_take(2);
	sampled_check_empty();
}

/* An event falls on the task's object; the gap of the interrupt's is much longer than it. */
static bool task_picked, irq_picked;

static u64 il_seed(void)
{
	return 1;
}

static void event_start(void)
{
	asite_poisson_begin(ASITE_POISSON_MEAN_MAX, il_seed);
	asite_poisson.left = 30;
}

static void event_in_task(void)
{
	task_picked = !asite_poisson_passes(64) && asite_poisson_picks(64);
}

static void object_in_irq(void)
{
	irq_picked = !asite_poisson_passes(8) && asite_poisson_picks(8);
}

static void event_check(void)
{
	expect(task_picked);
	expect(!irq_picked);
	expect(asite_poisson.left >= 0);
}

static const struct il_scenario il_sample_scenarios[] = {
	{ "il_sample_filter_two", sampled_start, sampled_check_empty, NULL, 3,
	  { CPU(0, sampled_put_take_0), CPU(1, sampled_put_take_1) } },
	{ "il_sample_filter_three", sampled_start, sampled_check_one, NULL, 2,
	  { CPU(0, sampled_put_take_0), CPU(1, sampled_put_take_1), CPU(2, sampled_put_2) } },
	{ "il_sample_filter_irq", sampled_start, sampled_check_one, NULL, 3,
	  { CPU(0, sampled_put_take_0), IRQ(0, sampled_put_take_1, 0), CPU(1, sampled_put_2) } },
	{ "il_sample_filter_hand_over", sampled_start, sampled_check_empty, NULL, 3,
	  { CPU(0, sampled_put_0_flag), CPU(1, sampled_take_0_later),
	    CPU(2, sampled_put_take_1) } },
	{ "il_sample_event_irq", event_start, event_check, NULL, 2,
	  { CPU(0, event_in_task), IRQ(0, object_in_irq, 0) } },
	{ }
};
