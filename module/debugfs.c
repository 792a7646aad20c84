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
#include <allocsite/debugfs.h>
#include <allocsite/report.h>
#include <allocsite/state.h>
#include <allocsite/wrap.h>

static struct dentry *dir;

/* sites and allocinfo: iterate over a snapshot. */

static void *next_row(struct seq_file *m, void *v, loff_t *pos)
{
	const struct asite_snapshot *snap = *(struct asite_snapshot **)m->private;
	loff_t i = (*pos)++;

	return i < snap->nr ? (void *)&snap->rows[i] : NULL;
}

static void *start_rows(struct seq_file *m, loff_t *pos)
{
	const struct asite_snapshot *snap = *(struct asite_snapshot **)m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= snap->nr ? (void *)&snap->rows[*pos - 1] : NULL;
}

static void stop_rows(struct seq_file *m, void *v)
{
}

static int show_sites(struct seq_file *m, void *v)
{
	const struct asite_snapshot *snap = *(struct asite_snapshot **)m->private;

	if (v == SEQ_START_TOKEN)
		asite_report_sites_head(m, snap);
	else
		asite_report_sites_row(m, snap, v);
	return 0;
}

static int show_allocinfo(struct seq_file *m, void *v)
{
	const struct asite_snapshot *snap = *(struct asite_snapshot **)m->private;

	if (v == SEQ_START_TOKEN)
		asite_report_allocinfo_head(m, snap);
	else
		asite_report_allocinfo_row(m, snap, v);
	return 0;
}

static const struct seq_operations sites_seq_ops = {
	.start	= start_rows,
	.next	= next_row,
	.stop	= stop_rows,
	.show	= show_sites,
};

static const struct seq_operations allocinfo_seq_ops = {
	.start	= start_rows,
	.next	= next_row,
	.stop	= stop_rows,
	.show	= show_allocinfo,
};

static int open_snapshot(struct file *file, const struct seq_operations *ops,
			 enum asite_snapshot_kind kind)
{
	struct asite_snapshot **slot;

	slot = __seq_open_private(file, ops, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	*slot = asite_report_snapshot(kind);
	if (*slot)
		return 0;
	seq_release_private(file_inode(file), file);
	return -ENOMEM;
}

static int open_sites(struct inode *inode, struct file *file)
{
	return open_snapshot(file, &sites_seq_ops, ASITE_SNAPSHOT_SITES);
}

static int open_allocinfo(struct inode *inode, struct file *file)
{
	return open_snapshot(file, &allocinfo_seq_ops, ASITE_SNAPSHOT_CALLERS);
}

static int release_snapshot(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	asite_report_snapshot_free(*(struct asite_snapshot **)m->private);
	return seq_release_private(inode, file);
}

static const struct file_operations sites_fops = {
	.owner		= THIS_MODULE,
	.open		= open_sites,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= release_snapshot,
};

static const struct file_operations allocinfo_fops = {
	.owner		= THIS_MODULE,
	.open		= open_allocinfo,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= release_snapshot,
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

#define CONTROL_MAX	(KSYM_NAME_LEN + 16)

static int control_show(struct seq_file *m, void *v)
{
	asite_report_control(m);
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static int obey(const char *word)
{
	if (!strcmp(word, "on"))
		return asite_state_set(true);
	if (!strcmp(word, "off"))
		return asite_state_set(false);
	if (!strcmp(word, "reset"))
		return asite_state_reset();
	if (!strncmp(word, "wrap ", 5))
		return asite_wrap_change(skip_spaces(word + 5));
	pr_warn("control: '%s' is not known: write on, off, reset, wrap +SYMBOL or wrap -SYMBOL\n",
		word);
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len,
			     loff_t *pos)
{
	char *buf;
	int err;

	if (len > CONTROL_MAX) {
		pr_warn("control: %zu bytes are too many: write on, off, reset or wrap\n", len);
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
} files[] = {
	{ "sites",	0400, &sites_fops },
	{ "allocinfo",	0400, &allocinfo_fops },
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
		file = debugfs_create_file(files[i].name, files[i].mode, dir, NULL,
					   files[i].fops);
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
