// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files, modes, control writes. No formatting here: that is report.c.
 *
 * Reports are 0400: they tell which code runs. Their text holds no raw address.
 *
 * Contexts: task. A snapshot lives as long as its file is open.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <allocsite/abi.h>
#include <allocsite/context.h>
#include <allocsite/debugfs.h>
#include <allocsite/report.h>
#include <allocsite/row_filter.h>
#include <allocsite/stacks.h>
#include <allocsite/state.h>
#include <allocsite/wrap.h>

static struct dentry *dir;

/* Reports of rows: iterate over a snapshot. */

/* What differs between them: how the snapshot is taken, its head, its rows. */
struct format {
	enum asite_snapshot_kind kind;
	void (*head)(struct seq_file *m, const struct asite_snapshot *snap);
	void (*row)(struct seq_file *m, const struct asite_snapshot *snap,
		    const struct asite_row *row);
};

static const struct format sites_format = {
	ASITE_SNAPSHOT_SITES, asite_report_sites_head, asite_report_sites_row,
};

static const struct format allocinfo_format = {
	ASITE_SNAPSHOT_CALLERS, asite_report_allocinfo_head, asite_report_allocinfo_row,
};

static const struct format stacks_format = {
	ASITE_SNAPSHOT_STACKS, asite_report_stacks_head, asite_report_stacks_row,
};

static const struct format folded_format = {
	ASITE_SNAPSHOT_STACKS, NULL, asite_report_folded_row,
};

/* An open report. */
struct report {
	const struct format *format;
	struct asite_snapshot *snap;
};

static void *row_at(const struct asite_snapshot *snap, loff_t i)
{
	return i < snap->nr ? (void *)&snap->rows[i] : NULL;
}

static void *next_row(struct seq_file *m, void *v, loff_t *pos)
{
	const struct report *report = m->private;

	return row_at(report->snap, (*pos)++);
}

static void *start_rows(struct seq_file *m, loff_t *pos)
{
	const struct report *report = m->private;

	return *pos ? row_at(report->snap, *pos - 1) : SEQ_START_TOKEN;
}

static void stop_rows(struct seq_file *m, void *v)
{
}

static int show_row(struct seq_file *m, void *v)
{
	const struct report *report = m->private;

	if (v != SEQ_START_TOKEN)
		report->format->row(m, report->snap, v);
	else if (report->format->head)
		report->format->head(m, report->snap);
	return 0;
}

static const struct seq_operations rows_seq_ops = {
	.start	= start_rows,
	.next	= next_row,
	.stop	= stop_rows,
	.show	= show_row,
};

static int open_rows(struct inode *inode, struct file *file)
{
	struct report *report = __seq_open_private(file, &rows_seq_ops, sizeof(*report));

	if (!report)
		return -ENOMEM;
	report->format = inode->i_private;
	report->snap = asite_report_snapshot(report->format->kind);
	if (report->snap)
		return 0;
	seq_release_private(inode, file);
	return -ENOMEM;
}

static int release_rows(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct report *report = m->private;

	asite_report_snapshot_free(report->snap);
	return seq_release_private(inode, file);
}

static const struct file_operations rows_fops = {
	.owner		= THIS_MODULE,
	.open		= open_rows,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= release_rows,
};

/* context: the head, then records, of a snapshot of its own. */

struct context_report {
	struct asite_context_snapshot *snap;
};

static void *start_context(struct seq_file *m, loff_t *pos)
{
	const struct context_report *report = m->private;

	/* What is handed on is where it stands, plus 1, as NULL is the end. */
	return *pos <= asite_context_rows(report->snap) ? (void *)(uintptr_t)(*pos + 1) : NULL;
}

static void *next_context(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return start_context(m, pos);
}

static int show_context(struct seq_file *m, void *v)
{
	const struct context_report *report = m->private;

	asite_context_show(m, report->snap, (uintptr_t)v - 1);
	return 0;
}

static const struct seq_operations context_seq_ops = {
	.start	= start_context,
	.next	= next_context,
	.stop	= stop_rows,
	.show	= show_context,
};

static int open_context(struct inode *inode, struct file *file)
{
	struct context_report *report;

	report = __seq_open_private(file, &context_seq_ops, sizeof(*report));
	if (!report)
		return -ENOMEM;
	report->snap = asite_context_snapshot();
	if (report->snap)
		return 0;
	seq_release_private(inode, file);
	return -ENOMEM;
}

static int release_context(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct context_report *report = m->private;

	asite_context_snapshot_free(report->snap);
	return seq_release_private(inode, file);
}

static const struct file_operations context_fops = {
	.owner		= THIS_MODULE,
	.open		= open_context,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= release_context,
};

/* stats and hooks: one page or so, written at once. */

static int stats_show(struct seq_file *m, void *v)
{
	asite_report_stats(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int hooks_show(struct seq_file *m, void *v)
{
	asite_report_hooks(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hooks);

/* control */

#define CONTROL_MAX	(KSYM_SYMBOL_LEN + 32)

static int control_show(struct seq_file *m, void *v)
{
	asite_report_control(m);
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static int obey(char *word)
{
	if (!strcmp(word, "on"))
		return asite_state_set(true);
	if (!strcmp(word, "off"))
		return asite_state_set(false);
	if (!strcmp(word, "reset"))
		return asite_state_reset();
	if (!strncmp(word, "stacks ", 7))
		return asite_stacks_set(skip_spaces(word + 7));
	if (!strncmp(word, "filter ", 7))
		return asite_row_filter_set(skip_spaces(word + 7));
	if (!strncmp(word, "context ", 8))
		return asite_context_change(skip_spaces(word + 8));
	if (!strncmp(word, "wrap ", 5))
		return asite_wrap_change(skip_spaces(word + 5));
	pr_warn("control: '%s' is not known: write on, off, reset, stacks N, stacks off, filter ..., context SITE on, context SITE off, wrap +SYMBOL or wrap -SYMBOL\n",
		word);
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len,
			     loff_t *pos)
{
	char *buf;
	int err;

	if (len > CONTROL_MAX) {
		pr_warn("control: %zu bytes are too many: write on, off, reset, stacks, filter, context or wrap\n",
			len);
		return -E2BIG;
	}
	buf = memdup_user_nul(from, len);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = obey(strim(buf));
	kfree(buf);
	return err ?: len;
}

static const struct file_operations control_fops = {
	.owner		= THIS_MODULE,
	.open		= control_open,
	.read		= seq_read,
	.write		= control_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	const struct format *format;
} files[] = {
	{ "sites",	0400, &rows_fops, &sites_format },
	{ "allocinfo",	0400, &rows_fops, &allocinfo_format },
	{ "stacks",	0400, &rows_fops, &stacks_format },
	{ "folded",	0400, &rows_fops, &folded_format },
	{ "context",	0400, &context_fops },
	{ "stats",	0400, &stats_fops },
	{ "hooks",	0400, &hooks_fops },
	{ "control",	0600, &control_fops },
};

int asite_debugfs_init(void)
{
	struct dentry *file;
	unsigned int i;

	dir = debugfs_create_dir(ASITE_DIR, NULL);
	if (IS_ERR(dir)) {
		pr_err("no directory in debugfs (error %ld): boot without debugfs=off, out of lockdown, and without another %s loaded\n",
		       PTR_ERR(dir), ASITE_DIR);
		return PTR_ERR(dir);
	}
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode, dir,
					   (void *)files[i].format, files[i].fops);
		if (!IS_ERR(file))
			continue;
		pr_err("no file %s in debugfs (error %ld)\n", files[i].name, PTR_ERR(file));
		debugfs_remove(dir);
		return PTR_ERR(file);
	}
	return 0;
}

void asite_debugfs_exit(void)
{
	debugfs_remove(dir);
}
