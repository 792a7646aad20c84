/* SPDX-License-Identifier: GPL-2.0-only */
/* Wraps linux/module.h: where a module's text lies. */
#ifndef COMPAT_MODULE_H
#define COMPAT_MODULE_H

#include <linux/module.h>

#include <generated/allocsite-features.h>

/* An address range; empty when @end is @start. */
struct asite_range {
	unsigned long start;
	unsigned long end;
};

#if ASITE_HAVE_MODULE_MEM
static inline struct asite_range asite_k_module_mem(const struct module *mod,
						    enum mod_mem_type type)
{
	unsigned long start = (unsigned long)mod->mem[type].base;

	return (struct asite_range){ start, start + mod->mem[type].size };
}

static inline struct asite_range asite_k_module_core(const struct module *mod)
{
	return asite_k_module_mem(mod, MOD_TEXT);
}

static inline struct asite_range asite_k_module_init(const struct module *mod)
{
	return asite_k_module_mem(mod, MOD_INIT_TEXT);
}
#else
static inline struct asite_range asite_k_module_core(const struct module *mod)
{
	unsigned long start = (unsigned long)mod->core_layout.base;

	return (struct asite_range){ start, start + mod->core_layout.size };
}

static inline struct asite_range asite_k_module_init(const struct module *mod)
{
	unsigned long start = (unsigned long)mod->init_layout.base;

	return (struct asite_range){ start, start + mod->init_layout.size };
}
#endif

#endif /* COMPAT_MODULE_H */
