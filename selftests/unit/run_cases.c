// SPDX-License-Identifier: GPL-2.0-only
/* Runs the cases of ../cases in user space; KTAP out. */
#include <stdarg.h>
#include <stdio.h>

#include "../cases/cases.c"

void case_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

int main(void)
{
	/* A sanitizer that ends the program must not take the lines with it. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	return !!cases_run();
}
