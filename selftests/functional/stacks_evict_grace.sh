#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: EVICT=1, a test build whose handlers are slow: what found a stack before it was evicted is counted right
# suite: evict
# requires: root debugfs cpus:2 module:asite_load param:pause_bytes
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/stacks.sh"

again=40

# expect_total NAME: objects ever and live.
expect_total()
{
	expect_equal "$1: objects ever, and live" \
		"$(site_sum "$1" 3 "$tmp/sites") $(site_sum "$1" 2 "$tmp/sites")" "$(load_value "$1") 0"
}

# While a handler that found the one stack waits, others need its record.
load_module asite_load
load_module allocsite_test kinds=slab stacks=32 max_stacks=512 pause_bytes=59 pause_ms=150
[ -n "$(stat_of depot_evicted)" ] || skip "needs a module built with EVICT=1"
load_control "pathagain $again"
while [ "$(load_value load_path_again_59)" -lt "$again" ]; do
	load_control "paths 300"
	load_control pathsfree
done
load_control pathwait
grep -E '^depot_' $asite/stats | tr '\n' ' '
echo
expect_at_least "evicted" "$(stat_of depot_evicted)" 300
snapshot "$tmp/sites"
expect_total load_path_again_59
expect_total load_path_61
