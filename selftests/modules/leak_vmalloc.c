// SPDX-License-Identifier: GPL-2.0-only
/*
 * leak_vmalloc: a leak as one meets it: rules are loaded into a vmalloc() area
 * of their own, and when they are what is in use already, the new area is
 * forgotten. Slab tools show nothing of it.
 *
 * "echo N > /sys/module/leak_vmalloc/parameters/run" loads the rules N times.
 * Task context, under the lock of module parameters. Invariant: every area
 * lost is on lost_list, so that the machine gets them back when the module
 * goes.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

/* Three pages and a bit: an area has four. */
#define RULES_BYTES	(3 * PAGE_SIZE + 100)

struct rules {
	struct list_head node;
	char text[];
};

/* What the module would not know if the leak were real. */
static LIST_HEAD(lost_list);
static unsigned int lost_areas;
module_param(lost_areas, uint, 0444);
MODULE_PARM_DESC(lost_areas, "areas leaked so far");

static noinline __noclone struct rules *leak_vmalloc_load_rules(void)
{
	struct rules *rules = vmalloc(RULES_BYTES);

	barrier();
	return rules;
}

static int reload_rules(void)
{
	struct rules *rules = leak_vmalloc_load_rules();

	if (!rules)
		return -ENOMEM;
	/* "No change": returns without vfree(). */
	list_add(&rules->node, &lost_list);
	lost_areas++;
	return 0;
}

static int run_set(const char *text, const struct kernel_param *kp)
{
	unsigned int nr;
	int err = kstrtouint(text, 0, &nr);

	while (!err && nr--)
		err = reload_rules();
	return err;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "load the rules so many times");

static int __init leak_vmalloc_init(void)
{
	return 0;
}

static void __exit leak_vmalloc_exit(void)
{
	struct rules *rules, *next;

	list_for_each_entry_safe(rules, next, &lost_list, node)
		vfree(rules);
}

module_init(leak_vmalloc_init);
module_exit(leak_vmalloc_exit);
MODULE_DESCRIPTION("Leaks a vmalloc area per operation");
MODULE_LICENSE("GPL");
