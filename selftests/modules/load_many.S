/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * void load_many_calls(size_t size, gfp_t gfp, void **objs)
 *
 * 8,192 calls of what kmalloc(size) calls in a row, each with a return address, and so a
 * call site, of its own; the results go to objs[]. Task context, may sleep.
 * MANY_CALLS in load_misc.c must be the same number.
 */
#include <linux/linkage.h>

#include "load_many.h"

	.text
SYM_FUNC_START(load_many_calls)
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	movq	%rdi, %rbx
	movl	%esi, %r12d
	movq	%rdx, %r13
	.rept	8192
	movq	%rbx, %rdi
	movl	%r12d, %esi
	call	ASITE_K_KMALLOC
	movq	%rax, (%r13)
	addq	$8, %r13
	.endr
	popq	%r13
	popq	%r12
	popq	%rbx
	RET
SYM_FUNC_END(load_many_calls)
