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

#endif /* COMPAT_ENTRY_H */
