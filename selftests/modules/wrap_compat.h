/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocator calls of asite_wrap and leak_frag that not every kernel has, in
 * the way of load_compat.h: inlined, NULL where one is missing, and
 * ASITE_K_NO_<CALL> says why.
 */
#ifndef ASITE_WRAP_COMPAT_H
#define ASITE_WRAP_COMPAT_H

#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/mm.h>
/* Has struct page_frag_cache wherever that is defined. */
#include <linux/skbuff.h>
#include <linux/slab.h>

#include <generated/allocsite-features.h>

/* -- folios ---------------------------------------------------------------- */

#if ASITE_HAVE_WRAP_FOLIO_ALLOC || ASITE_HAVE_WRAP_FOLIO_ALLOC_NOPROF
#define ASITE_K_NO_FOLIO	NULL
static __always_inline void *asite_k_folio_alloc(gfp_t gfp, unsigned int order)
{
	return folio_alloc(gfp, order);
}

static inline void asite_k_folio_put(void *p)
{
	folio_put(p);
}
#else
#define ASITE_K_NO_FOLIO	"folio_alloc() came with 5.16"
static __always_inline void *asite_k_folio_alloc(gfp_t gfp, unsigned int order)
{
	return NULL;
}

static inline void asite_k_folio_put(void *p)
{
}
#endif

/* -- krealloc_array() ------------------------------------------------------ */

/* From 6.10 on it is a macro, about which nothing can be asked. */
#if ASITE_HAVE_WRAP_KREALLOC_ARRAY || ASITE_HAVE_NOPROF
#define ASITE_K_NO_KREALLOC_ARRAY	NULL
static __always_inline void *asite_k_krealloc_array(void *p, size_t nr, size_t size, gfp_t gfp)
{
	return krealloc_array(p, nr, size, gfp);
}
#else
#define ASITE_K_NO_KREALLOC_ARRAY	"krealloc_array() came with 5.11"
static __always_inline void *asite_k_krealloc_array(void *p, size_t nr, size_t size, gfp_t gfp)
{
	return NULL;
}
#endif

/* -- fragments of pages ---------------------------------------------------- */

#if ASITE_HAVE_WRAP_PAGE_FRAG_CACHE_DRAIN
static inline void asite_k_page_frag_cache_drain(struct page_frag_cache *nc)
{
	page_frag_cache_drain(nc);
}
#else
/* Until 6.10 drivers did it by hand. */
static inline void asite_k_page_frag_cache_drain(struct page_frag_cache *nc)
{
	if (!nc->va)
		return;
	__page_frag_cache_drain(virt_to_head_page(nc->va), nc->pagecnt_bias);
	nc->va = NULL;
}
#endif

/* -- per-CPU memory -------------------------------------------------------- */

/* As of 6.15 it is another address space to the compiler too, and no cast leads there. */
static __always_inline void *asite_k_percpu_address(void __percpu *p)
{
	return (void *)(__force unsigned long)p;
}

static inline void __percpu *asite_k_percpu_pointer(void *p)
{
	return (__force void __percpu *)(unsigned long)p;
}

#if ASITE_HAVE_WRAP_DEVM_FREE_PERCPU
#define ASITE_K_NO_DEVM_FREE_PERCPU	NULL
static inline void asite_k_devm_free_percpu(struct device *dev, void __percpu *p)
{
	devm_free_percpu(dev, p);
}
#else
#define ASITE_K_NO_DEVM_FREE_PERCPU	"without devm_free_percpu() it stays with the device"
static inline void asite_k_devm_free_percpu(struct device *dev, void __percpu *p)
{
}
#endif

#endif /* ASITE_WRAP_COMPAT_H */
