// SPDX-License-Identifier: GPL-2.0-only
/*
 * Models of data caches and TLBs, and what must be known of x86 instructions; see
 * model.h for what they are and what they are not. Plain user-space C, one thread.
 *
 * Invariant: keys of caches and sets are never 0, which is an empty place. That is why
 * a key is the number of a line or page plus 1, shifted by what tells page sizes apart.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define SET_FIRST_SIZE	(1UL << 16)

/* --- Caches ------------------------------------------------------------------ */

static bool set_geometry(struct model_cache *c, unsigned long entries, unsigned int ways)
{
	unsigned long sets = ways ? entries / ways : 0;

	if (!sets || sets & (sets - 1) || sets * ways != entries)
		return false;
	free(c->keys);
	c->keys = calloc(entries, sizeof(*c->keys));
	c->sets = sets;
	c->ways = ways;
	return c->keys;
}

/* Is @number there? It is from now on, as the last used. @kind tells page sizes apart. */
static bool look_up(struct model_cache *c, unsigned long number, unsigned int kind)
{
	unsigned long *keys = &c->keys[(number & (c->sets - 1)) * c->ways];
	unsigned long key = (number + 1) << 1 | kind;
	unsigned int way = 0;
	bool hit;

	while (way < c->ways - 1 && keys[way] != key)
		way++;
	hit = keys[way] == key;
	/* Those used since move back by one; without a hit the last falls out. */
	memmove(keys + 1, keys, way * sizeof(*keys));
	keys[0] = key;
	return hit;
}

/* --- Sets of keys ------------------------------------------------------------ */

static bool set_init(struct model_set *s, unsigned long size)
{
	s->slots = calloc(size, sizeof(*s->slots));
	s->size = size;
	s->count = 0;
	return s->slots;
}

static void set_clear(struct model_set *s)
{
	memset(s->slots, 0, s->size * sizeof(*s->slots));
	s->count = 0;
}

static void set_add(struct model_set *s, unsigned long number);

static void set_grow(struct model_set *s)
{
	struct model_set old = *s;
	unsigned long i;

	if (!set_init(s, 2 * old.size))
		abort();
	for (i = 0; i < old.size; i++)
		if (old.slots[i])
			set_add(s, old.slots[i] - 1);
	free(old.slots);
}

static void set_add(struct model_set *s, unsigned long number)
{
	unsigned long i = number * 0x9E3779B97F4A7C15UL >> 20, key = number + 1;

	while (s->slots[i &= s->size - 1]) {
		if (s->slots[i] == key)
			return;
		i++;
	}
	s->slots[i] = key;
	if (++s->count > s->size / 2)
		set_grow(s);
}

/* --- The model --------------------------------------------------------------- */

bool model_init(struct model *m)
{
	return model_configure(m, "l1d=32k:8") && model_configure(m, "l2=1m:16") &&
	       model_configure(m, "dtlb=64:4") && model_configure(m, "dtlb_large=32:4") &&
	       model_configure(m, "stlb=1536:12") &&
	       set_init(&m->lines, SET_FIRST_SIZE) && set_init(&m->lines_written, SET_FIRST_SIZE) &&
	       set_init(&m->pages, SET_FIRST_SIZE);
}

static struct model_cache *cache_named(struct model *m, const char *name, size_t length)
{
	struct {
		const char *name;
		struct model_cache *cache;
	} caches[] = {
		{ "l1d", &m->l1d }, { "l2", &m->l2 }, { "dtlb", &m->dtlb },
		{ "dtlb_large", &m->dtlb_large }, { "stlb", &m->stlb }, { NULL, NULL },
	};
	unsigned int i = 0;

	while (caches[i].name && (strlen(caches[i].name) != length ||
				  memcmp(caches[i].name, name, length)))
		i++;
	return caches[i].cache;
}

bool model_configure(struct model *m, const char *option)
{
	size_t length = strcspn(option, "=");
	struct model_cache *c = cache_named(m, option, length);
	unsigned long entries, ways;
	char *end;

	if (!c || option[length] != '=')
		return false;
	entries = strtoul(option + length + 1, &end, 10);
	if (*end == 'k' || *end == 'm')
		entries <<= *end++ == 'k' ? 10 : 20;
	if (*end != ':')
		return false;
	ways = strtoul(end + 1, &end, 10);
	if (*end)
		return false;
	if (c == &m->l1d || c == &m->l2)
		entries >>= MODEL_LINE_SHIFT;
	return set_geometry(c, entries, ways);
}

void model_exit(struct model *m)
{
	free(m->l1d.keys);
	free(m->l2.keys);
	free(m->dtlb.keys);
	free(m->dtlb_large.keys);
	free(m->stlb.keys);
	free(m->lines.slots);
	free(m->lines_written.slots);
	free(m->pages.slots);
}

void model_begin(struct model *m)
{
	memset(&m->counts, 0, sizeof(m->counts));
	set_clear(&m->lines);
	set_clear(&m->lines_written);
	set_clear(&m->pages);
	m->counting = true;
}

bool model_is_large(unsigned long vaddr, unsigned long paddr)
{
	return !((vaddr ^ paddr) & ((1UL << MODEL_LARGE_SHIFT) - 1));
}

static void translate(struct model *m, unsigned long vaddr, bool large)
{
	unsigned long page = vaddr >> (large ? MODEL_LARGE_SHIFT : MODEL_PAGE_SHIFT);

	if (look_up(large ? &m->dtlb_large : &m->dtlb, page, large))
		return;
	m->counts.dtlb++;
	m->counts.stlb += !look_up(&m->stlb, page, large);
}

static void access_line(struct model *m, unsigned long vaddr, unsigned long paddr, bool store)
{
	unsigned long line = paddr >> MODEL_LINE_SHIFT;

	translate(m, vaddr, model_is_large(vaddr, paddr));
	if (!look_up(&m->l1d, line, 0)) {
		m->counts.l1d++;
		m->counts.l2 += !look_up(&m->l2, line, 0);
	}
	if (!m->counting)
		return;
	set_add(&m->lines, vaddr >> MODEL_LINE_SHIFT);
	set_add(&m->pages, vaddr >> MODEL_PAGE_SHIFT);
	if (store)
		set_add(&m->lines_written, vaddr >> MODEL_LINE_SHIFT);
}

void model_access(struct model *m, unsigned long vaddr, unsigned long paddr,
		  unsigned int bytes, bool store)
{
	unsigned long last = vaddr + bytes - 1;

	m->counts.loads += !store;
	m->counts.stores += store;
	access_line(m, vaddr, paddr, store);
	/* One that lies across two lines is two; it is taken to stay in its page. */
	if (last >> MODEL_LINE_SHIFT != vaddr >> MODEL_LINE_SHIFT)
		access_line(m, last, paddr + bytes - 1, store);
}

/* --- Instructions ------------------------------------------------------------ */

static bool is_legacy_prefix(unsigned char byte)
{
	return memchr("\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67", byte, 11);
}

bool model_is_locked(const unsigned char *code, size_t size)
{
	size_t i;

	for (i = 0; i < size && is_legacy_prefix(code[i]); i++)
		if (code[i] == 0xf0)
			return true;
	if (i < size && (code[i] & 0xf0) == 0x40)	/* REX */
		i++;
	/* xchg; with two registers (mod is 3) it is no access. */
	return i + 1 < size && (code[i] & 0xfe) == 0x86 && code[i + 1] < 0xc0;
}

enum model_marker model_marker_of(const unsigned char *code, size_t size)
{
	static const unsigned char begin[] = { 0x0f, 0x1f, 0x80, 0x01, 0x10, 0xa1, 0x51 };
	static const unsigned char end[] = { 0x0f, 0x1f, 0x80, 0x02, 0x10, 0xa1, 0x51 };

	if (size != sizeof(begin))
		return MODEL_NO_MARKER;
	if (!memcmp(code, begin, size))
		return MODEL_BEGIN;
	return memcmp(code, end, size) ? MODEL_NO_MARKER : MODEL_END;
}
