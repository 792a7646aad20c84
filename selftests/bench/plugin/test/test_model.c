// SPDX-License-Identifier: GPL-2.0-only
/*
 * Known accesses give known misses: checks of model.c in user space, KTAP out. Small
 * geometries, so that each expected figure can be counted by hand.
 */
#include <stdio.h>
#include <string.h>

#include "model.h"

#define LINE	(1UL << MODEL_LINE_SHIFT)
#define PAGE	(1UL << MODEL_PAGE_SHIFT)
#define LARGE	(1UL << MODEL_LARGE_SHIFT)
/* A physical address that no large page gives. */
#define SMALL(v) ((v) ^ PAGE)

static unsigned int number, failed, complaints;

static void expect_eq(unsigned long seen, unsigned long expected, const char *what, int line)
{
	if (seen == expected)
		return;
	printf("# line %d: %s is %lu, expected %lu\n", line, what, seen, expected);
	complaints++;
}

#define EXPECT(what, expected) expect_eq(what, expected, #what, __LINE__)

/* 4 lines in 2 sets of 2; 8 lines; TLBs of 4, 2 and 8 entries. */
static void make_small(struct model *m)
{
	memset(m, 0, sizeof(*m));
	EXPECT(model_init(m), true);
	EXPECT(model_configure(m, "l1d=256:2"), true);
	EXPECT(model_configure(m, "l2=512:4"), true);
	EXPECT(model_configure(m, "dtlb=4:2"), true);
	EXPECT(model_configure(m, "dtlb_large=2:2"), true);
	EXPECT(model_configure(m, "stlb=8:4"), true);
	model_begin(m);
}

static void touch(struct model *m, unsigned long vaddr)
{
	model_access(m, vaddr, SMALL(vaddr), 1, false);
}

/* Three lines of one set of two: the one used longest ago goes, not the first one. */
static void test_lru(struct model *m)
{
	touch(m, 0 * LINE);
	touch(m, 2 * LINE);
	touch(m, 0 * LINE);	/* hit: line 2 is the oldest now */
	touch(m, 4 * LINE);	/* takes its place */
	touch(m, 0 * LINE);	/* hit */
	EXPECT(m->counts.l1d, 3);
	touch(m, 2 * LINE);	/* gone from the first level, not from the second */
	EXPECT(m->counts.l1d, 4);
	EXPECT(m->counts.l2, 3);
}

/* A ring one larger than the set, in order: true LRU never hits. */
static void test_ring(struct model *m)
{
	unsigned int i;

	for (i = 0; i < 30; i++)
		touch(m, i % 3 * 2 * LINE);
	EXPECT(m->counts.l1d, 30);
	EXPECT(m->counts.l2, 3);
}

static void test_sets(struct model *m)
{
	touch(m, 0 * LINE);
	touch(m, 1 * LINE);
	touch(m, 2 * LINE);
	touch(m, 3 * LINE);
	EXPECT(m->counts.l1d, 4);
	touch(m, 0 * LINE);
	touch(m, 1 * LINE + 63);
	touch(m, 2 * LINE);
	touch(m, 3 * LINE);
	EXPECT(m->counts.l1d, 4);
	EXPECT(m->lines.count, 4);
}

static void test_second_level(struct model *m)
{
	unsigned int i;

	/* 16 lines go round in 8: each is missed in both. */
	for (i = 0; i < 32; i++)
		touch(m, i % 16 * LINE);
	EXPECT(m->counts.l1d, 32);
	EXPECT(m->counts.l2, 32);
	/* 8 fit the second level, not the first. */
	model_begin(m);
	for (i = 0; i < 16; i++)
		touch(m, i % 8 * LINE);
	EXPECT(m->counts.l1d, 16);
	EXPECT(m->counts.l2, 8);
}

static void test_across_lines(struct model *m)
{
	model_access(m, LINE - 4, SMALL(LINE - 4), 8, true);
	EXPECT(m->counts.l1d, 2);
	EXPECT(m->counts.stores, 1);
	EXPECT(m->lines_written.count, 2);
	model_access(m, 4 * LINE - 8, SMALL(4 * LINE - 8), 8, false);
	EXPECT(m->counts.l1d, 3);
	EXPECT(m->lines.count, 3);
	EXPECT(m->lines_written.count, 2);
	EXPECT(m->pages.count, 1);
}

/* Caches go by physical address: another name of a line is no other line. */
static void test_physical(struct model *m)
{
	model_access(m, 0, PAGE, 8, false);
	model_access(m, 8 * PAGE, PAGE, 8, false);
	EXPECT(m->counts.l1d, 1);
	EXPECT(m->lines.count, 2);
	EXPECT(m->pages.count, 2);
	EXPECT(m->counts.dtlb, 2);
}

static void test_tlb_small(struct model *m)
{
	unsigned int i;

	/* Six pages of one set of two, in the one set of four of the second level. */
	for (i = 0; i < 12; i++)
		touch(m, i % 6 * 2 * PAGE);
	EXPECT(m->counts.dtlb, 12);
	EXPECT(m->counts.stlb, 12);
	model_begin(m);
	/* Four fit the second level. */
	for (i = 0; i < 8; i++)
		touch(m, (20 + i % 4 * 2) * PAGE);
	EXPECT(m->counts.dtlb, 8);
	EXPECT(m->counts.stlb, 4);
	EXPECT(m->pages.count, 4);
}

/* Pages of 2 MiB have entries of their own: 512 pages of 4 KiB are one. */
static void test_tlb_large(struct model *m)
{
	unsigned int i;

	for (i = 0; i < 512; i++)
		model_access(m, LARGE + i * PAGE, i * PAGE, 8, false);
	EXPECT(m->counts.dtlb, 1);
	EXPECT(m->pages.count, 512);
	/* Page 2 of 4 KiB is not page 2 of 2 MiB, in the level that both share. */
	model_access(m, 2 * LARGE, 0, 8, false);
	touch(m, 2 * PAGE);
	EXPECT(m->counts.dtlb, 3);
	EXPECT(m->counts.stlb, 3);
}

static void test_large_pages(struct model *m)
{
	(void)m;
	EXPECT(model_is_large(0xffff888000123456UL, 0x123456), true);
	EXPECT(model_is_large(0xffffc90000023456UL, 0x123456), false);
	EXPECT(model_is_large(0xffffc90000323456UL, 0x123456), true);
}

/* What happens before a begin is learnt and not counted. */
static void test_warm(struct model *m)
{
	touch(m, 0);
	touch(m, PAGE);
	m->counting = false;
	touch(m, 2 * PAGE);
	model_begin(m);
	touch(m, 2 * PAGE);
	EXPECT(m->counts.loads, 1);
	EXPECT(m->counts.l1d, 0);
	EXPECT(m->counts.dtlb, 0);
	EXPECT(m->lines.count, 1);
	EXPECT(m->pages.count, 1);
}

/* More keys than a set begins with. */
static void test_many_lines(struct model *m)
{
	unsigned long i;

	for (i = 0; i < 300000; i++)
		touch(m, i % 150000 * LINE);
	EXPECT(m->lines.count, 150000);
	EXPECT(m->counts.loads, 300000);
	model_begin(m);
	EXPECT(m->lines.count, 0);
}

static void test_configure(struct model *m)
{
	EXPECT(model_configure(m, "l1d=48k:12"), true);
	EXPECT(m->l1d.sets, 64);
	EXPECT(model_configure(m, "l1d=48k:8"), false);
	EXPECT(model_configure(m, "l1d=32k"), false);
	EXPECT(model_configure(m, "l1d=32k:0"), false);
	EXPECT(model_configure(m, "l1=32k:8"), false);
	EXPECT(model_configure(m, "stlb=2048:16"), true);
	EXPECT(m->stlb.sets, 128);
}

static void test_locked(struct model *m)
{
	(void)m;
	/* lock cmpxchg %rdx,(%rdi); the same without; its gs form */
	EXPECT(model_is_locked((void *)"\xf0\x48\x0f\xb1\x17", 5), true);
	EXPECT(model_is_locked((void *)"\x48\x0f\xb1\x17", 4), false);
	EXPECT(model_is_locked((void *)"\x65\x48\x0f\xc7\x0f", 5), false);
	/* lock incl with the prefix second; a lock byte that is a displacement */
	EXPECT(model_is_locked((void *)"\x3e\xf0\xff\x07", 4), true);
	EXPECT(model_is_locked((void *)"\x48\x8b\x40\xf0", 4), false);
	/* xchg %rax,(%rdi); xchg %rax,%rdi; xchg %ax,%ax */
	EXPECT(model_is_locked((void *)"\x48\x87\x07", 3), true);
	EXPECT(model_is_locked((void *)"\x48\x87\xc7", 3), false);
	EXPECT(model_is_locked((void *)"\x66\x90", 2), false);
}

static void test_markers(struct model *m)
{
	(void)m;
	EXPECT(model_marker_of((void *)"\x0f\x1f\x80\x01\x10\xa1\x51", 7), MODEL_BEGIN);
	EXPECT(model_marker_of((void *)"\x0f\x1f\x80\x02\x10\xa1\x51", 7), MODEL_END);
	EXPECT(model_marker_of((void *)"\x0f\x1f\x80\x00\x00\x00\x00", 7), MODEL_NO_MARKER);
	EXPECT(model_marker_of((void *)"\x0f\x1f\x80\x01\x10\xa1", 6), MODEL_NO_MARKER);
}

static void run(const char *name, void (*test)(struct model *m))
{
	struct model m;

	complaints = 0;
	make_small(&m);
	test(&m);
	model_exit(&m);
	failed += complaints != 0;
	printf("%s %u %s\n", complaints ? "not ok" : "ok", ++number, name);
}

int main(void)
{
	printf("KTAP version 1\n1..14\n");
	run("model_lru", test_lru);
	run("model_ring", test_ring);
	run("model_sets", test_sets);
	run("model_second_level", test_second_level);
	run("model_across_lines", test_across_lines);
	run("model_physical", test_physical);
	run("model_tlb_small", test_tlb_small);
	run("model_tlb_large", test_tlb_large);
	run("model_large_pages", test_large_pages);
	run("model_warm", test_warm);
	run("model_many_lines", test_many_lines);
	run("model_configure", test_configure);
	run("model_locked", test_locked);
	run("model_markers", test_markers);
	return failed != 0;
}
