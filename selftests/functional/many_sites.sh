#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: 100,000 call sites: all shown once each, readable in small pieces, while allocations go on
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# Sites come faster here than room is made for them: what comes too early is counted in the
# overflow sites, and finds its own place the next time.
load_module asite_load
load_asite max_sites=131072
sites=$(load_value many_sites)
expect_at_least "sites" "$sites" 100000
passes=0
rows=0
while [ "$rows" -lt "$sites" ] && [ "$passes" -lt 6 ]; do
	load_control manyfree
	load_control many
	passes=$((passes + 1))
	snapshot "$tmp/sites"
	awk '$8 ~ /^load_many_calls\+/ { n++; live += $2; total += $3; if ($3 > most) most = $3 }
		END { print n + 0, live + 0, total + 0, most + 0 }' "$tmp/sites" >"$tmp/many"
	read -r rows live total most <"$tmp/many"
	overflow=$(stat_value overflow_objects)
	echo "pass $passes: $rows of $sites sites, $overflow objects in overflow, $(wc -c <"$tmp/sites") bytes"
done
held=$(load_value many_held)
expect_equal "rows" "$rows" "$sites"
expect_at_least "total and overflow" $((total + overflow)) $((sites * passes))
expect_at_least "what may be the most of one site" "$passes" "$most"
expect_equal "live" "$live" "$held"

# A reader in small pieces stops no allocation.
load_control "storm ${ASITE_STORM:-20000}"
dd if=$asite/sites of="$tmp/pieces" bs=4096 2>/dev/null
load_control stormwait
# A sorted list that moves while it is read: every row is there at most once.
awk '$8 ~ /^load_many_calls\+/ { n++; key = $8 " " $6; if (key in seen) twice++; seen[key] = 1 }
	END { print n + 0, twice + 0 }' "$tmp/pieces" >"$tmp/many"
expect_equal "rows in pieces, shown twice" "$(cat "$tmp/many")" "$rows 0"
load_control manyfree
snapshot "$tmp/sites"
expect_equal "live when freed" "$(site_sum load_many_calls 2 "$tmp/sites")" 0
control off
cat $asite/allocinfo >"$tmp/allocinfo"
expect_equal "callers in allocinfo" "$(grep -c 'func:load_many_calls' "$tmp/allocinfo")" 8192
grep -E '^(own_memory|sites_used|overflow)' $asite/stats
