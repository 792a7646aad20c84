#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: EVICT=1: records outlive stacks: each live object's is shown, with its own stack or none, and no other
# suite: evict
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/stacks.sh"
. "$dir/lib/context.sh"

# Rows of load_path_61 that show neither a stack of theirs nor none.
malformed()
{
	awk '$9 ~ /^load_path_61\+/ &&
		!/ \[asite_load\] < load_path_(even|odd)\+.* < [^<]*$/ &&
		!/ \[asite_load\] < \[(evicted|no stack)\]$/' "$@"
}

# All the while: each record has a stack like its site's.
reader()
{
	while [ ! -e "$tmp/stop" ]; do
		cat $asite/context >"$tmp/read"
		malformed "$tmp/read" >>"$tmp/malformed"
		sleep 0.2
	done
}

stop_reader()
{
	touch "$tmp/stop"
	[ -z "$reader" ] || wait "$reader"
	reader=
}

# storm N: 2048 stacks each time, none of which was there before.
storm()
{
	for _i in $(seq "$1"); do
		load_control "paths 2048"
		load_control pathsfree
	done
}

# Has the hand been round once more? Each stack that nobody has went then.
all_are_evicted()
{
	storm 1
	[ $(($(stat_of depot_evicted) - evicted)) -ge $max_stacks ]
}

# fresh: 100 objects from stacks never seen before, each with its own.
fresh()
{
	load_control pathsfree
	load_control "paths 100"
	records load_path_61 >"$tmp/records"
	sed 's/^[^<]*<//' "$tmp/records" | grep ' load_path_' | sort -u >"$tmp/stacks"
	[ "$(wc -l <"$tmp/records") $(wc -l <"$tmp/stacks")" = "100 100" ]
}

expect_fresh()
{
	loop_until 10 fresh ||
		fail "$1: fresh objects and their stacks: $(wc -l <"$tmp/records") $(wc -l <"$tmp/stacks")"
}

check_held()
{
	expect_records "$1" load_hold_64 5
	expect_equal "$1: with a whole stack" \
		"$(grep -c ' < load_hold\+.* < entry_SYSCALL_64_after_hwframe' "$tmp/records")" 5
	expect_equal "$1: whose" "$(awk '{ print $5 }' "$tmp/records" | uniq)" keeper
}

max_stacks=2048
reader=
at_exit="$at_exit; stop_reader"
load_module asite_load
load_asite stacks=32 max_stacks=$max_stacks depot_mb=1
[ -n "$(stat_of depot_evicted)" ] || skip "needs a module built with EVICT=1"
noise_start
# Sites are known once they were seen.
load_control "hold 1"
load_control holdfree
load_control "paths 1"
load_control pathsfree
control "context load_hold_64 on 100"
control "context load_path_61 on 4096"
hold_by keeper "hold 5"
check_held "held"

reader &
reader=$!
storm 3
# A report that is open while its stacks go, and a whole one of the same time.
expect_fresh "after the storm"
exec 3<$asite/context
dd bs=500 count=1 of="$tmp/old" <&3 2>/dev/null
cat $asite/context >"$tmp/whole"
evicted=$(stat_of depot_evicted)
load_control pathsfree
loop_until 60 all_are_evicted || fail "$(($(stat_of depot_evicted) - evicted)) stacks evicted, of $max_stacks"
cat <&3 >>"$tmp/old"
exec 3<&-
# Columns of both: time and pid are a record's name.
awk '$1 !~ /^[0-9]+$/ { next } NR == FNR { whole[$2 " " $3] = $0; next }
	$9 ~ /^load_path_61\+/ { n++; id = $2 " " $3 }
	$9 ~ /^load_path_61\+/ && / \[evicted\]$/ { evicted++; next }
	$9 ~ /^load_path_61\+/ && $0 != whole[id] { print "FAIL: old report: " $0; print "was: " whole[id]; exit 1 }
	END { print n + 0, evicted + 0 >"'"$tmp/counts"'" }' "$tmp/whole" "$tmp/old" || exit 1
read -r rows evicted <"$tmp/counts"
expect_equal "rows of the old report" "$rows" 100
expect_at_least "of them with an evicted stack" "$evicted" 10
check_held "after another"
stop_reader
[ ! -s "$tmp/malformed" ] || fail "another stack's text: $(head -n 1 "$tmp/malformed")"

expect_fresh "at the end"
load_control pathsfree
expect_records "freed" load_path_61 0
check_held "at the end"
grep -E '^(depot_evict|context_)' $asite/stats | tr '\n' ' '
echo
load_control holdfree
expect_records "let go" load_hold_64 0
