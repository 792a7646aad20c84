/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a slot of the site table stands for, as reports need it.
 *
 * Lifetime: that of the slot; see sites.h.
 */
#ifndef ALLOCSITE_SITE_H
#define ALLOCSITE_SITE_H

#include <linux/types.h>

#define ASITE_CACHE_NAME	32

/* Life of a slot, in asite_site.state. */
enum asite_site_state {
	ASITE_SITE_UNUSED,	/* not published yet */
	ASITE_SITE_LIVE,	/* its address may be resolved */
	ASITE_SITE_GONE,	/* retired: @text holds, the address means nothing */
	ASITE_SITE_HIDDEN,	/* not a call site: a trampoline's address */
};

/**
 * struct asite_site - description of a slot, for reports
 * @caller: return address; only to be resolved while @state is LIVE
 * @sub: as in struct asite_key
 * @size: bytes allocated per object
 * @object_size: bytes asked for per object (kmem_cache), 0 if counted
 * @kind: enum asite_kind
 * @state: enum asite_site_state; written with release when published, after
 *	that only under the owner's lock
 * @destroyed: its cache was destroyed; set without a lock, once
 * @context: number of the context that its key is watched for, 0: none; see context.h
 * @pass: which retirement it went with: sites gone together were neighbours
 * @text: resolved symbol when @state is GONE, owned by the table
 * @cache: cache name, or empty
 */
struct asite_site {
	unsigned long caller;
	unsigned long sub;
	u32 size;
	u32 object_size;
	u8 kind;
	u8 state;
	u8 destroyed;
	u8 context;
	unsigned int pass;
	char *text;
	char cache[ASITE_CACHE_NAME];
};

#endif /* ALLOCSITE_SITE_H */
