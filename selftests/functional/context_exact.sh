#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: context shows who allocated each live object of a site, no dead one, the newest N; others count as ever
# suite: main exact
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/context.sh"

# by_comm: how many records of $tmp/records each task has.
by_comm()
{
	awk '{ n[$5]++ } END { for (c in n) print c "=" n[c] }' "$tmp/records" | sort | tr '\n' ' '
}

# by_bytes: how many records have so many bytes.
by_bytes()
{
	awk '{ n[$1]++ } END { for (b in n) print b "=" n[b] }' "$tmp/records" | sort -n | tr '\n' ' '
}

# live_of FUNCTION: live objects, as asite_load says.
live_of()
{
	awk -v name="$1" '$1 == name { n += $5 } END { print n + 0 }' "$load/expect"
}

load_module asite_load
load_asite
load_control "hold 3"
control "context load_hold_64 on"
expect_records "before there were any" load_hold_64 0

# Who, how much, where, in which order; a task may call itself anything.
hold_by 'w\i r' "hold 5"
expect_records "five" load_hold_64 5
awk -v pid="$pid" '$1 != 64 || $3 != pid || $4 != pid || $5 != "w\\134i\\040r" || $7 != "task" ||
	$8 < 1 || (last && $2 > last) { print "FAIL: five: " $0; exit 1 } { last = $2 }' "$tmp/records" || exit 1
grep -Eq ' load_hold_64\+0x[0-9a-f]+/0x[0-9a-f]+ \[asite_load\] < load_hold\+.* < entry_SYSCALL_64_after_hwframe' \
	"$tmp/records" || fail "five: no whole stack: $(head -n 1 "$tmp/records")"
grep -E '0x[0-9a-f]{9,}' "$tmp/context" && fail "a raw address is shown"

# Some are freed, their addresses allocated again from the same stack: a record is of the last one.
load_control holdfree
expect_records "freed" load_hold_64 0
hold_by a "hold 4"
hold_by b "hold 3" holdhalf
expect_records "every second one freed" load_hold_64 3
expect_equal "whose are left" "$(by_comm)" "a=2 b=1 "
hold_by c "hold 4"
expect_records "and four more" load_hold_64 7
expect_equal "whose they are" "$(by_comm)" "a=2 b=1 c=4 "
# Round and round through the same addresses.
for round in 1 2 3; do
	hold_by "r$round" holdfree "hold 20" holdfree "hold 6"
	expect_records "round $round" load_hold_64 6
	expect_equal "round $round: whose" "$(by_comm)" "r$round=6 "
done
expect_equal "recorded" "$(count_of recorded load_hold_64)" 94
expect_equal "overwritten, lost, dropped" "$(count_of overwritten load_hold_64) $(count_of lost load_hold_64) $(
	count_of dropped load_hold_64)" "0 0 0"

# The newest are kept.
control "context load_hold_64 on 7"
expect_records "an empty ring" load_hold_64 0
hold_by old "hold 10"
hold_by new "hold 5"
expect_records "seven of 15" load_hold_64 7
expect_equal "whose" "$(by_comm)" "new=5 old=2 "
expect_equal "overwritten" "$(count_of overwritten load_hold_64)" 8
load_control holdfree
expect_records "none left" load_hold_64 0

# Other kinds, other places, all sizes of a caller; the others count as ever.
control reset
load_control mark
load_control alloc
load_control free
# kfree_rcu drains later.
check_sites "seen" 20
for name in load_kmalloc_variable load_atomic_32 load_alloc_pages load_vmalloc load_percpu_200 load_cache_bulk; do
	control "context $name on 2000"
done
load_control alloc
check_sites "live" 20
check_all()
{
	expect_records "$1" load_kmalloc_variable 420
	expect_equal "$1: sizes" "$(by_bytes)" "32=131 192=137 512=139 8192=13 "
	expect_records "$1" load_alloc_pages 590
	expect_equal "$1: blocks" "$(by_bytes)" \
		"4096=283 8192=149 16384=71 32768=37 65536=19 131072=11 262144=7 524288=5 1048576=3 2097152=3 4194304=2 "
	# On most kernels with an array of pages for each, which is the caller's.
	expect_records "$1" load_vmalloc "$(live_of load_vmalloc)"
	expect_equal "$1: areas" "$(grep -c '^ *4096 ' "$tmp/records")" 103
	expect_records "$1" load_percpu_200 47
	expect_equal "$1: bytes of an object" "$(awk '{ print $1 }' "$tmp/records" | uniq)" \
		"$(awk '$1 == "load_percpu_200" { print $8 / $5 }' "$load/expect")"
	expect_records "$1" load_atomic_32 157
	expect_equal "$1: where" "$(awk '{ print $7 }' "$tmp/records" | sort | uniq)" softirq
	expect_records "$1" load_cache_bulk "$(live_of load_cache_bulk)"
}
check_all "live"
load_control free
check_sites "freed" 20
cat $asite/context >"$tmp/context"
grep -Ev '^(#|allocsite)' "$tmp/context" | head -n 1 | grep . && fail "freed, but a record is shown"

# An epoch: contexts stay, all sites are new.
control reset
expect_equal "recorded after reset" "$(count_of recorded load_vmalloc)" 0
load_control mark
load_control alloc
check_sites "after reset" 20
check_all "after reset"
control off
expect_records "frozen" load_vmalloc "$(live_of load_vmalloc)"
load_control free
control on
load_control mark
load_control alloc
check_sites "on again" 20
check_all "on again"
load_control free
expect_equal "lost" "$(stat_value context_lost)" 0

# Off: no record, no memory, and the sites count on.
control "context load_vmalloc off"
used=$(stat_value own_memory_bytes)
control "context load_vmalloc on 60000"
expect_at_least "bytes of a ring" "$(stat_value own_memory_bytes)" $((used + 60000 * 64))
for name in load_vmalloc load_kmalloc_variable load_atomic_32 load_alloc_pages load_percpu_200 load_cache_bulk load_hold_64; do
	control "context $name off"
done
expect_at_least "bytes before" "$used" "$(stat_value own_memory_bytes)"
expect_equal "contexts" "$(stat_value contexts_on) $(grep -c '^context ' $asite/control)" "0 0"
load_control alloc
check_sites "off" 20
expect_equal "records" "$(grep -Evc '^(#|allocsite)' $asite/context)" 0
load_control free
check_sites "freed, off" 20
