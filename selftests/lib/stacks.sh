# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# What tests of stacks share. Sourced after common.sh.

# stat_of NAME: a line of stats.
stat_of()
{
	awk -v name="$1" '$1 == name { print $2 }' $asite/stats
}

# sum_by_function FILE: live bytes, live objects and total objects of functions of asite_load.
sum_by_function()
{
	awk '$1 ~ /^[0-9]+$/ && $9 == "[asite_load]" {
			name = $8 " " $5 " " $6
			bytes[name] += $1; objects[name] += $2; total[name] += $3
		}
		END { for (name in bytes) print name, bytes[name], objects[name], total[name] }' "$1" | sort
}

# check_sums WHEN: stacks say what sites says, to the byte. At rest.
check_sums()
{
	cat $asite/stacks >"$tmp/stacks" || fail "cannot read stacks"
	snapshot "$tmp/sites"
	sum_by_function "$tmp/stacks" >"$tmp/by_stack"
	sum_by_function "$tmp/sites" >"$tmp/by_site"
	expect_at_least "$1: functions" "$(wc -l <"$tmp/by_site")" 20
	cmp -s "$tmp/by_stack" "$tmp/by_site" ||
		fail "$1: stacks and sites differ: $(diff "$tmp/by_stack" "$tmp/by_site" | head -n 4)"
}

# check_walks LEAST: no walk that was compared with the kernel's differs, and so many were.
check_walks()
{
	expect_equal "wrong walks" "$(stat_of stacks_wrong)" 0
	expect_at_least "walks compared" "$(stat_of stacks_checked)" "$1"
	expect_equal "objects whose call site was not on the stack" "$(stat_of stacks_without_site)" 0
}
