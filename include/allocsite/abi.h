/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What others rely on: format versions, file names and the limits of the
 * live-object word. A change of a report's format raises its version here and
 * refreshes what the selftests compare with.
 *
 * No code lives here, and nothing that depends on the kernel's version.
 */
#ifndef ALLOCSITE_ABI_H
#define ALLOCSITE_ABI_H

#define ASITE_VERSION		"0.1"
#define ASITE_DIR		"allocsite"

#define ASITE_SITES_VERSION	1
/* With sample_bytes=: columns more before "kind". */
#define ASITE_SITES_SAMPLED_VERSION	2
#define ASITE_STACKS_VERSION	1
#define ASITE_CONTEXT_VERSION	1
#define ASITE_STATS_VERSION	1
#define ASITE_HOOKS_VERSION	1
#define ASITE_CONTROL_VERSION	1
/* The first line of /proc/allocinfo (lib/alloc_tag.c), kept the same. */
#define ASITE_ALLOCINFO_VERSION	"1.0"

/* Slots that fit the 18 bits a live word has for them; see objtab.h. */
#define ASITE_MAX_SITES_LIMIT	(1UL << 18)

#endif /* ALLOCSITE_ABI_H */
