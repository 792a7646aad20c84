// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of kinds of memory, as reports show them and control takes them.
 *
 * Contexts: any.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <allocsite/kinds.h>

static const char * const names[] = {
	[ASITE_KMALLOC]		= "kmalloc",
	[ASITE_KMALLOC_LARGE]	= "kmalloc_large",
	[ASITE_KMEM_CACHE]	= "kmem_cache",
	[ASITE_PAGE]		= "page",
	[ASITE_VMALLOC]		= "vmalloc",
	[ASITE_PERCPU]		= "percpu",
	[ASITE_SLAB_PAGES]	= "slab_pages",
	[ASITE_LARGE_PAGES]	= "large_pages",
	[ASITE_VMALLOC_PAGES]	= "vmalloc_pages",
	[ASITE_PERCPU_PAGES]	= "percpu_pages",
	[ASITE_SLAB_EXT]	= "slab_ext",
	[ASITE_OVERFLOW]	= "overflow",
};

static_assert(ARRAY_SIZE(names) == ASITE_KIND_COUNT, "a name for each kind");

const char *asite_kind_name(enum asite_kind kind)
{
	return names[kind];
}

int asite_kind_by_name(const char *name)
{
	return match_string(names, ARRAY_SIZE(names), name);
}
