// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_afterleak: allocates 13 objects from a function in its text, which is
 * the first of its section as the one of asite_initleak is, so that the two
 * may get one address. Frees them on exit, unless leak=1: then they stay, on
 * purpose, as a module's leak does. A write to "again" frees and allocates anew.
 */
#include <linux/module.h>
#include <linux/slab.h>

#define AFTERLEAK_OBJECTS	13

static bool leak;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "keep the objects on exit");

static void *afterleak_objs[AFTERLEAK_OBJECTS];

static noinline void *load_afterleak_96(void)
{
	void *p = kmalloc(96, GFP_KERNEL);

	barrier();
	return p;
}

static void free_objects(void)
{
	int i;

	for (i = 0; i < AFTERLEAK_OBJECTS; i++)
		kfree(afterleak_objs[i]);
}

/* In .text on purpose: only the call of it is in init text. */
static noinline int fill_objects(void)
{
	int i;

	for (i = 0; i < AFTERLEAK_OBJECTS; i++) {
		afterleak_objs[i] = load_afterleak_96();
		if (!afterleak_objs[i])
			return -ENOMEM;
	}
	return 0;
}

static int again_set(const char *text, const struct kernel_param *kp)
{
	free_objects();
	memset(afterleak_objs, 0, sizeof(afterleak_objs));
	return fill_objects();
}

static const struct kernel_param_ops again_ops = {
	.set = again_set,
};
module_param_cb(again, &again_ops, NULL, 0200);
MODULE_PARM_DESC(again, "free the objects and allocate others");

static int __init afterleak_init(void)
{
	int err = fill_objects();

	if (err)
		free_objects();
	return err;
}

static void __exit afterleak_exit(void)
{
	if (!leak)
		free_objects();
}

module_init(afterleak_init);
module_exit(afterleak_exit);
MODULE_DESCRIPTION("Allocates from its text");
MODULE_LICENSE("GPL");
