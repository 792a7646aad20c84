/* SPDX-License-Identifier: GPL-2.0-only */
/* For load_many.S: the function behind kmalloc() of a size known at run time. */
#ifndef ASITE_LOAD_MANY_H
#define ASITE_LOAD_MANY_H

#include <generated/allocsite-features.h>

#if ASITE_HAVE_EXPORT_KMALLOC_NOPROF
#define ASITE_K_KMALLOC	__kmalloc_noprof
#elif ASITE_HAVE_EXPORT_KMALLOC
#define ASITE_K_KMALLOC	__kmalloc
#else
#error "__kmalloc(): no known name of it in this kernel"
#endif

#endif /* ASITE_LOAD_MANY_H */
