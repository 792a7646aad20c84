// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_wrap: memory of a device: DMA memory, and what goes with the device.
 *
 * Each function calls one wrapper, is never inlined, and ends in a barrier, so
 * that the call is no tail call. Task context, under wrap_lock. The device is
 * one without hardware and without a driver. Invariant: it has no memory of
 * the table's when it is removed.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>

#include "wrap.h"
#include "wrap_compat.h"

static struct platform_device *wrap_pdev;
static struct device *wrap_dev_of;

/* -- DMA memory ------------------------------------------------------------ */

/* As large as a block of pages, so that nothing is cut off it. */
#define WRAP_COHERENT	(4 * PAGE_SIZE)

static dma_addr_t coherent_handle, managed_handle, pool_handle;
static struct dma_pool *dma_pool;

static noinline __noclone void *wrap_dma_alloc_coherent(void)
{
	void *p = dma_alloc_coherent(wrap_dev_of, WRAP_COHERENT, &coherent_handle, GFP_KERNEL);

	barrier();
	return p;
}

static void put_coherent(void *p)
{
	dma_free_coherent(wrap_dev_of, WRAP_COHERENT, p, coherent_handle);
}

static noinline __noclone void *wrap_dmam_alloc_coherent(void)
{
	void *p = dmam_alloc_coherent(wrap_dev_of, PAGE_SIZE, &managed_handle, GFP_KERNEL);

	barrier();
	return p;
}

static void put_managed(void *p)
{
	dmam_free_coherent(wrap_dev_of, PAGE_SIZE, p, managed_handle);
}

/* The pool's first page, and its record of it. */
static noinline __noclone void *wrap_dma_pool_alloc(void)
{
	void *p = dma_pool_alloc(dma_pool, GFP_KERNEL, &pool_handle);

	barrier();
	return p;
}

/* Pages stay with a pool until it is gone: the row has a pool of its own. */
static void *get_from_new_pool(void)
{
	void *p;

	dma_pool = dma_pool_create("asite_wrap", wrap_dev_of, 64, 64, 0);
	if (!dma_pool)
		return NULL;
	p = wrap_dma_pool_alloc();
	if (!p)
		dma_pool_destroy(dma_pool);
	return p;
}

static void put_and_drop_pool(void *p)
{
	dma_pool_free(dma_pool, p, pool_handle);
	dma_pool_destroy(dma_pool);
}

/* -- devm ------------------------------------------------------------------ */

/* Chosen so that the kernel's header, 24 to 56 bytes, makes no other size class. */
#define WRAP_DEVM	300
#define WRAP_DEVM_HEAD	40

static noinline __noclone void *wrap_devm_kmalloc(void)
{
	void *p = devm_kmalloc(wrap_dev_of, WRAP_DEVM, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_devm_kzalloc(void)
{
	void *p = devm_kzalloc(wrap_dev_of, WRAP_DEVM, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_devm_kcalloc(void)
{
	void *p = devm_kcalloc(wrap_dev_of, 3, WRAP_DEVM, GFP_KERNEL);

	barrier();
	return p;
}

static const char devm_bytes[1500];
static const char devm_string[120] = {
	[0 ... 118] = 's'
};

static noinline __noclone void *wrap_devm_kmemdup(void)
{
	void *p = devm_kmemdup(wrap_dev_of, devm_bytes, sizeof(devm_bytes), GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_devm_kstrdup(void)
{
	void *p = devm_kstrdup(wrap_dev_of, devm_string, GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_devm_kasprintf(void)
{
	void *p = devm_kasprintf(wrap_dev_of, GFP_KERNEL, "%0300d", 1);

	barrier();
	return p;
}

static void put_devm(void *p)
{
	devm_kfree(wrap_dev_of, p);
}

static noinline __noclone void *wrap_devm_get_free_pages(void)
{
	unsigned long p = devm_get_free_pages(wrap_dev_of, GFP_KERNEL, 2);

	barrier();
	return (void *)p;
}

static void put_devm_pages(void *p)
{
	devm_free_pages(wrap_dev_of, (unsigned long)p);
}

static noinline __noclone void *wrap_devm_alloc_percpu(void)
{
	void __percpu *p = __devm_alloc_percpu(wrap_dev_of, 120, 8);

	barrier();
	return asite_k_percpu_address(p);
}

static void put_devm_percpu(void *p)
{
	asite_k_devm_free_percpu(wrap_dev_of, asite_k_percpu_pointer(p));
}

/* -- the table ------------------------------------------------------------- */

static const struct wrap_site rows[] = {
	{ "wrap_dma_alloc_coherent", wrap_dma_alloc_coherent, put_coherent, 1,
	  .claims = { { "page", NULL, WRAP_COHERENT } } },
	{ "wrap_dmam_alloc_coherent", wrap_dmam_alloc_coherent, put_managed, 1,
	  .claims = { { "page", NULL, PAGE_SIZE }, { "kmalloc", NULL, WRAP_ANY_SIZE } } },
	{ "wrap_dma_pool_alloc", get_from_new_pool, put_and_drop_pool, 1,
	  .claims = { { "page", NULL, PAGE_SIZE }, { "kmalloc", NULL, WRAP_ANY_SIZE } } },
	{ "wrap_devm_kmalloc", wrap_devm_kmalloc, put_devm, 5,
	  .claims = { { "kmalloc", NULL, WRAP_DEVM_HEAD + WRAP_DEVM } } },
	{ "wrap_devm_kzalloc", wrap_devm_kzalloc, put_devm, 7,
	  .claims = { { "kmalloc", NULL, WRAP_DEVM_HEAD + WRAP_DEVM } } },
	{ "wrap_devm_kcalloc", wrap_devm_kcalloc, put_devm, 3,
	  .claims = { { "kmalloc", NULL, WRAP_DEVM_HEAD + 3 * WRAP_DEVM } } },
	{ "wrap_devm_kmemdup", wrap_devm_kmemdup, put_devm, 3,
	  .claims = { { "kmalloc", NULL, WRAP_DEVM_HEAD + sizeof(devm_bytes) } } },
	{ "wrap_devm_kstrdup", wrap_devm_kstrdup, put_devm, 11,
	  .claims = { { "kmalloc", NULL, WRAP_DEVM_HEAD + sizeof(devm_string) } } },
	{ "wrap_devm_kasprintf", wrap_devm_kasprintf, put_devm, 2,
	  .claims = { { "kmalloc", NULL, WRAP_DEVM_HEAD + 301 } } },
	{ "wrap_devm_get_free_pages", wrap_devm_get_free_pages, put_devm_pages, 3,
	  .claims = { { "page", NULL, PAGE_SIZE << 2 },
		      { "kmalloc", NULL, WRAP_ANY_SIZE } } },
	{ "wrap_devm_alloc_percpu", wrap_devm_alloc_percpu, put_devm_percpu, 2,
	  .absent = ASITE_K_NO_DEVM_FREE_PERCPU,
	  .claims = { { "percpu", NULL, 120 }, { "kmalloc", NULL, WRAP_ANY_SIZE } } },
};

const struct wrap_table wrap_dev = { rows, ARRAY_SIZE(rows) };

/* -- init and exit --------------------------------------------------------- */

int wrap_dev_init(void)
{
	int err;

	wrap_pdev = platform_device_register_simple("asite_wrap", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(wrap_pdev))
		return PTR_ERR(wrap_pdev);
	wrap_dev_of = &wrap_pdev->dev;
	err = dma_coerce_mask_and_coherent(wrap_dev_of, DMA_BIT_MASK(64));
	if (err)
		wrap_dev_exit();
	return err;
}

void wrap_dev_exit(void)
{
	platform_device_unregister(wrap_pdev);
}
