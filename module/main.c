// SPDX-License-Identifier: GPL-2.0-only
/*
 * Init and exit order, module parameters. No hook, no data structure.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <allocsite/abi.h>
#include <allocsite/context.h>
#include <allocsite/debugfs.h>
#include <allocsite/families.h>
#include <allocsite/hooks.h>
#include <allocsite/mem.h>
#include <allocsite/sample.h>
#include <allocsite/stacks.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/text.h>
#include <allocsite/track.h>
#include <allocsite/watch.h>
#include <allocsite/wrap.h>

static char *probe = "auto";
module_param(probe, charp, 0400);
MODULE_PARM_DESC(probe, "how to attach: auto, tracepoint, ftrace or kprobe (default auto)");

static bool start = true;
module_param(start, bool, 0400);
MODULE_PARM_DESC(start, "count from load on (default 1); 0: wait for 'on' in control");

static unsigned int max_sites = 16384;
module_param(max_sites, uint, 0400);
MODULE_PARM_DESC(max_sites, "sites to tell apart, 1 to 261888 (default 16384)");

static unsigned int live_mb;
module_param(live_mb, uint, 0400);
MODULE_PARM_DESC(live_mb, "memory for live objects, 8 bytes each, in MiB, rounded down to a power of two (default 0: 1/256 to 1/128 of RAM, 1 to 1024)");

#define MAX_SITES	(ASITE_MAX_SITES_LIMIT - ASITE_OVERFLOW_SLOTS)
#define MAX_LIVE_MB	(1U << 20)

static int check_parameters(void)
{
	if (max_sites < 1 || max_sites > MAX_SITES) {
		pr_err("max_sites=%u is out of range: use 1 to %lu\n", max_sites, MAX_SITES);
		return -EINVAL;
	}
	if (live_mb > MAX_LIVE_MB) {
		pr_err("live_mb=%u is out of range: use 0 to %u\n", live_mb, MAX_LIVE_MB);
		return -EINVAL;
	}
	return asite_backend_kprobe_check() ?: asite_sample_check() ?: asite_stacks_check() ?:
	       asite_families_follow() ?: asite_hooks_set_probe(probe);
}

/* By default room for one object for each 1 to 2 KiB of RAM. */
static size_t live_bytes(void)
{
	if (live_mb)
		return (size_t)live_mb << 20;
	return clamp_t(size_t, roundup_pow_of_two((totalram_pages() << PAGE_SHIFT) / 256),
		       1UL << 20, 1UL << 30);
}

static int init_track(void)
{
	return asite_track_init(max_sites, live_bytes());
}

static int init_state(void)
{
	return start ? asite_state_set(true) : 0;
}

/* In this order; exits run backwards from the last init that succeeded. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ check_parameters,	NULL },
	{ asite_stats_init,	asite_stats_exit },
	{ init_track,		asite_track_exit },
	{ asite_wrap_init,	asite_wrap_exit },
	{ asite_families_init,	asite_families_exit },
	{ asite_stacks_init,	asite_stacks_exit },
	{ asite_context_init,	asite_context_exit },
	{ asite_text_init,	asite_text_exit },
	{ asite_watch_init,	asite_watch_exit },
	{ init_state,		asite_state_exit },
	/* Last in, first out: nobody may write "on" once it was turned off. */
	{ asite_debugfs_init,	asite_debugfs_exit },
};

static void exit_parts(int from)
{
	while (from--) {
		if (parts[from].exit)
			parts[from].exit();
	}
}

static int __init asite_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init();
		if (!err)
			continue;
		exit_parts(i);
		return err;
	}
	pr_info("%s: probe=%s, %s, %llu KiB of its own memory\n", ASITE_VERSION,
		asite_probe_name(), start ? "on" : "off", asite_mem_used() >> 10);
	if (asite_sample_bytes)
		pr_info("one object in %u bytes allocated is followed: reports are estimates\n",
			asite_sample_bytes);
	return 0;
}

static void __exit asite_exit(void)
{
	exit_parts(ARRAY_SIZE(parts));
}

module_init(asite_init);
module_exit(asite_exit);

MODULE_DESCRIPTION("Accounts kernel memory to the code that allocated it");
MODULE_LICENSE("GPL");
MODULE_VERSION(ASITE_VERSION);
