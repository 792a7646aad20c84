// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads of user space that allocate in the kernel, each run a few times:
 * usage: loads PASSES [NAME...]
 * Prints "name operations passes 0 least median most idle" per load: what the
 * operations took in a pass, in nanoseconds of CLOCK_MONOTONIC, and in all
 * passes together the hundredths of a second in which the CPU had nothing to do.
 * Under QEMU's -icount shift=0 a nanosecond is one guest instruction, unless the
 * CPU is idle: then the clock jumps to the next timer. So each load always has a
 * task that runs, and idle tells if that held.
 *
 * Not here: differences between contenders; that is report.py.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PASSES	99
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

struct load {
	const char *name;
	int operations;
	void (*run)(int operations);
};

static const char *self;	/* this program's path */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void await(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("fork");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "loads: a child failed\n");
		exit(1);
	}
}

static void run_exec(int operations)
{
	while (operations--) {
		pid_t pid = fork();

		if (!pid) {
			execl(self, self, "exit", NULL);
			_exit(1);
		}
		await(pid);
	}
}

static void run_file(int operations)
{
	while (operations--) {
		int fd = open("/dev/shm/asite_bench", O_CREAT | O_EXCL | O_WRONLY, 0600);

		if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) || unlink("/dev/shm/asite_bench"))
			die("file");
	}
}

/* A byte there and back, between two processes. */
static void ping(int in[2], int out[2], int operations)
{
	pid_t pid = fork();
	char byte = 0;

	if (!pid) {
		while (operations--)
			if (read(in[0], &byte, 1) != 1 || write(out[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	while (operations--)
		if (write(in[1], &byte, 1) != 1 || read(out[0], &byte, 1) != 1)
			die("ping");
	await(pid);
}

static void run_pipe(int operations)
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		die("pipe");
	ping(in, out, operations);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
}

static void run_socket(int operations)
{
	int pair[2], in[2], out[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		die("socketpair");
	in[0] = pair[1];
	in[1] = pair[0];
	out[0] = pair[0];
	out[1] = pair[1];
	ping(in, out, operations);
	close(pair[0]);
	close(pair[1]);
}

static void run_hackbench(int operations)
{
	while (operations--) {
		pid_t pid = fork();

		if (!pid) {
			if (!freopen("/dev/null", "w", stdout))
				_exit(1);
			execlp("hackbench", "hackbench", "-g", "1", "-l", "20", NULL);
			_exit(1);
		}
		await(pid);
	}
}

static const struct load loads[] = {
	{ "fork_exec", 50, run_exec },
	{ "file", 1000, run_file },
	{ "pipe_ping", 2000, run_pipe },
	{ "socket_ping", 2000, run_socket },
	{ "hackbench", 1, run_hackbench },
};

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Idle and waiting for a disk, of all CPUs, in hundredths of a second. */
static long idle_ticks(void)
{
	FILE *stat = fopen("/proc/stat", "r");
	long idle, wait;

	if (!stat || fscanf(stat, "cpu %*d %*d %*d %ld %ld", &idle, &wait) != 2)
		die("/proc/stat");
	fclose(stat);
	return idle + wait;
}

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return x < y ? -1 : x > y;
}

static void measure(const struct load *load, int passes)
{
	unsigned long long ns[MAX_PASSES];
	long idle;
	int i;

	load->run(load->operations);
	idle = idle_ticks();
	for (i = 0; i < passes; i++) {
		unsigned long long begin = now_ns();

		load->run(load->operations);
		ns[i] = now_ns() - begin;
	}
	idle = idle_ticks() - idle;
	qsort(ns, passes, sizeof(ns[0]), compare);
	printf("%s %d %d 0 %llu %llu %llu %ld\n", load->name, load->operations, passes,
	       ns[0], ns[passes / 2], ns[passes - 1], idle);
	fflush(stdout);
}

static int wanted(const char *name, char **names)
{
	if (!strcmp(name, "hackbench") && system("command -v hackbench >/dev/null"))
		return 0;
	if (!*names)
		return 1;
	while (*names)
		if (!strcmp(*names++, name))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	size_t i;
	int passes;

	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "exit"))
		return 0;
	passes = argc > 1 ? atoi(argv[1]) : 0;
	if (passes < 1 || passes > MAX_PASSES) {
		fprintf(stderr, "usage: loads PASSES [NAME...]     (1..%d)\n", MAX_PASSES);
		return 2;
	}
	for (i = 0; i < ARRAY_SIZE(loads); i++)
		if (wanted(loads[i].name, argv + 2))
			measure(&loads[i], passes);
	return 0;
}
