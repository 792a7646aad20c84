/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/kprobes.h: what a kretprobe's instance says. */
#ifndef COMPAT_KPROBES_H
#define COMPAT_KPROBES_H

#include <linux/kprobes.h>

#include <generated/allocsite-features.h>

#if ASITE_HAVE_KRETPROBE_GET
static __always_inline struct kretprobe *asite_k_get_kretprobe(struct kretprobe_instance *ri)
{
	return get_kretprobe(ri);
}
#else
static __always_inline struct kretprobe *asite_k_get_kretprobe(struct kretprobe_instance *ri)
{
	return ri->rp;
}
#endif

#if ASITE_HAVE_KRETPROBE_RETADDR
static __always_inline unsigned long asite_k_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return get_kretprobe_retaddr(ri);
}
#else
static __always_inline unsigned long asite_k_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}
#endif

#endif /* COMPAT_KPROBES_H */
