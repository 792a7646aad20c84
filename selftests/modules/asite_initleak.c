// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_initleak: leaks 17 objects from a function in its init text, then may
 * be unloaded. The objects stay allocated on purpose. Its twin is
 * asite_afterleak, whose function must not inherit this site.
 */
#include <linux/module.h>
#include <linux/slab.h>

#define INITLEAK_OBJECTS	17

static noinline void __init *load_initleak_96(void)
{
	void *p = kmalloc(96, GFP_KERNEL);

	barrier();
	return p;
}

static int __init initleak_init(void)
{
	int i;

	for (i = 0; i < INITLEAK_OBJECTS; i++)
		if (!load_initleak_96())
			return -ENOMEM;
	return 0;
}

static void __exit initleak_exit(void)
{
}

module_init(initleak_init);
module_exit(initleak_exit);
MODULE_DESCRIPTION("Leaks from its init text");
MODULE_LICENSE("GPL");
