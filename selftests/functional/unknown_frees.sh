#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: frees of objects from before load are counted as unknown and make nothing negative
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

enough_unknown()
{
	[ "$(stat_value unknown_frees)" -ge $((before + objects)) ]
}

load_module asite_load
load_control prealloc
objects=$(load_value prealloc_objects)
expect_at_least "objects from before load" "$objects" 300
load_asite
before=$(stat_value unknown_frees)
load_control prefree
loop_until 20 enough_unknown ||
	fail "unknown_frees went from $before to $(stat_value unknown_frees), $objects objects were freed"
for file in sites allocinfo stats; do
	# What grew may have shrunk.
	if grep -Ev '^# (residual|slab_growth)_bytes' "$asite/$file" | grep -E '(^|[[:space:]])-[0-9]'; then
		fail "$file: a negative number"
	fi
done
check_sites "nothing charged to the load module"
# What is allocated from now on may lie at the same addresses.
load_control mark
load_control alloc
check_sites "live"
load_control free
check_sites "freed" 20
