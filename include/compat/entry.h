/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands before a traced function's body; read by C and assembly. */
#ifndef COMPAT_ENTRY_H
#define COMPAT_ENTRY_H

/* The patched call takes 5 bytes; with IBT an ENDBR64 of 4 is before it. */
#ifdef CONFIG_X86_KERNEL_IBT
#define ASITE_ENTRY_BYTES	9
#else
#define ASITE_ENTRY_BYTES	5
#endif

/*
 * Is @ip the traced address of @function, or of what is told of it? The patched call is
 * the first instruction of a function, or the second where an ENDBR64 stands before it;
 * a static function whose address nobody takes has none.
 */
#define ASITE_K_IS_ENTRY(ip, function)	((ip) - (unsigned long)(function) < ASITE_ENTRY_BYTES)

#endif /* COMPAT_ENTRY_H */
