/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in. */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#undef static_assert
#define static_assert(expr, ...) _Static_assert(expr, ##__VA_ARGS__)

#endif
