#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a test build that drops every 7th free: stale_replaced is what was reused, and sites converge
# requires: root debugfs module:asite_load module:asite_count param:drop_free_nth
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# Independent arithmetic: with A allocations, F frees, U of them unknown and D dropped ones, of which
# S were healed, live = A - (F - U) + D - S. Where large objects are reported twice (6.11 on), one
# that comes to the place of one whose free was dropped looks like a second report: R of them.
counted()
{
	awk -v name="$1" '$1 == name { print $2 }' $count/control
}

load_module asite_load
load_module asite_count with=allocsite_test
echo start >$count/control
# What is counted independently is slab memory.
load_module allocsite_test kinds=slab probe=tracepoint drop_free_nth=7 loss_limit=0
rounds=${ASITE_ROUNDS:-6}
for _round in $(seq "$rounds"); do
	load_control alloc
	load_control free
	sleep 0.5
done
load_control "storm 20000"
load_control stormwait
# kfree_rcu has drained.
sleep 8
control off
echo stop >$count/control
snapshot "$tmp/sites"
dropped=$(stat_value test_dropped_frees)
healed=$(stat_value stale_replaced)
unknown=$(stat_value unknown_frees)
live=$(head_value total "$tmp/sites" | cut -d ' ' -f 2)
retagged=$(($(stat_value retagged_objects) - $(counted kmalloc_twice)))
echo "dropped $dropped, healed $healed, unknown $unknown, retagged $retagged, live $live"
expect_at_least "frees dropped" "$dropped" 1000
expect_at_least "healed" "$healed" 100
wanted=$(($(counted allocations) - ($(counted frees) - unknown) + dropped - healed - retagged))
if [ "$(counted frees_exact)" = 1 ]; then
	expect_equal "live objects" "$live" "$wanted"
else
	# Between two attaches some frees are seen by one of the two only; a drop is one in seven.
	echo "live objects: $live, expected about $wanted"
	expect_at_least "live objects" "$live" $((wanted - dropped / 100))
	expect_at_least "expected" $((wanted + dropped / 100)) "$live"
fi

# Without healing every round would add its share of the load module's objects for ever.
left=$(awk '$9 == "[asite_load]" { n += $2 } END { print n + 0 }' "$tmp/sites")
ever=$(awk '$9 == "[asite_load]" { n += $3 } END { print n + 0 }' "$tmp/sites")
echo "asite_load: $left of $ever objects still shown live"
expect_at_least "healing: share of the drops that is gone" $((ever / 7 / 2)) "$left"
