#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: reset and off, on start an epoch: old objects are unknown, new ones exact, nothing negative
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
for how in reset "off on"; do
	control reset
	load_control mark
	load_control alloc
	check_sites "$how: before"
	for word in $how; do
		control "$word"
	done
	load_control mark
	unknown=$(stat_value unknown_frees)
	load_control free
	sleep 6
	check_sites "$how: objects of the old epoch freed"
	expect_at_least "$how: unknown frees" $(($(stat_value unknown_frees) - unknown)) 5000
	load_control alloc
	check_sites "$how: live in the new epoch"
	load_control free
	check_sites "$how: freed in the new epoch" 20
done
for _time in 1 2 3 4 5; do
	load_control "storm 3000"
	control reset
	load_control stormwait
	snapshot "$tmp/sites"
	! grep -Ev '^# (residual|slab_growth)_bytes' "$tmp/sites" | grep -E '(^|[[:space:]])-[0-9]' ||
	fail "a negative number"
done
