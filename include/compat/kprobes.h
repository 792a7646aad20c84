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

/* Where the return address stands, or stood until the probe's own took its place. */
static __always_inline unsigned long asite_k_kretprobe_at(struct kretprobe_instance *ri)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return ri->node.frame;
#else
	return (unsigned long)ri->fp;
#endif
}

#endif /* COMPAT_KPROBES_H */
