// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations on the area table against a model that knows for each area what the
 * table must answer. Included by random.c.
 */
#define MODEL_AREAS	400	/* more than the 256 entries hold */

struct model_area {
	struct asite_area area;
	enum life life;
};

static struct model_area area_model[MODEL_AREAS];
static unsigned int nr_areas, areas_refused;

/* Addresses in steps of @step bytes; 0: anywhere, each once. */
static void lay_out_areas(unsigned long step)
{
	unsigned long base = step % 4096 ? CASE_PERCPU : CASE_VMALLOC;
	unsigned int i;

	nr_areas = 0;
	for (i = 0; i < MODEL_AREAS; i++) {
		area_model[i] = (struct model_area){ .area.addr = base + i * step };
		if (!step)
			area_model[i].area.addr = (unsigned long)i << 54 | (1 + below(1UL << 53));
	}
}

static bool window_full(const struct asite_areatab *t, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < ASITE_AREA_WINDOW; i++) {
		if (!t->entries[(window_start(addr) + i) & t->mask].addr)
			return false;
	}
	return true;
}

static void insert_area(struct asite_areatab *t, struct model_area *m)
{
	struct asite_area area = {
		.addr = m->area.addr,
		.slot = below(ASITE_MAX_SITES_LIMIT),
		.bytes = below(CASE_AREA_MAX + 1) >> below(ASITE_AREA_BYTES_BITS),
	};
	struct asite_area old = { };
	int got = asite_areatab_insert(t, area.addr, area.slot, area.bytes, &old);

	if (got == -ENOSPC) {
		expect(m->life == GONE && window_full(t, area.addr));
		areas_refused++;
		return;
	}
	expect_eq(got, m->life == STALE);
	if (got)
		expect_area(&old, m->area.addr, m->area.slot, m->area.bytes);
	nr_areas += !got;
	m->life = LIVE;
	m->area = area;
}

static void remove_area(struct asite_areatab *t, struct model_area *m)
{
	if (m->life == GONE) {
		expect_no_area(t, m->area.addr);
		return;
	}
	take_area(t, m->area.addr, m->area.slot, m->area.bytes);
	m->life = GONE;
	nr_areas--;
}

static void resize_area(struct asite_areatab *t, struct model_area *m)
{
	u64 bytes = below(CASE_AREA_MAX + 1);
	struct asite_area old = { };

	expect(asite_areatab_resize(t, m->area.addr, bytes, &old));
	expect_area(&old, m->area.addr, m->area.slot, m->area.bytes);
	m->area.bytes = bytes;
}

static void step_area(struct asite_areatab *t, unsigned int grow)
{
	struct model_area *m = &area_model[below(MODEL_AREAS)];

	if (m->life == LIVE && !below(20))
		m->life = STALE;
	else if (m->life == LIVE && !below(5))
		resize_area(t, m);
	else if (m->life == LIVE || below(10) >= grow)
		remove_area(t, m);
	else
		insert_area(t, m);
}

static void random_areas(void)
{
	static const unsigned long steps[] = { 4, 8, 64, 4096, 20480, 2UL << 20, 0 };
	struct asite_areatab t = { };
	unsigned int i, n;

	if (asite_areatab_init(&t, CASE_AREAS))
		exit(2);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		lay_out_areas(steps[i]);
		asite_areatab_reset(&t);
		for (n = 0; n < STEPS / 2; n++) {
			step_area(&t, 2 + n / (STEPS / 8) * 2);
			if (n % CHECK_EVERY == 0)
				check_areas(&t, nr_areas);
		}
		expect_eq(asite_areatab_count(&t), nr_areas);
		for (n = 0; n < MODEL_AREAS; n++)
			remove_area(&t, &area_model[n]);
		check_areas(&t, 0);
	}
	expect(areas_refused > 1000);
	asite_areatab_destroy(&t);
}
