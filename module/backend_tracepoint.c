// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoint backend: registers a row's probe on its tracepoint. The prototypes
 * are checked where the rows are (hook_slab.c).
 *
 * A tracepoint cannot miss events, is shared, and leaves no return address.
 */
#include <linux/tracepoint.h>

#include <allocsite/hooks.h>

static int attach(struct asite_hook *hook)
{
	return hook->tp_register();
}

static void detach(struct asite_hook *hook)
{
	hook->tp_unregister();
}

static void finish(void)
{
	tracepoint_synchronize_unregister();
}

const struct asite_backend_ops asite_backend_tracepoint = {
	.name	= "tracepoint",
	.attach	= attach,
	.detach	= detach,
	.finish	= finish,
};
