// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the fields of struct kmem_cache. Two caches of known sizes and names are
 * made; a field is where both hold what they must, and nowhere else. A constructor
 * keeps the caches from being merged with others.
 *
 * Contexts: task, at load; asite_caches_name() in any.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <allocsite/caches.h>
#include <compat/slab.h>

#define PROBE_NAME	"allocsite_probe"
#define OTHER_NAME	"allocsite_other"
#define OTHER_BYTES	1013	/* odd, so that no other field is likely to equal it */

/*
 * The struct has 200 to 300 bytes before what depends on the number of nodes, both fields in the
 * first half. No further than it is long: behind it stands another cache's, or what is left of
 * one that an earlier load of this module made.
 */
#define LOOK_BYTES	256
#define NOT_FOUND	UINT_MAX

struct asite_cache_layout asite_cache_layout __read_mostly;
struct kmem_cache *asite_probe_cache;

void asite_caches_name(const struct kmem_cache *s, char *name, size_t len)
{
	const char *from = *(const char * const *)((const char *)s + asite_cache_layout.name);

	strscpy(name, from ?: "", len);
}

static void construct(void *object)
{
}

/* A copy of the start of a cache's struct; the allocator's own, so it may change. */
static bool copy_struct(const struct kmem_cache *s, void *copy)
{
	return !copy_from_kernel_nofault(copy, s, LOOK_BYTES);
}

/* "size, object_size" of a cache: the slot is the object and at most some debugging. */
static bool is_size(const unsigned int *field, unsigned int object_size)
{
	return field[1] == object_size && field[0] >= object_size &&
	       field[0] <= object_size + 1024;
}

static unsigned int find_size(const void *probe, const void *other)
{
	unsigned int at, found = NOT_FOUND;

	for (at = 0; at + 2 * sizeof(int) <= LOOK_BYTES; at += sizeof(int)) {
		if (!is_size(probe + at, ASITE_PROBE_BYTES) || !is_size(other + at, OTHER_BYTES))
			continue;
		if (found != NOT_FOUND)
			return NOT_FOUND;
		found = at;
	}
	return found;
}

/* Whatever the word is, it is not followed unless it can be read. */
static bool is_name(const void *field, const char *name, size_t len)
{
	char copy[sizeof(PROBE_NAME)];
	const void *from = *(void * const *)field;

	return !copy_from_kernel_nofault(copy, from, len) && !memcmp(copy, name, len);
}

static unsigned int find_name(const void *probe, const void *other)
{
	unsigned int at;

	BUILD_BUG_ON(sizeof(OTHER_NAME) > sizeof(PROBE_NAME));
	for (at = 0; at + sizeof(char *) <= LOOK_BYTES; at += sizeof(char *)) {
		if (is_name(probe + at, PROBE_NAME, sizeof(PROBE_NAME)) &&
		    is_name(other + at, OTHER_NAME, sizeof(OTHER_NAME)))
			return at;
	}
	return NOT_FOUND;
}

static int find_fields(const struct kmem_cache *other)
{
	void *probe_copy = kmalloc(2 * LOOK_BYTES, GFP_KERNEL);
	void *other_copy = probe_copy + LOOK_BYTES;
	int err = -EOPNOTSUPP;

	if (!probe_copy)
		return -ENOMEM;
	if (!copy_struct(asite_probe_cache, probe_copy) || !copy_struct(other, other_copy))
		goto out;
	asite_cache_layout.size = find_size(probe_copy, other_copy);
	asite_cache_layout.name = find_name(probe_copy, other_copy);
	if (asite_cache_layout.size != NOT_FOUND && asite_cache_layout.name != NOT_FOUND)
		err = 0;
out:
	kfree(probe_copy);
	return err;
}

/* A cache of the kernel's own must make sense, too. */
static bool is_plausible(void)
{
	unsigned int size = asite_caches_size(asite_k_kmalloc_cache(64));

	return size >= 64 && size < 64 + 1024 && !(size % 8);
}

int asite_caches_init(void)
{
	struct kmem_cache *other;
	int err = -ENOMEM;

	asite_probe_cache = kmem_cache_create(PROBE_NAME, ASITE_PROBE_BYTES, 0, 0, construct);
	other = kmem_cache_create(OTHER_NAME, OTHER_BYTES, 0, 0, construct);
	if (asite_probe_cache && other)
		err = find_fields(other);
	if (!err && !is_plausible())
		err = -EOPNOTSUPP;
	kmem_cache_destroy(other);
	if (!err)
		return 0;
	if (err == -EOPNOTSUPP)
		pr_err("struct kmem_cache of this kernel is not understood: no size or name where it was looked for\n");
	asite_caches_exit();
	return err;
}

void asite_caches_exit(void)
{
	kmem_cache_destroy(asite_probe_cache);
}
