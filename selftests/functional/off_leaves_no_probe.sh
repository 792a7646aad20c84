#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: off leaves no tracepoint probe, no ftrace hook, no kprobe behind, with any backend
# requires: root debugfs module:allocsite module:asite_count tracefs
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

counted()
{
	awk -v name="$1" '$1 == name { print $2 }' $count/control
}

# What ftrace and kprobes know to be attached.
attached()
{
	cat /sys/kernel/tracing/enabled_functions $debugfs/kprobes/list | sort
}

churn()
{
	ls -lR /proc/self /sys/module/kernel >/dev/null 2>&1
}

load_module asite_count with=allocsite
attached >"$tmp/before"
for backend in auto tracepoint ftrace kprobe; do
	load_asite "probe=$backend"
	attached >"$tmp/on"
	if [ "$backend" != tracepoint ] && cmp -s "$tmp/before" "$tmp/on"; then
		fail "$backend: on attaches nothing: the check below would be void"
	fi
	control off
	attached >"$tmp/off"
	diff "$tmp/before" "$tmp/off" || fail "$backend: off leaves a hook"
	# The independent module sees itself alone on the tracepoints.
	echo start >$count/control
	churn
	echo stop >$count/control
	expect_at_least "$backend: events while off" "$(counted alone)" 10
	expect_equal "$backend: events shared with a probe of allocsite" \
		"$(counted kmalloc) $(counted kmem_cache_alloc) $(counted kfree) $(counted kmem_cache_free)" \
		"0 0 0 0"
	expect_equal "$backend: rows of hooks not off" \
		"$(awk -F '\t' '!/^#/ && NR > 1 && $4 == "attached"' $asite/hooks | wc -l)" 0
	control on
	expect_at_least "$backend: hooks attached again" \
		"$(awk -F '\t' '!/^#/ && NR > 1 && $4 == "attached"' $asite/hooks | wc -l)" 4
	unload_module allocsite
	attached >"$tmp/off"
	diff "$tmp/before" "$tmp/off" || fail "$backend: unload leaves a hook"
done
# And the check can fail: with a tracepoint probe the two are seen together.
load_asite probe=tracepoint
echo start >$count/control
churn
echo stop >$count/control
expect_at_least "events shared while on" "$(counted kmem_cache_alloc)" 10
