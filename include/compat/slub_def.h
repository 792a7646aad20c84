/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct kmem_cache where header packages show it (linux/slub_def.h, until it
 * moved to mm/slab.h in 6.8). Include only under ASITE_HAVE_KMEM_CACHE_PUBLIC.
 *
 * From 5.17 on inline functions of that header use struct slab and
 * slab_address(), which only mm/slab.h defines. Nothing here calls those
 * functions: the two stand-ins below exist so that they compile.
 */
#ifndef ASITE_COMPAT_SLUB_DEF_H
#define ASITE_COMPAT_SLUB_DEF_H

#include <linux/kasan.h>
#include <linux/kfence.h>
#include <linux/kobject.h>
#include <linux/reciprocal_div.h>
#include <linux/slab.h>

struct slab {
	unsigned int objects;
};

static inline void *slab_address(const struct slab *slab)
{
	return NULL;
}

#include <linux/slub_def.h>

#endif
