#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: of a mixed load's stacks none differs from the kernel's, nearly all by known steps, with tracers too
# suite: stacks
# requires: root debugfs tracefs module:allocsite program:bpftrace program:python3
# timeout: 900
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/stacks.sh"

: "${ASITE_STACKS:=1000000}"
tracing=/sys/kernel/tracing

files()
{
	mkdir -p "$tmp/files" && ls -lR /usr/lib >"$tmp/files/list" 2>&1
	for _i in $(seq 20); do
		cp "$tmp/files/list" "$tmp/files/$_i"
	done
	rm -rf "$tmp/files"
}

modules()
{
	modprobe dummy 2>/dev/null && rmmod dummy
}

# mixed WHEN: load until so many stacks were compared.
mixed()
{
	while [ "$(stat_of stacks_checked)" -lt "$ASITE_STACKS" ]; do
		files
		modules
	done
	grep -E '^(stacks|frames|depot)_' $asite/stats | tr '\n' ' '
	echo
	check_walks "$ASITE_STACKS"
	walks=$(stat_of stacks_walked)
	fast=$((walks - $(stat_of stacks_slow) - $(stat_of stacks_cut_at_interrupt) - $(stat_of stacks_lost)))
	echo "$1: $walks walks, $((fast * 1000 / walks)) in 1000 whole and by known steps alone"
}

stop_tracers()
{
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	echo 0 >/proc/sys/kernel/bpf_stats_enabled
	[ -z "$tracers" ] || { kill -TERM $tracers; wait $tracers 2>/dev/null; }
	tracers=
}

# start_tracer NAME COMMAND...: which says "attached" when it is.
start_tracer()
{
	_name=$1
	shift
	"$@" >"$tmp/$_name" 2>&1 &
	tracers="$tracers $!"
	loop_until 60 grep -qx attached "$tmp/$_name" || fail "$_name: $(tail -n 3 "$tmp/$_name")"
}

tracers=
at_exit="$at_exit; stop_tracers"
noise_start
load_asite stacks=64 stack_check=1
mixed "alone"
expect_at_least "in 1000 walks, whole and by known steps alone" "$((fast * 1000 / walks))" 950
unload_module allocsite

# Return addresses of functions that others trace are not on the stack.
echo '__x64_sys_*' 'vfs_*' 'ext4_*' 'tcp_*' >$tracing/set_ftrace_filter
echo function_graph >$tracing/current_tracer
start_tracer kretprobe bpftrace -e 'kretprobe:vfs_read { @r = count(); } BEGIN { printf("attached\n"); }'
echo 1 >/proc/sys/kernel/bpf_stats_enabled
start_tracer fexit "$lib_dir/fexit.py" vfs_write
load_asite stacks=64 stack_check=1
mixed "function_graph, a kretprobe and a fexit"
stop_tracers
expect_at_least "times that the fexit ran" "$(sed -n 's/^vfs_write: ran \(.*\) times$/\1/p' "$tmp/fexit")" 100
