#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: on, off and reset in sampled mode: frozen, begun anew, old objects nobody's, other random numbers
# requires: root debugfs module:allocsite module:asite_load
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/sampled.sh"

# hold_sampled: how many of 50,000 objects are in the sample.
hold_sampled()
{
	load_control "hold 50000"
	snapshot "$tmp/sites"
	sampled_sum load_hold_64 9 "$tmp/sites"
}

load_module asite_load
load_asite sample_bytes=8192
first=$(hold_sampled)
control off
snapshot "$tmp/frozen"
load_control holdfree
snapshot "$tmp/later"
cmp -s "$tmp/frozen" "$tmp/later" || fail "off: the report changed"
control on
expect_equal "on: of the old epoch" "$(sampled_sum load_hold_64 9 "$asite/sites")" 0
second=$(hold_sampled)
control reset
expect_equal "reset: of the old epoch" "$(sampled_sum load_hold_64 9 "$asite/sites")" 0
# Frees of the old epoch's objects are nobody's.
load_control holdfree
expect_equal "reset: live" "$(sampled_sum load_hold_64 1 "$asite/sites")" 0
third=$(hold_sampled)
echo "of 50,000 in the sample: $first, $second, $third"
# 389 each, give or take 20: five of these. (That they differ says nothing of seeds: what else is
# allocated between is another each time.)
for n in "$first" "$second" "$third"; do
	expect_at_least "in the sample" "$n" 289
	expect_at_least "489, more than in the sample" 489 "$n"
done
