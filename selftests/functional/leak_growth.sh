#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a leak of one object per 1,000 operations ranks first by growth, with its exact count
# requires: root debugfs module:allocsite module:asite_load
# timeout: 60
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"

load_module asite_load
load_asite
noise_start
snapshot "$tmp/first"
load_control leakstart
sleep "${ASITE_LEAK_SECONDS:-6}"
load_control leakstop
snapshot "$tmp/second"
noise_stop
leaked=$(load_value leak_objects)
expect_at_least "objects leaked" "$leaked" 100
expect_equal "live objects of the leak" "$(site_sum load_leak_64 2 "$tmp/second")" "$leaked"
awk -v sort_by=objects -f "$lib_dir/growth.awk" "$tmp/first" "$tmp/second" | head -n 5 >"$tmp/growth"
cat "$tmp/growth"
expect_equal "first by growth in objects" \
	"$(awk '!/^#/ { sub(/\+.*/, "", $6); print $6, $2; exit }' "$tmp/growth")" "load_leak_64 $leaked"
load_control leakfree
snapshot "$tmp/third"
expect_equal "live objects when freed" "$(site_sum load_leak_64 2 "$tmp/third")" 0
