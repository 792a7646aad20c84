// SPDX-License-Identifier: GPL-2.0-only
/*
 * From addresses to text: resolving, telling call sites from trampolines, and
 * retiring the sites of modules before their addresses are used again. Counters
 * and formats are elsewhere.
 *
 * A module's init text is freed without a notice of its own: its sites are
 * retired when the module becomes live, when init has returned. All its other
 * sites are retired when it goes. When a module comes, whatever was seen in its
 * range before (a freed BPF image, say) is not its doing and is hidden.
 *
 * Contexts: task; asite_table_lock is taken by the notifier, held by callers of
 * asite_text_site(). Lock order: module notifier chain, asite_table_lock.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <allocsite/context.h>
#include <allocsite/stack_text.h>
#include <allocsite/state.h>
#include <allocsite/stats.h>
#include <allocsite/text.h>
#include <allocsite/track.h>
#include <allocsite/walk.h>
#include <compat/module.h>

/* Return addresses that probes and tracers put in place of the caller's. */
static const char * const trampolines[] = {
	"arch_rethook_trampoline",
	"__kretprobe_trampoline",
	"kretprobe_trampoline",
	"return_to_handler",
	"asite_tramp_",
	"asite_sampled_tramp_",
};

#define BPF_TAG_DIGITS	16	/* of a program, in hexadecimal */

/* BPF images: kallsyms knows them by key or tag, as no function of C is named. */
static bool is_image(const char *symbol)
{
	size_t len;

	len = str_has_prefix(symbol, "bpf_trampoline_");
	if (len)
		return isdigit(symbol[len]);
	len = str_has_prefix(symbol, "bpf_prog_");
	return len && strspn(symbol + len, "0123456789abcdef") == BPF_TAG_DIGITS;
}

bool asite_text_is_hidden(const char *symbol)
{
	unsigned int i;

	/* sprint_symbol() prints the address itself if it knows no symbol. */
	if (!strncmp(symbol, "0x", 2))
		return true;
	for (i = 0; i < ARRAY_SIZE(trampolines); i++) {
		if (str_has_prefix(symbol, trampolines[i]))
			return true;
	}
	return is_image(symbol);
}

static bool resolve(unsigned long address, char *buf)
{
	sprint_symbol(buf, address);
	return !asite_text_is_hidden(buf);
}

bool asite_text_site(const struct asite_site *site, char *buf)
{
	if (site->kind == ASITE_OVERFLOW) {
		strscpy(buf, "[overflow]", ASITE_TEXT_LEN);
		return true;
	}
	if (site->caller == ASITE_KEY_LOST) {
		strscpy(buf, ASITE_TEXT_LOST, ASITE_TEXT_LEN);
		return true;
	}
	if (site->state == ASITE_SITE_GONE) {
		snprintf(buf, ASITE_TEXT_LEN, "%s (gone)", site->text ?: "[text lost]");
		return true;
	}
	if (site->state == ASITE_SITE_LIVE && resolve(site->caller, buf))
		return true;
	strscpy(buf, ASITE_TEXT_HIDDEN, ASITE_TEXT_LEN);
	return false;
}

/* Retiring. */

struct retirement {
	struct asite_range range;
	bool hide;
	unsigned int pass;
	char *buf;
};

static void set_text(struct asite_site *site, char *buf)
{
	if (!resolve(site->caller, buf)) {
		WRITE_ONCE(site->state, ASITE_SITE_HIDDEN);
		return;
	}
	site->text = kstrdup(buf, GFP_KERNEL | __GFP_NOWARN);
	if (!site->text)
		asite_stat_inc(ASITE_STAT_TEXT_LOST);
	WRITE_ONCE(site->state, ASITE_SITE_GONE);
}

static bool match_range(struct asite_site *site, void *data)
{
	const struct retirement *r = data;

	/* One whose key died before, with its cache, still names an address. */
	if (site->state != ASITE_SITE_LIVE ||
	    site->caller < r->range.start || site->caller >= r->range.end)
		return false;
	site->pass = r->pass;
	if (r->hide)
		WRITE_ONCE(site->state, ASITE_SITE_HIDDEN);
	else
		set_text(site, r->buf);
	asite_stat_inc(ASITE_STAT_RETIRED);
	return true;
}

static void retire(struct asite_range range, bool hide)
{
	static char buf[ASITE_TEXT_LEN];	/* under asite_table_lock */
	static unsigned int pass;		/* under asite_table_lock */
	struct retirement r = { .range = range, .hide = hide, .buf = buf };

	if (range.start == range.end)
		return;
	mutex_lock(&asite_table_lock);
	r.pass = ++pass;
	asite_context_cut(range.start, range.end);
	asite_sites_retire(&asite_track.sites, match_range, &r);
	asite_stack_text_forget(range.start, range.end, hide ? "[unknown]" : NULL);
	mutex_unlock(&asite_table_lock);
}

/* What was learned of its addresses. */
static void forget(struct asite_range range)
{
	if (range.start != range.end)
		asite_walk_forget(range.start, range.end);
}

static int on_module(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *mod = data;

	switch (event) {
	case MODULE_STATE_COMING:
		retire(asite_k_module_init(mod), true);
		retire(asite_k_module_core(mod), true);
		break;
	case MODULE_STATE_LIVE:
		retire(asite_k_module_init(mod), false);
		forget(asite_k_module_init(mod));
		break;
	case MODULE_STATE_GOING:
		retire(asite_k_module_init(mod), false);
		retire(asite_k_module_core(mod), false);
		forget(asite_k_module_init(mod));
		forget(asite_k_module_core(mod));
		break;
	}
	return NOTIFY_OK;
}

/* After all others, whose work may still allocate in the module's name. */
static struct notifier_block module_nb = {
	.notifier_call	= on_module,
	.priority	= INT_MIN + 1,
};

int asite_text_init(void)
{
	return register_module_notifier(&module_nb);
}

void asite_text_exit(void)
{
	unregister_module_notifier(&module_nb);
}
