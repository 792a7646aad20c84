// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_wrap: wrappers of slab allocators, kvmalloc() that becomes vmalloc()
 * among them.
 *
 * Each function calls one wrapper, is never inlined, and ends in a barrier, so
 * that the call is no tail call. Task context, under wrap_lock.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/kfifo.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "wrap.h"
#include "wrap_compat.h"

const char __user *wrap_user;

/* What is copied. */
static const char wrap_bytes[1024];
static const char wrap_string[] = "thirty characters and one more";

/* More than kmalloc() gives at all, and no multiple of a page. */
#define WRAP_HUGE	(5 * 1024 * 1024 - 3)
/* Of so many pages the array is an area too, with an array of its own. */
#define WRAP_HUGE_BYTES	(DIV_ROUND_UP(WRAP_HUGE, PAGE_SIZE) * sizeof(void *))
#define WRAP_HUGE_ARRAY	\
	{ "vmalloc", NULL, WRAP_HUGE_BYTES, .maybe = true }, WRAP_ARRAY(WRAP_HUGE_BYTES)
/* More than any kmalloc cache has. */
#define WRAP_LARGE	20000

static void put_kfree(void *p)
{
	kfree(p);
}

static void put_kvfree(void *p)
{
	kvfree(p);
}

/* -- kvmalloc -------------------------------------------------------------- */

static noinline __noclone void *wrap_kvmalloc(void)
{
	void *p = kvmalloc(600, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kvmalloc_large(void)
{
	void *p = kvmalloc(WRAP_LARGE, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kvmalloc_huge(void)
{
	void *p = kvmalloc(WRAP_HUGE, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kvzalloc(void)
{
	void *p = kvzalloc(100, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kvzalloc_huge(void)
{
	void *p = kvzalloc(WRAP_HUGE, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kvcalloc(void)
{
	void *p = kvcalloc(30, 40, GFP_KERNEL);

	barrier();
	return p;
}

/* -- copies ---------------------------------------------------------------- */

static noinline __noclone void *wrap_kmemdup(void)
{
	void *p = kmemdup(wrap_bytes, 500, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kmemdup_nul(void)
{
	void *p = kmemdup_nul(wrap_bytes, 70, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kstrdup(void)
{
	void *p = kstrdup(wrap_string, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kstrndup(void)
{
	void *p = kstrndup(wrap_string, 20, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_kasprintf(void)
{
	void *p = kasprintf(GFP_KERNEL, "%s, %s", wrap_string, wrap_string);

	barrier();
	return p;
}

static void *good_or_null(void *p)
{
	return IS_ERR(p) ? NULL : p;
}

static noinline __noclone void *wrap_memdup_user(void)
{
	void *p = memdup_user(wrap_user, WRAP_USER_BYTES);

	barrier();
	return good_or_null(p);
}

static noinline __noclone void *wrap_memdup_user_nul(void)
{
	void *p = memdup_user_nul(wrap_user, WRAP_USER_BYTES);

	barrier();
	return good_or_null(p);
}

static noinline __noclone void *wrap_vmemdup_user(void)
{
	void *p = vmemdup_user(wrap_user, WRAP_USER_BYTES);

	barrier();
	return good_or_null(p);
}

/* -- krealloc -------------------------------------------------------------- */

static noinline __noclone void *wrap_krealloc(void)
{
	void *old = kmalloc(40, GFP_KERNEL);
	void *p = krealloc(old, 700, GFP_KERNEL);

	barrier();
	if (!p)
		kfree(old);
	return p;
}

static noinline __noclone void *wrap_krealloc_array(void)
{
	void *p = asite_k_krealloc_array(NULL, 50, 30, GFP_KERNEL);

	barrier();
	return p;
}

/* -- lib ------------------------------------------------------------------- */

static noinline __noclone void *wrap_bitmap_alloc(void)
{
	void *p = bitmap_alloc(1000, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_bitmap_zalloc(void)
{
	void *p = bitmap_zalloc(3000, GFP_KERNEL);

	barrier();
	return p;
}

static void put_bitmap(void *p)
{
	bitmap_free(p);
}

static struct sg_table wrap_sg, wrap_sg_page;

static noinline __noclone void *wrap_sg_alloc_table(void)
{
	int err = sg_alloc_table(&wrap_sg, 20, GFP_KERNEL);

	barrier();
	return err ? NULL : &wrap_sg;
}

/* So many entries are a page, which comes from the page allocator. */
static noinline __noclone void *wrap_sg_alloc_page(void)
{
	int err = sg_alloc_table(&wrap_sg_page, SG_MAX_SINGLE_ALLOC, GFP_KERNEL);

	barrier();
	return err ? NULL : &wrap_sg_page;
}

static void put_sg(void *p)
{
	sg_free_table(p);
}

static DECLARE_KFIFO_PTR(wrap_fifo, u64);

static noinline __noclone void *wrap_kfifo_alloc(void)
{
	int err = kfifo_alloc(&wrap_fifo, 128, GFP_KERNEL);

	barrier();
	return err ? NULL : &wrap_fifo;
}

static void put_kfifo(void *p)
{
	kfifo_free(&wrap_fifo);
}

/* -- the table ------------------------------------------------------------- */

static const struct wrap_site rows[] = {
	{ "wrap_kvmalloc", wrap_kvmalloc, put_kvfree, 7,
	  .claims = { { "kmalloc", NULL, 600 } } },
	{ "wrap_kvmalloc_large", wrap_kvmalloc_large, put_kvfree, 3,
	  .claims = { { "kmalloc_large", NULL, WRAP_LARGE } } },
	{ "wrap_kvmalloc_huge", wrap_kvmalloc_huge, put_kvfree, 2,
	  .claims = { { "vmalloc", NULL, WRAP_HUGE }, WRAP_HUGE_ARRAY } },
	{ "wrap_kvzalloc", wrap_kvzalloc, put_kvfree, 5,
	  .claims = { { "kmalloc", NULL, 100 } } },
	{ "wrap_kvzalloc_huge", wrap_kvzalloc_huge, put_kvfree, 1,
	  .claims = { { "vmalloc", NULL, WRAP_HUGE }, WRAP_HUGE_ARRAY } },
	{ "wrap_kvcalloc", wrap_kvcalloc, put_kvfree, 3,
	  .claims = { { "kmalloc", NULL, 1200 } } },
	{ "wrap_kmemdup", wrap_kmemdup, put_kfree, 11,
	  .claims = { { "kmalloc", NULL, 500 } } },
	{ "wrap_kmemdup_nul", wrap_kmemdup_nul, put_kfree, 13,
	  .claims = { { "kmalloc", NULL, 71 } } },
	{ "wrap_kstrdup", wrap_kstrdup, put_kfree, 17,
	  .claims = { { "kmalloc", NULL, sizeof(wrap_string) } } },
	{ "wrap_kstrndup", wrap_kstrndup, put_kfree, 19,
	  .claims = { { "kmalloc", NULL, 21 } } },
	{ "wrap_kasprintf", wrap_kasprintf, put_kfree, 5,
	  .claims = { { "kmalloc", NULL, 2 * sizeof(wrap_string) + 1 } } },
	{ "wrap_memdup_user", wrap_memdup_user, put_kfree, 7,
	  .claims = { { "kmalloc", NULL, WRAP_USER_BYTES } } },
	{ "wrap_memdup_user_nul", wrap_memdup_user_nul, put_kfree, 11,
	  .claims = { { "kmalloc", NULL, WRAP_USER_BYTES + 1 } } },
	{ "wrap_vmemdup_user", wrap_vmemdup_user, put_kvfree, 13,
	  .claims = { { "kmalloc", NULL, WRAP_USER_BYTES } } },
	{ "wrap_krealloc", wrap_krealloc, put_kfree, 3,
	  .claims = { { "kmalloc", NULL, 700 } } },
	{ "wrap_krealloc_array", wrap_krealloc_array, put_kfree, 5,
	  .absent = ASITE_K_NO_KREALLOC_ARRAY,
	  .claims = { { "kmalloc", NULL, 1500 } } },
	{ "wrap_bitmap_alloc", wrap_bitmap_alloc, put_bitmap, 7,
	  .claims = { { "kmalloc", NULL, BITS_TO_LONGS(1000) * sizeof(long) } } },
	{ "wrap_bitmap_zalloc", wrap_bitmap_zalloc, put_bitmap, 5,
	  .claims = { { "kmalloc", NULL, BITS_TO_LONGS(3000) * sizeof(long) } } },
	{ "wrap_sg_alloc_table", wrap_sg_alloc_table, put_sg, 1,
	  .claims = { { "kmalloc", NULL, 20 * sizeof(struct scatterlist) } } },
	{ "wrap_sg_alloc_page", wrap_sg_alloc_page, put_sg, 1,
	  .claims = { { "page", NULL, PAGE_SIZE } } },
	{ "wrap_kfifo_alloc", wrap_kfifo_alloc, put_kfifo, 1,
	  .claims = { { "kmalloc", NULL, 128 * sizeof(u64) } } },
};

const struct wrap_table wrap_slab = { rows, ARRAY_SIZE(rows) };
