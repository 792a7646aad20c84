#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: through reclaim and OOM kills counts stay exact, the residual small, and off and on work
# suite: oom
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/residual.sh"
. "$dir/lib/storm.sh"

allow_log 'Call Trace:|RIP:|Out of memory|oom'
at_exit="$at_exit; rm -f /var/tmp/asite-fill"
killed=0

# The OOM killer's first choice; ends by it.
run_out_of_memory()
{
	sh -c 'echo 1000 >/proc/self/oom_score_adj; exec tail /dev/zero' >/dev/null 2>&1
	[ $? -eq 137 ] && killed=$((killed + 1))
}

# Twice as much page cache as there is memory.
reclaim()
{
	for _i in 1 2; do
		head -c 600M /dev/zero >/var/tmp/asite-fill
		cat /var/tmp/asite-fill >/dev/null
	done
}

# The storm's rows are no part of expect. Where no large pages are left, vmalloc takes back what it
# had and begins again with small ones: its array of pages was allocated once more, and freed.
sites_match_but_storm()
{
	sites_match || ! grep -Evq '^load_storm_|^load_(kvmalloc_fallback|vmalloc_big|vmalloc_huge) .* (total objects|requested bytes): ' \
		"$tmp/differences"
}

# check_rows WHEN SECONDS
check_rows()
{
	loop_until "$2" sites_match_but_storm || check_sites "$1"
}

load_module asite_load
drain
used_before=$(used_bytes)
load_asite
load_control mark
load_control alloc
reclaim
take "$tmp/cached"
made_of "page cache" "$tmp/cached"
peak=$growth
expect_at_least "growth before memory runs out" "$peak" 268435456
expect_small_residual "page cache" "$peak"
load_control "storm ${ASITE_STORM:-20000}"
for _round in 1 2 3; do
	run_out_of_memory
done
load_control stormwait
expect_at_least "tasks killed for memory" "$killed" 2
expect_log "the OOM killer was there" 'Out of memory: Killed'
# Whoever asks for memory last calls it: never this module's own workers.
new_log | grep 'Workqueue: .*\[allocsite\]' && fail "the OOM killer was called in allocsite's name"

loop_until 20 storm_matches || fail "storm: $name: total and live $got, expected $(load_value "$name") 0"
check_rows "live, after OOM kills" 5
take "$tmp/killed"
made_of "after OOM kills" "$tmp/killed"
expect_small_residual "after OOM kills" "$peak"
expect_equal "negative numbers" "$(grep -c '^ *-' "$tmp/killed")" 0
load_control free
check_rows "freed, after OOM kills" 20

# Another epoch, with memory short from its beginning.
control off
reclaim
# Blocks of 4 MiB are asked for, once: not from what is full of small ones.
rm -f /var/tmp/asite-fill
drain
echo 1 >/proc/sys/vm/compact_memory
control on
load_control mark
load_control alloc
run_out_of_memory
check_rows "live in the next epoch" 5
load_control free
check_rows "freed in the next epoch" 20
take "$tmp/next"
made_of "next epoch" "$tmp/next"
expect_small_residual "next epoch" "$peak"
