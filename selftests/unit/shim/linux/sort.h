/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: none of the cores swaps in its own way. */
#ifndef SHIM_LINUX_SORT_H
#define SHIM_LINUX_SORT_H

#include <stdlib.h>

#define sort(base, nr, size, compare, swap) qsort(base, nr, size, compare)

#endif
