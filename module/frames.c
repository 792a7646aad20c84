// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole stacks: learning of steps, walking by them, and asking the kernel's unwinder where no
 * step was proven. What a word of the table says is in frames.h.
 *
 * Contexts: any, NMI included, but for set-up and forgetting.
 */
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include <allocsite/depot_find.h>
#include <allocsite/frames.h>
#include <allocsite/mem.h>
#include <allocsite/stats.h>
#include <allocsite/wrap.h>
#include <compat/unwind.h>

#define FRAMES_BYTES	(ASITE_FRAMES_ENTRIES * sizeof(u64))
#define PROBES_MAX	8U	/* places looked at for one address */
#define WALK_MAX	256	/* frames passed, before a walk is given up */

/* Steps, and where the caller's frame pointer is found: enum bp_rule in place of a kind. */
u64 *asite_frames_table;
static u64 *bp_rules;

enum bp_rule {
	BP_UNKNOWN,
	BP_KEPT,		/* the register is as it was */
	BP_ABOVE_AT,		/* so many bytes above the return address */
	BP_ABOVE_BP,		/* so many bytes above what the frame pointer says */
};

/* Entries. */

static unsigned int place_of(unsigned long address, unsigned int n)
{
	/* In one cache line. */
	return asite_frames_place(address) ^ n;
}

static bool is_of(u64 entry, unsigned long address)
{
	return entry && asite_frames_address(entry) == address;
}

/* @kind: enum asite_frame_kind, or enum bp_rule. */
static u64 make_entry(unsigned long address, unsigned int kind, unsigned long step)
{
	return ~((u64)kind << (32 + ASITE_FRAME_KIND_SHIFT) | (u64)step << 32 | U32_MAX) |
	       (u32)address;
}

static unsigned int kind_of(u64 entry)
{
	return ~entry >> (32 + ASITE_FRAME_KIND_SHIFT);
}

static unsigned long step_of(u64 entry)
{
	return ~entry >> 32 & ((1UL << ASITE_FRAME_KIND_SHIFT) - 1);
}

static u64 find_in(const u64 *entries, unsigned long address)
{
	unsigned int i;
	u64 entry;

	for (i = 0; i < PROBES_MAX; i++) {
		entry = READ_ONCE(entries[place_of(address, i)]);
		if (is_of(entry, address))
			return entry;
	}
	return 0;
}

static u64 find(unsigned long address)
{
	return find_in(asite_frames_table, address);
}

/* Over what was known of it, or in an empty place; two CPUs may do it twice. */
static void publish(u64 *entries, u64 entry)
{
	unsigned long address = asite_frames_address(entry);
	unsigned int i;
	u64 *place;

	for (i = 0; i < PROBES_MAX; i++) {
		place = &entries[place_of(address, i)];
		if (is_of(READ_ONCE(*place), address)) {
			WRITE_ONCE(*place, entry);
			return;
		}
		if (!READ_ONCE(*place) && !cmpxchg(place, 0, entry))
			return;
	}
	asite_stat_inc(ASITE_STAT_FRAMES_FULL);
}

/*
 * Learning: the unwinder is shown a stack that was made up. Its words all differ, and are places
 * on the true stack, so that from where it went and from the frame pointer that it found there
 * one sees which word it read. Twice, with the return address and the frame pointer at other
 * words each time: what fits both is no chance.
 */

#define FAKE_WORDS	64
#define FAKE_BP		20	/* where the frame pointer points, of the words */
/* Stack that must be there above them. */
#define FAKE_ROOM	(FAKE_WORDS * sizeof(long))
#define FAKE_TRIES	2

struct fake {
	unsigned long words[FAKE_WORDS];
};

/* Of the words, in both tries. */
static const unsigned int fake_at[FAKE_TRIES] = { 0, 1 };
static const unsigned int fake_bp[FAKE_TRIES] = { FAKE_BP - 4, FAKE_BP };

struct outcome {
	enum asite_k_unwind_where where;
	unsigned long at;
	unsigned long bp;
	unsigned long regs;
};

static unsigned long address_of(const struct fake *fake, unsigned int word)
{
	return (unsigned long)&fake->words[word];
}

/*
 * What is read as a stack pointer must be a place on the stack: those around the frame pointer
 * are, further apart than the words, so that what moves with a word is not what is read there.
 * The others are no places at all.
 */
static void fill(struct fake *fake)
{
	unsigned int i;

	for (i = 0; i < FAKE_WORDS; i++)
		fake->words[i] = i >= FAKE_BP ? 2 * i + 1 :
				 (unsigned long)(fake + 1) + (i + 1) * 2 * sizeof(long);
}

static void try_step(struct outcome *o, unsigned long address, unsigned long at, unsigned long bp)
{
	struct asite_k_unwind u;

	o->where = ASITE_K_UNWIND_FAILED;
	if (!asite_k_unwind_try(&u, address, at, bp))
		return;
	o->where = asite_k_unwind_step(&u);
	o->at = asite_k_unwind_at(&u);
	o->bp = asite_k_unwind_bp(&u);
	o->regs = asite_k_unwind_regs(&u);
}

/* The word that holds a value, counted from @from; false if none does. */
static bool find_word(const struct fake *fake, unsigned long value, unsigned int from, long *word)
{
	unsigned int i;

	for (i = 0; i < FAKE_WORDS; i++) {
		if (fake->words[i] == value) {
			*word = (long)i - from;
			return true;
		}
	}
	return false;
}

/* Was a value read from the same place in both tries, counted from where @from are? In bytes. */
static bool was_read(const struct fake *fake, unsigned long a, unsigned long b,
		     const unsigned int *from, long *bytes)
{
	long x, y;

	if (!find_word(fake, a, from[0], &x) || !find_word(fake, b, from[1], &y) || x != y)
		return false;
	*bytes = x * (long)sizeof(long);
	return true;
}

static u64 classify_step(const struct fake *fake, unsigned long address, const struct outcome *o)
{
	long step = o[0].at - address_of(fake, fake_at[0]), below;

	if (step == (long)(o[1].at - address_of(fake, fake_at[1])))
		return step > 0 && step <= THREAD_SIZE ?
		       make_entry(address, ASITE_FRAME_CONST, step) : 0;
	step = o[0].at - address_of(fake, fake_bp[0]);
	if (step == (long)(o[1].at - address_of(fake, fake_bp[1])))
		return step > 0 && step <= THREAD_SIZE ?
		       make_entry(address, ASITE_FRAME_BP, step) : 0;
	if (was_read(fake, o[0].at + sizeof(long), o[1].at + sizeof(long), fake_bp, &below) &&
	    below < 0)
		return make_entry(address, ASITE_FRAME_SAVED, -below);
	return 0;
}

/* Whose registers they are, made up as they are, is seen where they are true. */
static u64 classify_regs(const struct fake *fake, unsigned long address, const struct outcome *o)
{
	long step = o[0].regs - address_of(fake, fake_at[0]);

	if (!o[0].regs && !o[1].regs)
		return make_entry(address, ASITE_FRAME_END, 0);
	return step == (long)(o[1].regs - address_of(fake, fake_at[1])) && step > 0 &&
	       step <= THREAD_SIZE ? make_entry(address, ASITE_FRAME_REGS, step) : 0;
}

/* Where the caller's frame pointer is found. */
static u64 classify_bp(const struct fake *fake, unsigned long address, const struct outcome *o)
{
	long offset;

	if (o[0].bp == address_of(fake, fake_bp[0]) && o[1].bp == address_of(fake, fake_bp[1]))
		return make_entry(address, BP_KEPT, 0);
	if (was_read(fake, o[0].bp, o[1].bp, fake_at, &offset) && offset > 0)
		return make_entry(address, BP_ABOVE_AT, offset);
	if (was_read(fake, o[0].bp, o[1].bp, fake_bp, &offset) && offset >= 0)
		return make_entry(address, BP_ABOVE_BP, offset);
	return 0;
}

/* Does another stack follow? This is asked in the name of the task itself. */
static bool leaves_stack(unsigned long address, unsigned long at)
{
	struct asite_k_unwind u;

	return asite_k_unwind_begin(&u, address, at, 0) &&
	       asite_k_unwind_step(&u) == ASITE_K_UNWIND_STACK;
}

/* 0: nothing can be said. Its frame is large, and no part of a walk's. */
static noinline u64 classify(unsigned long address, unsigned long at, u64 *bp_rule)
{
	struct outcome o[FAKE_TRIES];
	struct fake fake;
	unsigned int i;
	u64 entry = 0;

	fill(&fake);
	for (i = 0; i < FAKE_TRIES; i++)
		try_step(&o[i], address, address_of(&fake, fake_at[i]),
			 address_of(&fake, fake_bp[i]));
	*bp_rule = 0;
	/* Made up registers look like the kernel's, or not. */
	for (i = 0; i < FAKE_TRIES; i++) {
		if (o[i].where == ASITE_K_UNWIND_REGS)
			o[i].where = ASITE_K_UNWIND_END;
	}
	if (o[0].where != o[1].where)
		return 0;
	switch (o[0].where) {
	case ASITE_K_UNWIND_CALLER:
		entry = classify_step(&fake, address, o);
		*bp_rule = classify_bp(&fake, address, o);
		break;
	case ASITE_K_UNWIND_END:
		return classify_regs(&fake, address, o);
	default:
		break;
	}
	if (!entry && leaves_stack(address, at))
		entry = make_entry(address, ASITE_FRAME_CUT, 0);
	return entry;
}

/*
 * Its buffer shall not be part of a walk's frame. Text that others generate has no entry in
 * the unwinder's tables, or is taken for what it was made of.
 */
static noinline bool is_symbol(unsigned long address, const char *name)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, address - 1);
	return name ? str_has_prefix(symbol, name) && symbol[strlen(name)] == '+' :
	       !strstr(symbol, "[__builtin__") && !strstr(symbol, "[bpf]");
}

/* An address of no text is asked again each time: it is nobody's. */
static u64 learn(const struct asite_frames *f)
{
	unsigned long room = f->stack_end - (unsigned long)&room, address = f->address;
	u64 entry = 0, bp_rule = 0;

	/* The one task in whose name nothing can be tried; the words of a fake stack are above. */
	if (asite_frames_address(address) != address || current == &init_task ||
	    room < FAKE_ROOM)
		return make_entry(address, ASITE_FRAME_VARIES, 0);
	if (asite_wrap_class(address) != ASITE_CLASS_HIDDEN && is_symbol(address, NULL))
		entry = classify(address, f->at, &bp_rule);
	if (entry && kind_of(entry) == ASITE_FRAME_BP && is_symbol(address, "do_syscall_64"))
		entry = make_entry(address, ASITE_FRAME_SYSCALL, step_of(entry));
	/* A large frame leads out of a stack that has hardly begun. */
	if (!entry && room < THREAD_SIZE / 4)
		return make_entry(address, ASITE_FRAME_VARIES, 0);
	entry = entry ?: make_entry(address, ASITE_FRAME_VARIES, 0);
	/* Who finds the entry finds its rule, or that of none. */
	if (bp_rule)
		publish(bp_rules, bp_rule);
	publish(asite_frames_table, entry);
	return entry;
}

/* Walking. */

struct walk {
	struct asite_frames *f;
	unsigned long site;
	unsigned int max;
	unsigned long start;		/* address, at: where the unwinder begins */
	unsigned long start_at;
	unsigned long start_bp;
	unsigned long bp_address;	/* address, at: where the frame pointer is @bp */
	unsigned long bp_at;
	unsigned long bp;
	bool begun;			/* is @u in use? */
	struct asite_k_unwind u;
};

static unsigned long task_stack_end(void)
{
	return (unsigned long)task_stack_page(current) + THREAD_SIZE;
}

/* The end of the stack that @at is on; 0 if nobody knows. */
static unsigned long stack_end_of(const struct asite_frames *f)
{
	struct asite_k_unwind u;

	if (f->at - (unsigned long)task_stack_page(current) < THREAD_SIZE)
		return task_stack_end();
	return asite_k_unwind_begin(&u, f->address, f->at, f->bp) ?
	       asite_k_unwind_stack_end(&u) : 0;
}

static bool ended(struct asite_frames *f, enum asite_frames_end why)
{
	f->end = why;
	return true;
}

/* Keep the address that the walk is at, from the call site on; true if that is enough. */
static __always_inline bool keep(struct walk *w)
{
	struct asite_frames *f = w->f;

	if (!f->nr && f->address != w->site)
		return false;
	if (f->nr)
		f->hash = asite_depot_hash(f->hash, f->address);
	asite_frames_of(f)[f->nr++] = f->address;
	return f->nr == w->max && ended(f, ASITE_FRAMES_FULL);
}

/* Further up on the same stack? */
static bool is_above(const struct asite_frames *f, unsigned long at)
{
	return at > f->at && at < f->stack_end && !(at & (sizeof(long) - 1));
}

/* Why a walk ends where registers follow. */
static enum asite_frames_end end_at_regs(const struct asite_frames *f, unsigned long at,
					 unsigned long step)
{
	const struct pt_regs *regs = (const struct pt_regs *)(at + step);

	if ((unsigned long)(regs + 1) > f->stack_end)
		return ASITE_FRAMES_LOST;
	return asite_frames_read((unsigned long)&regs->cs) & 3 ? ASITE_FRAMES_END :
	       ASITE_FRAMES_CUT;
}

/* Is what stands there the last return address of the stack? */
static bool is_last(const struct asite_frames *f, unsigned long at)
{
	u64 entry = find(asite_frames_read(at));

	return kind_of(entry) == ASITE_FRAME_END ||
	       (kind_of(entry) == ASITE_FRAME_REGS &&
		end_at_regs(f, at, step_of(entry)) == ASITE_FRAMES_END);
}

/* To the last return address, which on the task's stack has one place; false if it is not there. */
static bool end_at_top(struct walk *w, unsigned long step)
{
	struct asite_frames *f = w->f;
	unsigned long at = f->stack_end - step;

	if (f->stack_end != task_stack_end() || !is_above(f, at) || !is_last(f, at))
		return false;
	if (keep(w))
		return true;
	f->at = at;
	f->address = asite_frames_read(at);
	return keep(w) || ended(f, ASITE_FRAMES_END);
}

/* On this stack, not below this walk's frames? */
static bool is_on_stack(const struct walk *w, unsigned long place)
{
	return place > (unsigned long)w && place < w->f->stack_end &&
	       !(place & (sizeof(long) - 1));
}

/* The caller's frame pointer, where that of a frame is known. */
static bool next_bp(const struct walk *w, unsigned long address, unsigned long at,
		    unsigned long *bp)
{
	u64 rule = find_in(bp_rules, address);
	unsigned long place = 0;

	switch (kind_of(rule)) {
	case BP_KEPT:
		return true;
	case BP_ABOVE_AT:
		place = at + step_of(rule);
		break;
	case BP_ABOVE_BP:
		place = *bp + step_of(rule);
		break;
	default:
		break;
	}
	if (!is_on_stack(w, place))
		return false;
	*bp = asite_frames_read(place);
	return true;
}

/* Where the next return address stands, by the frame pointer; 0 if it is not on this stack. */
static unsigned long at_by_bp(const struct walk *w, u64 entry, unsigned long bp)
{
	if (kind_of(entry) != ASITE_FRAME_SAVED)
		return bp + step_of(entry);
	return is_on_stack(w, bp - step_of(entry)) ?
	       asite_frames_read(bp - step_of(entry)) - sizeof(long) : 0;
}

/*
 * The frame pointer of the frame that the walk is at: few frames need it, so that it is looked
 * for then, from the last one of which it is known.
 */
static bool bring_bp(struct walk *w)
{
	unsigned long address = w->bp_address, at = w->bp_at, bp = w->bp, next;
	u64 entry;

	while (at != w->f->at) {
		entry = find(address);
		switch (kind_of(entry)) {
		case ASITE_FRAME_CONST:
			next = at + step_of(entry);
			break;
		case ASITE_FRAME_BP:
		case ASITE_FRAME_SYSCALL:
		case ASITE_FRAME_SAVED:
			next = at_by_bp(w, entry, bp);
			break;
		default:
			return false;
		}
		if (next <= at || next > w->f->at || !next_bp(w, address, at, &bp))
			return false;
		at = next;
		address = asite_frames_read(at);
	}
	w->bp_address = address;
	w->bp_at = at;
	w->bp = bp;
	return true;
}

/* That of a system call stands where its frame does not tell, but always the same place. */
static void note_top(const struct asite_frames *f, unsigned long at)
{
	if (f->stack_end == task_stack_end() && is_last(f, at))
		publish(asite_frames_table,
			make_entry(f->address, ASITE_FRAME_TOP, f->stack_end - at));
}

/* Where the next return address stands, if the entry tells; 0 if not. */
static unsigned long next_at(struct walk *w, u64 entry)
{
	switch (kind_of(entry)) {
	case ASITE_FRAME_CONST:
		return w->f->at + step_of(entry);
	case ASITE_FRAME_BP:
	case ASITE_FRAME_SYSCALL:
	case ASITE_FRAME_SAVED:
		return bring_bp(w) ? at_by_bp(w, entry, w->bp) : 0;
	}
	return 0;
}

/* Does the frame pointer lead from an interrupt's stack to the task's? */
static bool is_task_below(const struct asite_frames *f, u64 entry, unsigned long at)
{
	return kind_of(entry) == ASITE_FRAME_BP && f->stack_end != task_stack_end() &&
	       at - (unsigned long)task_stack_page(current) < THREAD_SIZE;
}

/* The unwinder, to where the walk is. */
static bool bring_unwinder(struct walk *w)
{
	enum asite_k_unwind_where where = ASITE_K_UNWIND_CALLER;
	int i;

	if (!w->begun && !asite_k_unwind_from(&w->u, w->start, w->start_at, w->start_bp))
		return false;
	w->begun = true;
	for (i = 0; i < WALK_MAX && where == ASITE_K_UNWIND_CALLER; i++) {
		if (asite_k_unwind_at(&w->u) >= w->f->at)
			return asite_k_unwind_at(&w->u) == w->f->at;
		where = asite_k_unwind_step(&w->u);
	}
	return false;
}

/* One frame by the unwinder; true if it was the last. */
static bool walk_slow(struct walk *w)
{
	struct asite_frames *f = w->f;

	f->slow++;
	if (!bring_unwinder(w))
		return ended(f, ASITE_FRAMES_LOST);
	/* What a tracer put there is not what it stands for. */
	f->address = asite_k_unwind_address(&w->u);
	if (keep(w))
		return true;
	switch (asite_k_unwind_step(&w->u)) {
	case ASITE_K_UNWIND_CALLER:
		f->at = asite_k_unwind_at(&w->u);
		f->address = asite_frames_read(f->at);
		w->bp_address = f->address;
		w->bp_at = f->at;
		w->bp = asite_k_unwind_bp(&w->u);
		return false;
	case ASITE_K_UNWIND_END:
		return ended(f, ASITE_FRAMES_END);
	case ASITE_K_UNWIND_REGS:
	case ASITE_K_UNWIND_STACK:
		return ended(f, ASITE_FRAMES_CUT);
	default:
		return ended(f, ASITE_FRAMES_LOST);
	}
}

/* One frame; true if it was the last. */
static bool walk_on(struct walk *w)
{
	struct asite_frames *f = w->f;
	u64 entry = find(f->address);
	unsigned long at;

	entry = entry ?: learn(f);
	switch (kind_of(entry)) {
	case ASITE_FRAME_END:
		return keep(w) || ended(f, ASITE_FRAMES_END);
	case ASITE_FRAME_REGS:
		return keep(w) || ended(f, end_at_regs(f, f->at, step_of(entry)));
	case ASITE_FRAME_CUT:
		return keep(w) || ended(f, ASITE_FRAMES_CUT);
	case ASITE_FRAME_TOP:
		return end_at_top(w, step_of(entry)) || walk_slow(w);
	default:
		break;
	}
	at = next_at(w, entry);
	if (is_task_below(f, entry, at))
		return keep(w) || ended(f, ASITE_FRAMES_CUT);
	if (!is_above(f, at))
		return walk_slow(w);
	if (kind_of(entry) == ASITE_FRAME_SYSCALL)
		note_top(f, at);
	if (keep(w))
		return true;
	f->at = at;
	f->address = asite_frames_read(at);
	return false;
}

static void begin(struct walk *w, struct asite_frames *f, unsigned long site, unsigned int max)
{
	w->f = f;
	w->site = site;
	/* Stacks may be going off: 0 would never be reached. */
	w->max = clamp(max, 1U, ASITE_FRAMES_MAX);
	w->start = f->address;
	w->start_at = f->at;
	w->start_bp = f->bp;
	w->bp_address = f->address;
	w->bp_at = f->at;
	w->bp = f->bp;
	w->begun = false;
	f->nr = 0;
	f->slow = 0;
	f->hash = ASITE_DEPOT_HASH;
	f->end = ASITE_FRAMES_LOST;
	f->stack_end = stack_end_of(f);
}

bool asite_frames_walk(struct asite_frames *f, unsigned long site, unsigned int max)
{
	struct walk w ASITE_UNINITIALIZED;
	int i;

	begin(&w, f, site, max);
	for (i = 0; f->stack_end && i < WALK_MAX; i++) {
		if (walk_on(&w))
			break;
	}
	return f->nr;
}

/* A step that a check found wrong is never taken again. */
void asite_frames_distrust(unsigned long address)
{
	publish(asite_frames_table, make_entry(address, ASITE_FRAME_VARIES, 0));
}

/* Set-up. */

int asite_frames_init(void)
{
	asite_frames_table = asite_mem_alloc(FRAMES_BYTES);
	bp_rules = asite_mem_alloc(FRAMES_BYTES);
	if (!asite_frames_table || !bp_rules) {
		asite_frames_exit();
		return -ENOMEM;
	}
	/*
	 * What is read from a stack where no return address stands may be 0: an empty place would
	 * be its own, with a step of 0, and a walk would stay there. These two are nobody's.
	 */
	asite_frames_table[0] = U64_MAX;
	asite_frames_table[1] = U64_MAX;
	return 0;
}

void asite_frames_exit(void)
{
	asite_mem_free(asite_frames_table, FRAMES_BYTES);
	asite_mem_free(bp_rules, FRAMES_BYTES);
	asite_frames_table = NULL;
	bp_rules = NULL;
}

static void forget_in(u64 *entries, unsigned long start, unsigned long end)
{
	unsigned long address;
	unsigned int i;

	for (i = 0; i < ASITE_FRAMES_ENTRIES; i++) {
		address = asite_frames_address(READ_ONCE(entries[i]));
		if (address >= start && address < end)
			WRITE_ONCE(entries[i], 0);
	}
}

void asite_frames_forget(unsigned long start, unsigned long end)
{
	if (!asite_frames_table)
		return;
	forget_in(asite_frames_table, start, end);
	forget_in(bp_rules, start, end);
}

unsigned int asite_frames_learned(unsigned int *varies)
{
	unsigned int i, n = 0, odd = 0;
	u64 entry;

	for (i = 0; asite_frames_table && i < ASITE_FRAMES_ENTRIES; i++) {
		entry = READ_ONCE(asite_frames_table[i]);
		/* Empty, or nobody's. */
		if (!entry || entry == U64_MAX)
			continue;
		n++;
		odd += kind_of(entry) == ASITE_FRAME_VARIES;
	}
	if (varies)
		*varies = odd;
	return n;
}
