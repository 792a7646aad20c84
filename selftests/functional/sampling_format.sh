#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: sampled reports say that they are: version, columns, errors, totals; frees outside the sample are nobody's
# requires: root debugfs module:allocsite module:asite_load
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/sampled.sh"

load_module asite_load
load_control prealloc
load_asite sample_bytes=16384
expect_log "says so at load" '^allocsite: one object in 16384 bytes'
# Of both kinds: objects from before, and some that are not in the sample.
load_control prefree
load_control "storm 3000"
load_control stormwait
load_control "hold 50000"
control off
snapshot "$tmp/sites"
head -n 8 "$tmp/sites"
awk -v every=16384 '
	function bad(what) { print "line " NR ": " what ": " $0; failed = 1 }
	function far(a, b, by) { return a - b > by || b - a > by }
	NR == 1 && $0 != "allocsite sites - version: 2" { bad("first line") }
	NR == 2 && $0 != "# live_bytes live_objects total_objects requested_bytes live_bytes_error live_objects_error total_objects_error sampled_live sampled_total kind size cache site" { bad("columns") }
	/^# sampled: 1 in 16384 bytes: / { said++; next }
	/^# total / { for (i = 1; i <= 4; i++) total[i] = $(i + 2); totals++; next }
	/^# total_error / { for (i = 5; i <= 7; i++) total[i] = $(i - 2); totals++; next }
	/^#/ || NR == 1 { next }
	{ rows++ }
	# What is no slab memory is followed whole.
	{ backing = $10 ~ /^(slab_pages|large_pages|vmalloc_pages|percpu_pages|slab_ext)$/ }
	{ whole = $10 ~ /^(page|vmalloc|percpu)$|_pages$/ }
	whole && ($2 != $8 || $3 != $9 || $5 + $6 + $7 > 0) { bad("an estimate of what is followed whole") }
	!whole && !backing && $10 !~ /^(kmalloc|kmalloc_large|kmem_cache)$/ || $11 !~ /^[0-9]+$/ { bad("kind or size") }
	$13 !~ /^[A-Za-z_].*\+0x/ { bad("site") }
	$8 > $9 { bad("more live in the sample than ever were") }
	!whole {
		weight = 1 / (1 - exp(-$11 / every))
		if (far($2, $8 * weight, 1)) bad("live objects")
		if (far($3, $9 * weight, 1)) bad("total objects")
		if (far($1, $8 * weight * $11, 1 + $1 / 1e6)) bad("live bytes")
		if (far($6, sqrt($8 * weight * (weight - 1)), 1)) bad("error of live objects")
		if (far($7, sqrt($9 * weight * (weight - 1)), 1)) bad("error of total objects")
		if (far($5, sqrt($8 * weight * (weight - 1)) * $11, 1 + $5 / 1e6)) bad("error of live bytes")
	}
	!backing {
		for (i = 1; i <= 4; i++) sum[i] += $i
		for (i = 5; i <= 7; i++) sum[i] += $i ^ 2
	}
	rows > 1 && $1 > last { bad("order") }
	{ last = $1 }
	END {
		for (i = 1; i <= 7; i++) {
			if (i > 4) sum[i] = sqrt(sum[i])
			# Rows are rounded, each by up to a half.
			if (far(total[i], sum[i], rows / 2 + sum[i] / 1000)) {
				print "column " i ": total " total[i] ", sum " sum[i]
				failed = 1
			}
		}
		if (said != 1 || totals != 2 || rows < 20) {
			print "said " said ", totals " totals ", rows " rows
			failed = 1
		}
		exit failed
	}' "$tmp/sites" >"$tmp/bad" || { head -n 20 "$tmp/bad"; fail "format"; }

# 50,000 objects of 64 bytes: 195 in the sample, give or take 14.
held=$(sampled_sum load_hold_64 8 "$tmp/sites")
echo "held: $held of 50,000 in the sample"
expect_at_least "of 50,000 in the sample" "$held" 125
expect_at_least "at most 265 of 50,000 in the sample: 265" 265 "$held"

! grep -q '^unknown_frees' $asite/stats || fail "stats: unknown_frees is shown"
grep -q '^# unknown_frees is not told' $asite/stats || fail "stats: not said why there is no unknown_frees"
expect_equal "stats: sample_bytes" "$(stat_value sample_bytes)" 16384
expect_at_least "stats: places of the filter in use" "$(stat_value filter_places_used)" 100
for file in sites allocinfo stats hooks; do
	grep -q '^# sampled: 1 in 16384 bytes' "$asite/$file" || fail "$file: does not say that it is sampled"
done

# What compares two reports takes these, too.
head -n 2 "$tmp/sites" >"$tmp/none"
awk -f "$lib_dir/growth.awk" "$tmp/none" "$tmp/sites" | sed -n 2p >"$tmp/grown"
grep -q ' kmalloc 64 - load_hold_64+' "$tmp/grown" || fail "growth.awk: $(cat "$tmp/grown")"
