#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: stacks from inside a hooked function, and from a timer anywhere, unwind through the trampoline
# requires: root debugfs module:allocsite program:bpftrace
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_asite probe=ftrace

# stacks_through PROBE: each of its stacks that has a trampoline must reach the kernel's entry.
stacks_through()
{
	bpftrace -e "$1 { @[kstack(64)] = count(); } BEGIN { printf(\"attached\\n\"); }" \
		>"$tmp/stacks" 2>&1 &
	tracer=$!
	loop_until 60 grep -qx attached "$tmp/stacks" || fail "$1: $(tail -n 1 "$tmp/stacks")"
	for _i in 1 2 3 4 5; do
		find /usr/share /etc -type f >"$tmp/list" 2>/dev/null
		tar cf /dev/null -T "$tmp/list" 2>/dev/null
	done
	kill -INT $tracer || fail "$1: $(grep -v "^@" "$tmp/stacks" | tail -n 3)"
	wait $tracer || tail -n 3 "$tmp/stacks"
	awk '
		/^@\[/ { depth = 0; through = 0; entry = 0; next }
		/^\]:/ {
			if (!through) next
			n++
			if (!entry) { cut++; if (cut == 1) print "ends at: " last }
			next
		}
		{ last = $1; depth++ }
		/asite_tramp_/ { through = 1 }
		/entry_SYSCALL_64|ret_from_fork|asm_/ { entry = 1 }
		END { print n + 0, cut + 0 }' "$tmp/stacks" >"$tmp/verdict"
	cat "$tmp/verdict"
	read -r through cut <<-END
	$(tail -n 1 "$tmp/verdict")
	END
	echo "$1: $through stacks through a trampoline, $cut of them cut short"
	expect_at_least "$1: stacks through a trampoline" "$through" 3
	expect_equal "$1: stacks that end early" "$cut" 0
}

# Called wherever a new slab is needed: from the fast path's refill, in 7.3 from that of a sheaf.
stacks_through kprobe:allocate_slab
# At any instruction of trampolines and handlers: their prologues and epilogues too.
stacks_through profile:hz:997
