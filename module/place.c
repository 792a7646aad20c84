// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of call sites: from what a user writes to addresses. Text is made in text.c.
 *
 * Contexts: task.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <allocsite/place.h>
#include <allocsite/text.h>
#include <allocsite/track.h>

/* Under asite_table_lock. */
static char text[ASITE_TEXT_LEN];

/* "+0x12" or "+0x12/0x34"; NULL if it is neither, else what follows. */
static const char *parse_offset(const char *at, struct asite_place *place)
{
	int n = 0;

	if (sscanf(at, "+0x%lx%n", &place->offset, &n) < 1 || !n)
		return NULL;
	at += n;
	if (*at != '/')
		return at;
	n = 0;
	if (sscanf(at, "/0x%lx%n", &place->size, &n) < 1 || !n)
		return NULL;
	return at + n;
}

bool asite_place_parse(const char *at, struct asite_place *place)
{
	memset(place, 0, sizeof(*place));
	place->symbol = at;
	place->symbol_len = strcspn(at, "+ []");
	at += place->symbol_len;
	place->whole = *at != '+';
	if (!place->whole)
		at = parse_offset(at, place);
	if (!at || !place->symbol_len)
		return false;
	at = skip_spaces(at);
	if (!*at)
		return true;
	place->module = at + 1;
	place->module_len = strcspn(at + 1, "[] ");
	return at[0] == '[' && place->module_len && !strcmp(at + 1 + place->module_len, "]");
}

static bool same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !strncmp(a, b, a_len);
}

bool asite_place_means(const struct asite_place *written, const struct asite_place *place)
{
	if (!same(written->symbol, written->symbol_len, place->symbol, place->symbol_len) ||
	    written->whole != place->whole || written->offset != place->offset ||
	    (written->size && written->size != place->size))
		return false;
	return !written->module || (place->module && same(written->module, written->module_len,
							  place->module, place->module_len));
}

/* One call site, or the function that it is in. */
struct span {
	unsigned long start;
	unsigned long length;
};

/* Is a call site meant, or its function? */
static bool is_meant(const struct asite_place *written, const struct asite_site *site,
		     struct span *span)
{
	struct asite_place place;
	unsigned long offset;

	if (site->state != ASITE_SITE_LIVE || !(site->caller & ASITE_KEY_TEXT) ||
	    !asite_text_site(site, text) || !asite_place_parse(text, &place) || !place.size)
		return false;
	offset = place.offset;
	if (written->whole) {
		place.whole = true;
		place.offset = 0;
	}
	if (!asite_place_means(written, &place))
		return false;
	span->start = written->whole ? site->caller - offset : site->caller;
	span->length = written->whole ? place.size : 1;
	return true;
}

/* What the last call site's text says of it. */
static char *full_name(bool whole)
{
	const char *module = strchr(text, '[');

	if (!whole)
		return kstrdup(text, GFP_KERNEL);
	return kasprintf(GFP_KERNEL, "%.*s%s%s", (int)strcspn(text, "+"), text,
			 module ? " " : "", module ?: "");
}

char *asite_place_find(const struct asite_place *written, unsigned long *start,
		       unsigned long *length)
{
	const struct asite_sitetab *t = &asite_track.sites;
	unsigned int slot, used = asite_sites_used(t);
	const struct asite_site *site;
	char *name = NULL;
	struct span r;

	for (slot = ASITE_OVERFLOW_SLOTS; slot < used; slot++) {
		if (!(slot % 64))
			cond_resched();
		site = asite_sites_site(t, slot);
		if (!site || !is_meant(written, site, &r) || (name && *start == r.start))
			continue;
		/* Another place of that name. */
		if (name)
			goto several;
		*start = r.start;
		*length = r.length;
		name = full_name(written->whole);
		if (!name)
			return ERR_PTR(-ENOMEM);
	}
	return name ?: ERR_PTR(-ENOENT);

several:
	kfree(name);
	return ERR_PTR(-ENOTUNIQ);
}
