#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: bpftrace kretprobe and fexit on kmalloc and the trace event beside it: no trampoline is a site
# requires: root debugfs module:allocsite module:asite_load tracefs program:bpftrace
# timeout: 400
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

at_exit="$at_exit; stop_foreign"
foreign=

stop_foreign()
{
	echo 0 >/sys/kernel/tracing/events/kmem/kmalloc/enable
	[ -z "$foreign" ] || { kill -TERM "$foreign" 2>/dev/null; wait "$foreign" 2>/dev/null; }
	foreign=
}

# start_foreign PROGRAM: waits until its probe is attached; the status is whether it is.
start_foreign()
{
	bpftrace -e "$1 BEGIN { printf(\"attached\\n\"); }" >"$tmp/bpftrace" 2>&1 &
	foreign=$!
	loop_until 60 grep -qx attached "$tmp/bpftrace"
}

# Exact, or what is missing is named: every object that a row lacks was counted as hidden.
check_named()
{
	sites_match && return 0
	hidden=$(sed -n 's/^# loss hidden_objects //p' "$tmp/sites")
	lacking=$(sed -n 's/.* total objects: got \([0-9]*\), expected \([0-9]*\)$/\2 \1/p' "$tmp/differences" |
		awk '{ if ($1 < $2) more++; sum += $1 - $2 } END { print more ? "too many" : sum + 0 }')
	echo "$1: $lacking objects not on their rows, ${hidden:-no} hidden objects named"
	[ "$lacking" != "too many" ] && [ "$lacking" -le "${hidden:-0}" ] || {
		head -n 10 "$tmp/differences"
		fail "$1: counts differ, and the head of sites does not name it"
	}
}

check_beside()
{
	load_control mark
	load_control alloc
	check_named "$1: live"
	grep -v '^#' "$tmp/sites" |
		grep -E '(rethook|kretprobe|ftrace)_trampoline|bpf_trampoline_[0-9]|bpf_prog_[0-9a-f]{16}|return_to_handler|0x[0-9a-f]{9,}' &&
		fail "$1: a trampoline is shown as a site"
	load_control free
	sleep 6
	sites_match || awk '$9 == "[asite_load]" && $2 > 0' "$tmp/sites" >"$tmp/left"
	[ ! -s "$tmp/left" ] || fail "$1: freed, but live: $(head -n 1 "$tmp/left")"
	control reset
}

# beside BACKEND PROGRAM
beside()
{
	load_asite "probe=$1"
	echo 1 >/sys/kernel/tracing/events/kmem/kmalloc/enable
	if start_foreign "$2 { @n = count(); }"; then
		check_beside "$1, ${2%%:*}"
		stop_foreign
		grep -q '^@n: [1-9]' "$tmp/bpftrace" || fail "$1, ${2%%:*}: bpftrace saw nothing"
	else
		# A direct call is exclusive: the other side is refused, and must say so itself.
		stop_foreign
		echo "$1, ${2%%:*}: not attached: $(tail -n 1 "$tmp/bpftrace")"
		[ "$1" = ftrace ] || fail "$1, ${2%%:*}: not attached"
	fi
	unload_module allocsite
}

# The function behind kmalloc() of a size known at run time, by this kernel's name.
function=$(sed -n 's/^[0-9a-f]* T \(__kmalloc\(_noprof\)*\)$/\1/p' /proc/kallsyms | head -n 1)
[ -n "$function" ] || fail "no __kmalloc, no __kmalloc_noprof in kallsyms"
# As this bpftrace calls it: kretfunc, from 0.22 on fexit; Debian 11's has neither.
fexit=$(bpftrace -l "kretfunc:vmlinux:$function" 2>/dev/null | head -n 1)
load_module asite_load
beside auto "kretprobe:$function"
if [ -n "$fexit" ]; then
	beside auto "$fexit"
	beside ftrace "$fexit"
else
	echo "left out: fexit, which $(bpftrace --version) does not know here"
fi
