/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/mmzone.h: pages on the lists of one CPU. */
#ifndef COMPAT_ZONE_H
#define COMPAT_ZONE_H

#include <linux/mmzone.h>
#include <linux/percpu.h>

#include <generated/allocsite-features.h>

static inline int asite_k_zone_pcp_count(const struct zone *zone, int cpu)
{
#if ASITE_HAVE_ZONE_PER_CPU_PAGESET
	return READ_ONCE(per_cpu_ptr(zone->per_cpu_pageset, cpu)->count);
#else
	return READ_ONCE(per_cpu_ptr(zone->pageset, cpu)->pcp.count);
#endif
}

#endif /* COMPAT_ZONE_H */
