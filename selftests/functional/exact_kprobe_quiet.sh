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

# The kernel drops a hit that comes, from an interrupt, while a kprobe runs on that CPU. In a guest
# whose clock counts instructions ticks are rare, so a run without any is soon had.
attempts=5
while [ "$attempts" -gt 0 ]; do
	attempts=$((attempts - 1))
	load_module asite_load
	load_asite probe=kprobe
	load_control mark
	load_control alloc
	sites_match
	live=$?
	cp "$tmp/differences" "$tmp/wrong"
	load_control free
	loop_until 20 sites_match
	freed=$?
	cat "$tmp/differences" >>"$tmp/wrong"
	misses=$(hook_misses)
	unload_module allocsite
	unload_module asite_load
	echo "missed $misses, live $live, freed $freed"
	head -n 20 "$tmp/wrong"
	[ "$misses" -gt 0 ] || break
done
expect_equal "events missed in the best run" "$misses" 0
expect_equal "no event missed: differences while live" "$live" 0
expect_equal "no event missed: differences after free" "$freed" 0
