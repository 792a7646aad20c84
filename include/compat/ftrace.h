/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/ftrace.h: arguments in a handler, direct calls in their forms. */
#ifndef COMPAT_FTRACE_H
#define COMPAT_FTRACE_H

#include <linux/ftrace.h>

#include <generated/allocsite-features.h>

#if ASITE_HAVE_FTRACE_REGS_GET_ARGUMENT
static __always_inline unsigned long asite_k_ftrace_argument(struct ftrace_regs *fregs,
							     unsigned int n)
{
	return ftrace_regs_get_argument(fregs, n);
}
#elif ASITE_HAVE_FTRACE_REGS_MEMBER
/* Until 6.2 argument registers are saved in it even without SAVE_REGS. */
static __always_inline unsigned long asite_k_ftrace_argument(struct ftrace_regs *fregs,
							     unsigned int n)
{
	return regs_get_kernel_argument(&fregs->regs, n);
}
#else
#error "ftrace_regs_get_argument(): no known way to read arguments in an ftrace handler"
#endif

#if ASITE_HAVE_FTRACE_DIRECT_IP
static inline int asite_k_register_direct(unsigned long ip, unsigned long tramp)
{
	return register_ftrace_direct(ip, tramp);
}

static inline int asite_k_unregister_direct(unsigned long ip, unsigned long tramp)
{
	return unregister_ftrace_direct(ip, tramp);
}
#else
#error "register_ftrace_direct(): only its form by address is known yet"
#endif

#endif /* COMPAT_FTRACE_H */
