/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASITE_IF(QUESTION, text): text where ASITE_HAVE_QUESTION is 1, else nothing. For
 * lists of which a kernel has only some lines; read by C and assembly.
 */
#ifndef COMPAT_IF_H
#define COMPAT_IF_H

#include <generated/allocsite-features.h>

#define ASITE_IF_0(...)
#define ASITE_IF_1(...)			__VA_ARGS__
#define ASITE_IF_PASTE(answer, ...)	ASITE_IF_##answer(__VA_ARGS__)
#define ASITE_IF_EXPAND(answer, ...)	ASITE_IF_PASTE(answer, __VA_ARGS__)
#define ASITE_IF(question, ...)		ASITE_IF_EXPAND(ASITE_HAVE_##question, __VA_ARGS__)

#endif /* COMPAT_IF_H */
