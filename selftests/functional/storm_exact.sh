#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: totals of a cross-CPU storm equal what its threads counted, and nothing is left
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
# suite: main race
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

storm_matches()
{
	snapshot "$tmp/sites"
	for name in load_storm_64 load_storm_512 load_storm_cache load_storm_large; do
		got="$(site_sum "$name" 3 "$tmp/sites") $(site_sum "$name" 2 "$tmp/sites")"
		[ "$got" = "$(load_value "$name") 0" ] || return 1
	done
}

load_module asite_load
for backend in auto ftrace kprobe; do
	load_asite "probe=$backend"
	load_control "storm ${ASITE_STORM:-20000}"
	load_control stormwait
	expect_at_least "$backend: allocations" "$(load_value storm_allocations)" 20000
	loop_until 20 storm_matches ||
		fail "$backend: $name: total and live $got, expected $(load_value "$name") 0"
	unload_module allocsite
done
