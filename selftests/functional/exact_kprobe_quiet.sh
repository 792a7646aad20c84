#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: probe=kprobe counts every API exactly in a quiet run in which no hook missed an event
# suite: quiet
# requires: root debugfs module:allocsite module:asite_load
# timeout: 300
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/exact.sh"

# check_unmissed WHEN SECONDS: exact, or an event was missed by then; the status is 1 then.
check_unmissed()
{
	loop_until "$2" sites_match
	_exact=$?
	misses=$(hook_misses)
	echo "$1: missed $misses"
	[ "$misses" -eq 0 ] || return 1
	[ "$_exact" -eq 0 ] || head -n 20 "$tmp/differences"
	expect_equal "no event missed: differences while $1" "$_exact" 0
}

quiet_run()
{
	load_control mark
	load_control alloc
	check_unmissed live 0 || return
	load_control free
	check_unmissed freed 20
}

# The kernel drops a hit that comes, from an interrupt, while a kprobe runs on that CPU. In a guest
# whose clock counts instructions ticks are rare, so a run without any is soon had; sooner where not
# every allocator is hooked at once. Rows of what is not followed are not compared.
for kinds in slab page,vmalloc,percpu; do
	for _attempt in $(seq 20); do
		load_module asite_load
		load_asite probe=kprobe "kinds=$kinds"
		quiet_run
		unload_module allocsite
		unload_module asite_load
		[ "$misses" -gt 0 ] || break
	done
	expect_equal "$kinds: events missed in the best run" "$misses" 0
done
