#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: EVICT=1: far more stacks than there is room for; fresh ones are kept, sums and texts stay right
# suite: evict
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/stacks.sh"

# What is held stays, and its stacks; all others may be somebody else's at the next look.
reader()
{
	while :; do
		cat $asite/stacks
		dd if=$asite/folded bs=500
		cat $asite/sites
		sleep 0.3
	done >/dev/null 2>&1
}

start_readers()
{
	for _i in 1 2; do
		reader &
		readers="$readers $!"
	done
}

stop_readers()
{
	[ -z "$readers" ] || kill $readers
	wait $readers
	readers=
}

# storm N: 2048 stacks each time, none of which was there before.
storm()
{
	for _i in $(seq "$1"); do
		load_control "paths 2048"
		load_control pathsfree
	done
}

# fresh: of 100 objects from stacks never seen before, how many are shown with their own.
fresh()
{
	load_control "paths 100"
	awk '$8 ~ /^load_path_61\+/ && $2 == 1 && / < load_path_(even|odd)\+.* < [^<]*$/ { n++ }
		END { print n + 0 }' $asite/stacks
	load_control pathsfree
}

fresh_are_kept()
{
	got=$(fresh)
	[ "$got" -eq 100 ]
}

# check_totals WHEN: objects that no stack is known of any more are in their site's row.
check_totals()
{
	check_sites "$1" 10
	check_sums "$1"
}

# check_frozen: a round that is underway changes nothing any more.
check_frozen()
{
	cat $asite/sites $asite/stacks >"$tmp/frozen"
	sleep 3
	cat $asite/sites $asite/stacks | cmp -s - "$tmp/frozen" || fail "off: reports went on to change"
}

# check_old_report: one that was open all the time shows no stack's text for another.
check_old_report()
{
	# Whatever these two call comes through one of the two call sites.
	grep -E ' < load_path_(even|odd)\+' "$tmp/old" | grep -Ev ' load_path_(61|pages)\+' >"$tmp/wrong"
	awk '$8 ~ /^load_path_61\+/ && !/\+0x[^ ]* \[asite_load\] < (load_path_|\[evicted\]$|\[no stack\]$)/' \
		"$tmp/old" >>"$tmp/wrong"
	[ ! -s "$tmp/wrong" ] || fail "a report shows another stack's text: $(head -n 1 "$tmp/wrong")"
	expect_at_least "rows whose stack was evicted while they were read" \
		"$(grep -c ' < \[evicted\]$' "$tmp/old")" 10
}

readers=
at_exit="$at_exit; stop_readers"
load_module asite_load
load_asite stacks=32 max_stacks=4096 depot_mb=1
[ -n "$(stat_of depot_evicted)" ] || skip "needs a module built with EVICT=1"
noise_start
load_control mark
load_control alloc
load_control "pathpages 50"
check_totals "live"
start_readers
storm 2
exec 3<$asite/stacks
dd bs=500 count=1 of="$tmp/old" <&3 2>/dev/null
storm 4
loop_until 10 fresh_are_kept || fail "fresh stacks with their own record: $got of 100"
for _round in $(seq 4); do
	sleep 1.5
	# What makes room may be waiting just now, longer on a busy host.
	loop_until 10 fresh_are_kept ||
		fail "fresh stacks with their own record, time $_round: $got of 100"
done
cat <&3 >>"$tmp/old"
exec 3<&-
check_old_report
stop_readers
grep -E '^depot_' $asite/stats | tr '\n' ' '
echo
expect_at_least "evicted" "$(stat_of depot_evicted)" 500
check_totals "after the storm"
load_control pathpagesfree
load_control free
check_totals "freed"

# Whatever comes between a round's beginning and its end.
start_readers
for word in reset "stacks off" off; do
	storm 1
	control "$word"
	[ "$word" != off ] || check_frozen
	control "stacks 32"
	control on
	storm 1
done
stop_readers
control reset
load_control mark
load_control alloc
storm 2
loop_until 10 fresh_are_kept || fail "begun anew: fresh stacks with their own record: $got of 100"
check_totals "begun anew"
load_control free
check_totals "begun anew, freed"
check_walks 1
storm 1
