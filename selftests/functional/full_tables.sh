#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: with tiny tables nothing breaks, and independent totals equal tracked plus untracked to the object
# requires: root debugfs module:allocsite module:asite_load module:asite_count
# timeout: 180
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"

counted()
{
	awk -v name="$1" '$1 == name { print $2 }' $count/control
}

load_module asite_load
load_module asite_count with=allocsite
echo start >$count/control
# What is counted independently is slab memory.
load_asite kinds=slab max_sites=64 live_mb=1 loss_limit=0
noise_start
load_control alloc
load_control "storm ${ASITE_STORM:-20000}"
load_control "hold 150000"
load_control stormwait
load_control free
load_control holdfree
noise_stop
control off
echo stop >$count/control

snapshot "$tmp/sites"
cat $count/control $asite/stats >"$tmp/numbers"
sed -n 's/^# loss/loss:/p' "$tmp/sites"
grep -E '^(allocations|frees|untracked|overflow|unknown|sites_used)' "$tmp/numbers"
expect_at_least "independent count" "$(counted allocations)" 200000
expect_at_least "untracked objects" "$(stat_value untracked_objects)" 1
expect_at_least "overflow objects" "$(stat_value overflow_objects)" 1
expect_equal "total objects" "$(head_value total "$tmp/sites" | cut -d ' ' -f 3)" \
	"$(counted allocations)"
grep -q '\[overflow\]' "$tmp/sites" || fail "no overflow site"
grep -q '^# loss untracked' "$tmp/sites" || fail "the head of sites does not name the loss"
! grep -Ev '^# (residual|slab_growth)_bytes' "$tmp/sites" | grep -E '(^|[[:space:]])-[0-9]' ||
	fail "a negative number"
