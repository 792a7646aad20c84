// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of asite_depot_find() where the stack is there, by single steps of a child under
 * ptrace; KTAP out. Built as the kernel is built, as far as matters: no vector registers.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cases/cases.c"

/* What one of ten frames, in its first place, may take. */
#define LIMIT	80

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static long __attribute__((__noinline__)) hit(struct asite_depot *d,
					      struct asite_depot_stack *stack,
					      unsigned int nr, u64 hash)
{
	return asite_depot_find(d, stack, nr, hash);
}

static unsigned long register_of(pid_t child, size_t offset)
{
	return ptrace(PTRACE_PEEKUSER, child, offset, 0);
}

/* Steps from the first instruction of hit() to its return; 0: cannot tell. */
static unsigned int count_steps(pid_t child)
{
	unsigned long at, back = 0;
	unsigned int steps = 0;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		at = register_of(child, offsetof(struct user_regs_struct, rip));
		if (at == (unsigned long)hit)
			back = ptrace(PTRACE_PEEKDATA, child,
				      register_of(child, offsetof(struct user_regs_struct, rsp)),
				      0);
		if (back && at == back)
			return steps;
		steps += !!back;
		if (ptrace(PTRACE_SINGLESTEP, child, 0, 0))
			break;
	}
	return 0;
}

static unsigned int cost_of(unsigned int n, unsigned int nr)
{
	struct asite_depot_stack stack;
	unsigned int steps;
	pid_t child;
	u64 hash;

	make_stack(&stack, 300, n, nr);
	hash = hash_frames(&stack, nr);
	child = fork();
	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(1);
		raise(SIGSTOP);
		_exit(hit(&depot, &stack, nr, hash) < 0);
	}
	steps = count_steps(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return steps;
}

/* Of a stack that another is in the first place of. */
static unsigned int cost_of_second(void)
{
	struct asite_depot_stack stack;
	unsigned int n = 0;
	u64 first;

	do {
		make_stack(&stack, 300, ++n, 10);
		first = asite_depot_first(&depot, hash_whole(&stack, 10)) >> 32;
	} while (depot.index[first] == ASITE_DEPOT_EMPTY);
	find_nth(&depot, 300, n, 10);
	return cost_of(n, 10);
}

int main(void)
{
	static const unsigned int depths[] = { 1, 8, 10, 16, 24, 32, 63 };
	unsigned int i, steps, ten = 0;

	if (depot_init(65536))
		return 2;
	case_print("KTAP version 1\n1..1\n");
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		find_nth(&depot, 300, 0, depths[i]);
		steps = cost_of(0, depths[i]);
		ten = depths[i] == 10 ? steps : ten;
		case_print("# %u frames: %u instructions\n", depths[i], steps);
	}
	case_print("# %u frames in the second place: %u instructions\n", 10U, cost_of_second());
	if (!ten) {
		case_print("ok 1 depot_hit_cost # SKIP no single steps here\n");
		return 0;
	}
	case_print("%s 1 depot_hit_cost\n", case_result(ten <= LIMIT));
	depot_end(0);
	return ten > LIMIT;
}
