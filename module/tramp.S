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
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

#include <compat/entry.h>

.macro ASITE_TRAMP name, function, handler
SYM_FUNC_START(asite_tramp_\name)
	pushq	%rbp
	movq	%rsp, %rbp
	incq	PER_CPU_VAR(asite_tramp_entered)
	/* The first four arguments, in memory as an array. */
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	call	\function + ASITE_ENTRY_BYTES
	movq	%rsp, %rdx
	pushq	%rax
	movq	16(%rbp), %rdi
	movq	%rax, %rsi
	call	\handler
	popq	%rax
	incq	PER_CPU_VAR(asite_tramp_left)
	leave
	/* Drop the address of the body: back to the caller itself. */
	addq	$8, %rsp
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(asite_tramp_\name)
.endm

	.text

ASITE_TRAMP kmalloc, __kmalloc, asite_on_kmalloc
ASITE_TRAMP kmalloc_node, __kmalloc_node, asite_on_kmalloc
ASITE_TRAMP kmalloc_node_track_caller, __kmalloc_node_track_caller, asite_on_kmalloc_track_caller
ASITE_TRAMP kmalloc_trace, kmalloc_trace, asite_on_kmalloc_trace
ASITE_TRAMP kmalloc_node_trace, kmalloc_node_trace, asite_on_kmalloc_node_trace
ASITE_TRAMP kmalloc_large, kmalloc_large, asite_on_kmalloc_large
ASITE_TRAMP kmalloc_large_node, kmalloc_large_node, asite_on_kmalloc_large
ASITE_TRAMP kmem_cache_alloc, kmem_cache_alloc, asite_on_cache_alloc
ASITE_TRAMP kmem_cache_alloc_lru, kmem_cache_alloc_lru, asite_on_cache_alloc
ASITE_TRAMP kmem_cache_alloc_node, kmem_cache_alloc_node, asite_on_cache_alloc
ASITE_TRAMP kmem_cache_alloc_bulk, kmem_cache_alloc_bulk, asite_on_cache_alloc_bulk
