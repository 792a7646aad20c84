// SPDX-License-Identifier: GPL-2.0-only
/*
 * asite_wrap: wrappers of the page allocator, of vmalloc() and of per-CPU
 * memory.
 *
 * Each function calls one wrapper, is never inlined, and ends in a barrier, so
 * that the call is no tail call. Task context, under wrap_lock.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/vmalloc.h>

#include "wrap.h"
#include "wrap_compat.h"

/* -- pages ----------------------------------------------------------------- */

static noinline __noclone void *wrap_alloc_page(void)
{
	void *p = alloc_page(GFP_KERNEL);

	barrier();
	return p;
}

static noinline __noclone void *wrap_alloc_pages(void)
{
	void *p = alloc_pages(GFP_KERNEL, 2);

	barrier();
	return p;
}

static noinline __noclone void *wrap_alloc_pages_node(void)
{
	void *p = alloc_pages_node(numa_node_id(), GFP_KERNEL, 1);

	barrier();
	return p;
}

static noinline __noclone void *wrap_alloc_pages_any_node(void)
{
	void *p = alloc_pages_node(NUMA_NO_NODE, GFP_KERNEL | __GFP_ZERO, 4);

	barrier();
	return p;
}

static noinline __noclone void *wrap_folio_alloc(void)
{
	void *p = asite_k_folio_alloc(GFP_KERNEL, 3);

	barrier();
	return p;
}

static noinline __noclone void *wrap_dev_alloc_page(void)
{
	void *p = __dev_alloc_page(GFP_ATOMIC);

	barrier();
	return p;
}

static noinline __noclone void *wrap_dev_alloc_pages(void)
{
	void *p = dev_alloc_pages(1);

	barrier();
	return p;
}

static void put_page_0(void *p)
{
	__free_page(p);
}

static void put_page_1(void *p)
{
	__free_pages(p, 1);
}

static void put_page_2(void *p)
{
	__free_pages(p, 2);
}

static void put_page_4(void *p)
{
	__free_pages(p, 4);
}

/* -- pages by address ------------------------------------------------------ */

static noinline __noclone void *wrap_get_free_page(void)
{
	unsigned long p = __get_free_page(GFP_KERNEL);

	barrier();
	return (void *)p;
}

static noinline __noclone void *wrap_get_free_pages(void)
{
	unsigned long p = __get_free_pages(GFP_KERNEL, 3);

	barrier();
	return (void *)p;
}

static noinline __noclone void *wrap_get_zeroed_page(void)
{
	unsigned long p = get_zeroed_page(GFP_KERNEL);

	barrier();
	return (void *)p;
}

#define WRAP_EXACT	(11 * PAGE_SIZE)

static noinline __noclone void *wrap_alloc_pages_exact(void)
{
	void *p = alloc_pages_exact(WRAP_EXACT, GFP_KERNEL);

	barrier();
	return p;
}

static void put_free_page(void *p)
{
	free_page((unsigned long)p);
}

static void put_free_pages_3(void *p)
{
	free_pages((unsigned long)p, 3);
}

static void put_exact(void *p)
{
	free_pages_exact(p, WRAP_EXACT);
}

/* -- vmalloc --------------------------------------------------------------- */

static noinline __noclone void *wrap_vmalloc(void)
{
	void *p = vmalloc(9000);

	barrier();
	return p;
}

static noinline __noclone void *wrap_vzalloc(void)
{
	void *p = vzalloc(40000);

	barrier();
	return p;
}

static noinline __noclone void *wrap_vmalloc_user(void)
{
	void *p = vmalloc_user(3 * PAGE_SIZE);

	barrier();
	return p;
}

static noinline __noclone void *wrap_vmalloc_node(void)
{
	void *p = vmalloc_node(17000, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *wrap_vzalloc_node(void)
{
	void *p = vzalloc_node(5000, numa_node_id());

	barrier();
	return p;
}

static noinline __noclone void *wrap_vmalloc_gfp(void)
{
	void *p = __vmalloc(30000, GFP_KERNEL | __GFP_ZERO);

	barrier();
	return p;
}

static noinline __noclone void *wrap_vmalloc_32(void)
{
	void *p = vmalloc_32(6000);

	barrier();
	return p;
}

static void put_vfree(void *p)
{
	vfree(p);
}

/* -- per-CPU memory -------------------------------------------------------- */

struct wrap_percpu {
	u32 words[25];
};

static noinline __noclone void *wrap_alloc_percpu(void)
{
	struct wrap_percpu __percpu *p = alloc_percpu(struct wrap_percpu);

	barrier();
	return asite_k_percpu_address(p);
}

/* Not a multiple of what the allocator hands out. */
static noinline __noclone void *wrap_alloc_percpu_gfp(void)
{
	void __percpu *p = __alloc_percpu_gfp(301, 1, GFP_KERNEL | __GFP_ZERO);

	barrier();
	return asite_k_percpu_address(p);
}

static void put_percpu(void *p)
{
	free_percpu(asite_k_percpu_pointer(p));
}

/* -- the table ------------------------------------------------------------- */

static const struct wrap_site rows[] = {
	{ "wrap_alloc_page", wrap_alloc_page, put_page_0, 13,
	  .claims = { { "page", NULL, PAGE_SIZE } } },
	{ "wrap_alloc_pages", wrap_alloc_pages, put_page_2, 5,
	  .claims = { { "page", NULL, PAGE_SIZE << 2 } } },
	{ "wrap_alloc_pages_node", wrap_alloc_pages_node, put_page_1, 7,
	  .claims = { { "page", NULL, PAGE_SIZE << 1 } } },
	{ "wrap_alloc_pages_any_node", wrap_alloc_pages_any_node, put_page_4, 2,
	  .claims = { { "page", NULL, PAGE_SIZE << 4 } } },
	{ "wrap_folio_alloc", wrap_folio_alloc, asite_k_folio_put, 3,
	  .absent = ASITE_K_NO_FOLIO,
	  .claims = { { "page", NULL, PAGE_SIZE << 3 } } },
	{ "wrap_dev_alloc_page", wrap_dev_alloc_page, put_page_0, 3,
	  .claims = { { "page", NULL, PAGE_SIZE } } },
	{ "wrap_dev_alloc_pages", wrap_dev_alloc_pages, put_page_1, 3,
	  .claims = { { "page", NULL, PAGE_SIZE << 1 } } },
	{ "wrap_get_free_page", wrap_get_free_page, put_free_page, 11,
	  .claims = { { "page", NULL, PAGE_SIZE } } },
	{ "wrap_get_free_pages", wrap_get_free_pages, put_free_pages_3, 3,
	  .claims = { { "page", NULL, PAGE_SIZE << 3 } } },
	{ "wrap_get_zeroed_page", wrap_get_zeroed_page, put_free_page, 5,
	  .claims = { { "page", NULL, PAGE_SIZE } } },
	{ "wrap_alloc_pages_exact", wrap_alloc_pages_exact, put_exact, 2,
	  .claims = { { "page", NULL, WRAP_EXACT } } },
	{ "wrap_vmalloc", wrap_vmalloc, put_vfree, 7,
	  .claims = { { "vmalloc", NULL, 9000 }, WRAP_ARRAY(9000) } },
	{ "wrap_vzalloc", wrap_vzalloc, put_vfree, 3,
	  .claims = { { "vmalloc", NULL, 40000 }, WRAP_ARRAY(40000) } },
	{ "wrap_vmalloc_user", wrap_vmalloc_user, put_vfree, 2,
	  .claims = { { "vmalloc", NULL, 3 * PAGE_SIZE }, WRAP_ARRAY(3 * PAGE_SIZE) } },
	{ "wrap_vmalloc_node", wrap_vmalloc_node, put_vfree, 5,
	  .claims = { { "vmalloc", NULL, 17000 }, WRAP_ARRAY(17000) } },
	{ "wrap_vzalloc_node", wrap_vzalloc_node, put_vfree, 3,
	  .claims = { { "vmalloc", NULL, 5000 }, WRAP_ARRAY(5000) } },
	{ "wrap_vmalloc_gfp", wrap_vmalloc_gfp, put_vfree, 2,
	  .claims = { { "vmalloc", NULL, 30000 }, WRAP_ARRAY(30000) } },
	{ "wrap_vmalloc_32", wrap_vmalloc_32, put_vfree, 3,
	  .claims = { { "vmalloc", NULL, 6000 }, WRAP_ARRAY(6000) } },
	{ "wrap_alloc_percpu", wrap_alloc_percpu, put_percpu, 5,
	  .claims = { { "percpu", NULL, sizeof(struct wrap_percpu) } } },
	{ "wrap_alloc_percpu_gfp", wrap_alloc_percpu_gfp, put_percpu, 3,
	  .claims = { { "percpu", NULL, 301 } } },
};

const struct wrap_table wrap_page = { rows, ARRAY_SIZE(rows) };
