#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: objects leaked through a helper show by its caller after "wrap +helper", with exact counts
# requires: root debugfs module:allocsite module:leak_helper
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/leaks.sh"

leak=/sys/module/leak_helper/parameters

# leak_and_grow: 20,000 operations of each caller between two snapshots.
leak_and_grow()
{
	_before=$(cat $leak/lost_objects)
	settled_snapshot "$tmp/first"
	echo 20000 >$leak/run || fail "leak_helper: run refused"
	settled_snapshot "$tmp/second"
	grown -v sort_by=objects
	lost=$(($(cat $leak/lost_objects) - _before))
	expect_equal "objects lost" "$lost" 4000
}

load_module leak_helper
load_asite
leak_and_grow
# The helper hides who of its callers it is.
expect_first "$((lost * 64)) $lost kmalloc leak_helper_new_request"
control "wrap +leak_helper_new_request"
leak_and_grow
expect_first "$((lost * 64)) $lost kmalloc leak_helper_write"
unload_module leak_helper
snapshot "$tmp/third"
for name in leak_helper_new_request leak_helper_write leak_helper_read leak_helper_flush; do
	expect_equal "live of $name when freed" "$(site_sum $name 2 "$tmp/third")" 0
done
