// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_test: the cases of the cores (selftests/cases), run in the kernel.
 *
 * The cores are compiled into this module; it is never linked against
 * allocsite.ko and may be loaded beside it. The cases run once, when it is
 * loaded. Loading succeeds whether they pass or not, since a module that
 * refused to load could not show why: /sys/kernel/debug/asite_test/results
 * holds the KTAP report, and each "not ok" is in the log too. Loading fails
 * only if the report cannot be made.
 *
 * Context: task. Lock: none; init has all to itself, afterwards the report is
 * only read.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <allocsite/mem.h>

/*
 * mem.c under other names, so that the cases can let an allocation fail. Its
 * header is read twice: for those names, and for the ones that the cores call.
 */
#undef ALLOCSITE_MEM_H
#define asite_mem_alloc		real_mem_alloc
#define asite_mem_alloc_percpu	real_mem_alloc_percpu
#include "../../module/mem.c"
#undef asite_mem_alloc
#undef asite_mem_alloc_percpu

#include "cases.h"

#define REPORT_BYTES	SZ_32K

static char *report;
static struct debugfs_blob_wrapper report_blob;
static struct dentry *test_dir;
/* Allocations until one fails, 0 for never. */
static long fail_in;

void case_fail_nth(long n)
{
	fail_in = n;
}

static bool fails_now(void)
{
	return fail_in && --fail_in == 0;
}

void *asite_mem_alloc(size_t bytes)
{
	return fails_now() ? NULL : real_mem_alloc(bytes);
}

void __percpu *asite_mem_alloc_percpu(size_t bytes)
{
	return fails_now() ? NULL : real_mem_alloc_percpu(bytes);
}

char *case_text(const char *text)
{
	return kstrdup(text, GFP_KERNEL);
}

void case_print(const char *fmt, ...)
{
	unsigned long room = REPORT_BYTES - report_blob.size;
	char *line = report + report_blob.size;
	va_list args;

	va_start(args, fmt);
	report_blob.size += vscnprintf(line, room, fmt, args);
	va_end(args);
	if (!strncmp(line, "not ok", 6) || line[0] == '#')
		pr_err("%s", line);
}

#include "cases.c"

static int __init asite_test_init(void)
{
	unsigned int failed;

	report = vzalloc(REPORT_BYTES);
	if (!report)
		return -ENOMEM;
	report_blob.data = report;
	failed = cases_run();
	pr_info("%u cases failed of %u\n", failed, count_cases());

	test_dir = debugfs_create_dir("asite_test", NULL);
	if (IS_ERR(test_dir)) {
		vfree(report);
		return PTR_ERR(test_dir);
	}
	debugfs_create_blob("results", 0400, test_dir, &report_blob);
	return 0;
}

static void __exit asite_test_exit(void)
{
	debugfs_remove_recursive(test_dir);
	vfree(report);
}

module_init(asite_test_init);
module_exit(asite_test_exit);
MODULE_DESCRIPTION("in-kernel unit tests of allocsite's cores");
MODULE_LICENSE("GPL");
