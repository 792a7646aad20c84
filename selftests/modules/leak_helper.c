// SPDX-License-Identifier: GPL-2.0-only
/*
 * leak_helper: a leak as one meets it: all of a driver's requests come from
 * one helper, and one of its callers forgets one in five. By the return
 * address that the allocator sees, the helper holds them all.
 *
 * "echo N > /sys/module/leak_helper/parameters/run" runs each caller N times.
 * Task context, under the lock of module parameters. Invariant: every object
 * lost is on lost_list, so that the machine gets them back when the module
 * goes.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>

struct request {
	struct list_head node;
	char rest[64 - sizeof(struct list_head)];
};

/* What the module would not know if the leak were real. */
static LIST_HEAD(lost_list);
static unsigned int lost_objects;
module_param(lost_objects, uint, 0444);
MODULE_PARM_DESC(lost_objects, "objects leaked so far");

/* The helper: a symbol of its own, and its call of the allocator is no tail call. */
static noinline __noclone struct request *leak_helper_new_request(void)
{
	struct request *request = kzalloc(sizeof(*request), GFP_KERNEL);

	barrier();
	return request;
}

static noinline __noclone void leak_helper_read(unsigned int i)
{
	struct request *request = leak_helper_new_request();

	barrier();
	kfree(request);
}

static noinline __noclone void leak_helper_write(unsigned int i)
{
	struct request *request = leak_helper_new_request();

	barrier();
	if (!request)
		return;
	if (i % 5) {
		kfree(request);
		return;
	}
	/* The error path: no kfree(). */
	list_add(&request->node, &lost_list);
	lost_objects++;
}

static noinline __noclone void leak_helper_flush(unsigned int i)
{
	struct request *request = leak_helper_new_request();

	barrier();
	kfree(request);
}

static int run_set(const char *text, const struct kernel_param *kp)
{
	unsigned int i, nr;
	int err = kstrtouint(text, 0, &nr);

	if (err)
		return err;
	for (i = 1; i <= nr; i++) {
		leak_helper_read(i);
		leak_helper_write(i);
		leak_helper_flush(i);
	}
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "run each caller of the helper so many times");

static int __init leak_helper_init(void)
{
	return 0;
}

static void __exit leak_helper_exit(void)
{
	struct request *request, *next;

	list_for_each_entry_safe(request, next, &lost_list, node)
		kfree(request);
}

module_init(leak_helper_init);
module_exit(leak_helper_exit);
MODULE_DESCRIPTION("Leaks 64-byte objects through a shared helper");
MODULE_LICENSE("GPL");
