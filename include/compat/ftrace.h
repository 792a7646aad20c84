/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/ftrace.h: arguments in a handler, direct calls in their forms. */
#ifndef COMPAT_FTRACE_H
#define COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/string.h>

#include <generated/allocsite-features.h>

/* struct asite_k_ftrace_regs: what a handler is given; flags it must ask for. */
#if ASITE_HAVE_FTRACE_REGS_GET_ARGUMENT
#define asite_k_ftrace_regs	ftrace_regs
#define ASITE_K_FTRACE_FLAGS	0

static __always_inline unsigned long
asite_k_ftrace_argument(struct asite_k_ftrace_regs *fregs, unsigned int n)
{
	return ftrace_regs_get_argument(fregs, n);
}
#elif ASITE_HAVE_FTRACE_REGS_MEMBER
#define asite_k_ftrace_regs	ftrace_regs
#define ASITE_K_FTRACE_FLAGS	0

/* Until 6.2 argument registers are saved in it even without SAVE_REGS. */
static __always_inline unsigned long
asite_k_ftrace_argument(struct asite_k_ftrace_regs *fregs, unsigned int n)
{
	return regs_get_kernel_argument(&fregs->regs, n);
}
#elif ASITE_HAVE_FTRACE_PTREGS_CALLBACK
/*
 * Until 5.10: without SAVE_REGS there are none. A handler that is not called safe is
 * guarded against recursion; ours call nothing that is traced.
 */
#define asite_k_ftrace_regs	pt_regs
#define ASITE_K_FTRACE_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)

static __always_inline unsigned long
asite_k_ftrace_argument(struct asite_k_ftrace_regs *fregs, unsigned int n)
{
	return regs_get_kernel_argument(fregs, n);
}
#else
#error "ftrace_regs_get_argument(): no known way to read arguments in an ftrace handler"
#endif

/* Frees the filter of an ops that is not registered; see README.md for reuse. */
static inline void asite_k_ftrace_free_filter(struct ftrace_ops *ops)
{
#if ASITE_HAVE_FTRACE_FREE_FILTER
	ftrace_free_filter(ops);
#else
	/* An empty filter takes no memory. */
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}

#if ASITE_HAVE_FTRACE_DIRECT_IP
/* Until 6.4, by address; 0 or a negative errno. */
static inline int asite_k_register_direct(struct ftrace_ops *ops, unsigned long ip,
					  unsigned long tramp)
{
	return register_ftrace_direct(ip, tramp);
}

static inline int asite_k_unregister_direct(struct ftrace_ops *ops, unsigned long ip,
					    unsigned long tramp)
{
	return unregister_ftrace_direct(ip, tramp);
}
#else
/* From 6.5, by an ops for each trampoline; 0 or a negative errno. */
static inline int asite_k_register_direct(struct ftrace_ops *ops, unsigned long ip,
					  unsigned long tramp)
{
	int err;

	memset(ops, 0, sizeof(*ops));
	err = ftrace_set_filter_ip(ops, ip, 0, 0);
	if (!err)
		err = register_ftrace_direct(ops, tramp);
	if (err)
		asite_k_ftrace_free_filter(ops);
	return err;
}

static inline int asite_k_unregister_direct(struct ftrace_ops *ops, unsigned long ip,
					    unsigned long tramp)
{
	return unregister_ftrace_direct(ops, tramp, true);
}
#endif

#endif /* COMPAT_FTRACE_H */
