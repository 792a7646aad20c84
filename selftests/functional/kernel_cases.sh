#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: the cores' unit test cases pass in the kernel too, twice, and leave nothing behind
# requires: root debugfs module:asite_test
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

results=$debugfs/asite_test/results
at_exit='! is_loaded asite_test || rmmod asite_test'

for round in 1 2; do
	load_module asite_test
	cat "$results" >"$tmp/results" || fail "no report in $results"
	grep -vE '^(ok|KTAP version|1\.\.)' "$tmp/results"
	planned=$(sed -n 's/^1\.\.//p' "$tmp/results")
	[ "${planned:-0}" -gt 30 ] || fail "round $round: a plan of '$planned' cases"
	expect_equal "round $round: passed" "$(grep -c '^ok ' "$tmp/results")" "$planned"
	expect_equal "round $round: failed" "$(grep -c '^not ok ' "$tmp/results")" 0
	echo "round $round: $planned cases passed"
	unload_module asite_test
	[ ! -e "$debugfs/asite_test" ] || fail "round $round: debugfs files are left"
done
