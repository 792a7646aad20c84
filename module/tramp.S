/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct call-through trampolines: what ftrace calls at a function's entry where
 * the function's result is needed. Registering them is in backend_ftrace.c.
 *
 * Stack on entry: the address after the patched call (the body), then the
 * caller's return address. That looks like a call by the hooked function, and so
 * the unwinder walks it without hints: trampoline, function, caller.
 *
 * Contexts: that of the hooked function, any. Argument registers must reach the
 * body untouched; the result must reach the caller untouched.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

#include <compat/entry.h>
#include <compat/page_functions.h>
#include <compat/slab_functions.h>

.macro ASITE_TRAMP mode, function, handler
/* Without the ENDBR of SYM_FUNC_START(): nothing calls it through a pointer. */
SYM_START(asite_\mode\()tramp_\function, SYM_L_GLOBAL, SYM_A_ALIGN)
	ANNOTATE_NOENDBR
	pushq	%rbp
	movq	%rsp, %rbp
	incq	PER_CPU_VAR(asite_tramp_entered)
	/* The first six arguments, in memory as an array. */
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	call	\function + ASITE_ENTRY_BYTES
	movq	%rsp, %rdx
	pushq	%rax
	leaq	16(%rbp), %rcx
	movq	(%rcx), %rdi
	movq	%rax, %rsi
	call	asite_\mode\()on_\handler
	popq	%rax
	incq	PER_CPU_VAR(asite_tramp_left)
	leave
	/* Drop the address of the body: back to the caller itself. */
	addq	$8, %rsp
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(asite_\mode\()tramp_\function)
.endm

	.text

/* One for exact accounting, one for sampling. */
#define TRAMP(event, function, handler, need)	\
	ASITE_TRAMP , function, handler;	\
	ASITE_TRAMP sampled_, function, handler;
ASITE_K_SLAB_FUNCTIONS(TRAMP)

/* What is no slab memory is followed whole in either mode. */
#define PAGE_TRAMP(event, function, handler, need)	ASITE_TRAMP , function, handler;
ASITE_K_PAGE_FUNCTIONS(PAGE_TRAMP)
