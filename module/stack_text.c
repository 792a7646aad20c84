// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text of frames, while it means something. When a module's text goes, stacks that have a frame
 * in it are found no more, and the names of these frames are kept for those that have objects
 * yet. A later module at the same addresses gets stacks of its own.
 *
 * Contexts: task, asite_table_lock held.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <allocsite/frames.h>
#include <allocsite/mem.h>
#include <allocsite/stack_text.h>
#include <allocsite/stacks.h>
#include <allocsite/stats.h>
#include <allocsite/text.h>

struct hlist_head asite_gone_table[1 << ASITE_GONE_BITS];
struct asite_gone_name *asite_gone_names;

static const struct asite_gone *find_gone(u32 handle, u32 frame)
{
	const struct asite_gone *gone;

	hlist_for_each_entry(gone, asite_gone_bucket(handle), node) {
		if (gone->handle == handle && gone->frame == frame)
			return gone;
	}
	return NULL;
}

void asite_stack_text(u32 handle, u32 frame, char *buf)
{
	const struct asite_gone *gone = find_gone(handle, frame);

	if (gone) {
		snprintf(buf, ASITE_TEXT_LEN, "%s (gone)",
			 gone->name ? gone->name->text : "[text lost]");
		return;
	}
	sprint_symbol(buf, asite_frames_address(frame));
	/* An image that is there no more, or never had a name. */
	if (!strncmp(buf, "0x", 2))
		strscpy(buf, "[unknown]", ASITE_TEXT_LEN);
}

/* Going. */

struct passing {
	unsigned long start;
	unsigned long end;
	const struct asite_gone_name *before;	/* names from here on are of earlier passes */
	const char *all;		/* the name of all, or NULL */
	char *buf;
};

static struct asite_gone_name *keep_name(struct passing *p, u32 frame)
{
	struct asite_gone_name *name;
	size_t bytes;

	for (name = asite_gone_names; name != p->before; name = name->next) {
		if (name->frame == frame)
			return name;
	}
	if (p->all)
		strscpy(p->buf, p->all, ASITE_TEXT_LEN);
	else
		sprint_symbol(p->buf, asite_frames_address(frame));
	bytes = struct_size(name, text, strlen(p->buf) + 1);
	name = kmalloc(bytes, GFP_KERNEL | __GFP_NOWARN);
	if (!name)
		return NULL;
	asite_mem_account(bytes);
	name->frame = frame;
	name->bytes = bytes;
	strcpy(name->text, p->buf);
	name->next = asite_gone_names;
	asite_gone_names = name;
	return name;
}

/* Without memory even for this it has no name, if nothing else comes there. */
static void keep_frame(struct passing *p, u32 handle, u32 frame)
{
	struct asite_gone *gone;

	if (find_gone(handle, frame))
		return;
	gone = kmalloc(sizeof(*gone), GFP_KERNEL | __GFP_NOWARN);
	if (!gone) {
		asite_stat_inc(ASITE_STAT_TEXT_LOST);
		return;
	}
	asite_mem_account(sizeof(*gone));
	gone->handle = handle;
	gone->frame = frame;
	gone->name = keep_name(p, frame);
	if (!gone->name)
		asite_stat_inc(ASITE_STAT_TEXT_LOST);
	hlist_add_head(&gone->node, asite_gone_bucket(handle));
}

static bool is_passing(const struct passing *p, u32 frame)
{
	unsigned long address = asite_frames_address(frame);

	return address >= p->start && address < p->end;
}

static void pass(struct passing *p, u32 handle)
{
	unsigned int i, nr;
	const u32 *frames = asite_depot_frames(&asite_stacks, handle, &nr);
	bool any = false;

	for (i = 0; i < nr; i++) {
		if (!is_passing(p, frames[i]))
			continue;
		any = true;
		keep_frame(p, handle, frames[i]);
	}
	if (any)
		asite_depot_unlink(&asite_stacks, handle);
}

void asite_stack_text_forget(unsigned long start, unsigned long end, const char *all)
{
	static char buf[ASITE_TEXT_LEN];	/* under asite_table_lock */
	struct passing p = {
		.start = start, .end = end, .before = asite_gone_names, .all = all, .buf = buf,
	};
	long handle;

	if (!asite_stacks.index || start == end)
		return;
	asite_frames_forget(start, end);
	for (handle = asite_depot_next(&asite_stacks, -1); handle >= 0;
	     handle = asite_depot_next(&asite_stacks, handle)) {
		pass(&p, handle);
		cond_resched();
	}
}

void asite_stack_text_reset(void)
{
	struct hlist_node *next;
	struct asite_gone *gone;
	struct asite_gone_name *name;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asite_gone_table); i++) {
		hlist_for_each_entry_safe(gone, next, &asite_gone_table[i], node) {
			hlist_del(&gone->node);
			asite_mem_account(-(long)sizeof(*gone));
			kfree(gone);
		}
	}
	while ((name = asite_gone_names)) {
		asite_gone_names = name->next;
		asite_mem_account(-(long)name->bytes);
		kfree(name);
	}
}
