/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in; also what glibc's errno.h finds as linux/errno.h. */
#include <asm/errno.h>
