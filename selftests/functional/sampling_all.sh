#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: sample_bytes=1 holds every object but one in 3,000 of 8 bytes: counts as the exact mode's
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/sampled.sh"

load_module asite_load
load_asite sample_bytes=1
load_control mark
for _round in 1 2; do
	load_control alloc
	check_sampled "live, round $_round"
	load_control free
	check_sampled "freed, round $_round" 20
done
# Each is of 64 bytes, of which one in 6e27 is not in the sample.
load_control "hold 20000"
snapshot "$tmp/sites"
expect_equal "live objects" "$(sampled_sum load_hold_64 2 "$tmp/sites")" 20000
load_control holdfree
snapshot "$tmp/sites"
expect_equal "live objects after free" "$(sampled_sum load_hold_64 2 "$tmp/sites")" 0
expect_equal "objects allocated ever" "$(sampled_sum load_hold_64 3 "$tmp/sites")" 20000
