/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/vmalloc.h: large mappings where a module may have them. */
#ifndef COMPAT_VMALLOC_H
#define COMPAT_VMALLOC_H

#include <linux/vmalloc.h>

#include <generated/allocsite-features.h>

/* vmalloc_huge() came with 5.18, and is exported under a name that changes. */
static inline void *asite_k_vmalloc_huge(size_t bytes, gfp_t gfp)
{
#if ASITE_HAVE_VMALLOC_HUGE || ASITE_HAVE_VMALLOC_HUGE_NOPROF || ASITE_HAVE_VMALLOC_HUGE_NODE
	return vmalloc_huge(bytes, gfp);
#else
	return __vmalloc(bytes, gfp);
#endif
}

#endif /* COMPAT_VMALLOC_H */
