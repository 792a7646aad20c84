/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test case may use. The cases are written once and built twice: in
 * user space (selftests/unit) and in the kernel (selftests/modules/asite_test.c).
 *
 * A case returns 0, or -errno when it cannot go on; a failed expect() fails the
 * case too and lets it go on. Cases run one after another in one task.
 */
#ifndef SELFTESTS_CASES_H
#define SELFTESTS_CASES_H

#include <linux/compiler.h>
#include <linux/types.h>

struct case_entry {
	const char *name;
	int (*run)(void);
};

/* Where physical memory starts in the direct map, without KASLR. */
#define CASE_BASE	0xffff888000000000UL
/* The smallest live table: 512 words in 64 buckets. */
#define CASE_TABLE	4096UL
#define CASE_WORDS	(CASE_TABLE / 8)
#define CASE_BUCKETS	(CASE_TABLE / 64)
#define CASE_HIGHEST	(1ULL << 46)

/* Given by the environment: printf() or a buffer behind a debugfs file. */
__printf(1, 2) void case_print(const char *fmt, ...);

/* Let the n-th allocation of table memory from now on fail; 0: none. */
void case_fail_nth(long n);

/* A string that asite_mem_free_text() frees. */
char *case_text(const char *text);

bool case_expect(bool ok, const char *func, int line, const char *what);
bool case_expect_eq(u64 a, u64 b, const char *func, int line, const char *what);

#define expect(cond)	case_expect(cond, __func__, __LINE__, #cond)
#define expect_eq(a, b)	case_expect_eq(a, b, __func__, __LINE__, #a " == " #b)

/* How a test line of KTAP starts. */
static inline const char *case_result(bool ok)
{
	return ok ? "ok" : "not ok";
}

/* Failed expectations since the last call. */
unsigned int case_failures(void);

#endif /* SELFTESTS_CASES_H */
