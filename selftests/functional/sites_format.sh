#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: sites: header, columns, order, totals equal to the sums of columns, no raw address
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
load_control alloc
load_control "storm 2000"
load_control stormwait
control off
snapshot "$tmp/sites"
head -n 12 "$tmp/sites"
awk '
	function bad(what) { print "line " NR ": " what ": " $0; failed = 1 }
	NR == 1 && $0 != "allocsite sites - version: 1" { bad("first line") }
	NR == 2 && $0 != "# live_bytes live_objects total_objects requested_bytes kind size cache site" { bad("columns") }
	NR <= 2 { next }
	/^# state / { if ($3 != "off") bad("state"); states++; next }
	/^# slab_before_bytes / { if ($3 !~ /^[0-9]+$/) bad("slab_before_bytes"); before++; next }
	/^# loss / { if (NF != 4 || $4 !~ /^[1-9][0-9]*$/) bad("loss"); next }
	/^# total / { for (i = 1; i <= 4; i++) total[i] = $(i + 2); totals++; next }
	/^#/ { next }
	{ rows++ }
	$1 !~ /^[0-9]+$/ || $2 !~ /^[0-9]+$/ || $3 !~ /^[0-9]+$/ || $4 !~ /^[0-9]+$/ { bad("numbers") }
	{ backing = $5 ~ /^(slab_pages|large_pages|vmalloc_pages|percpu_pages|slab_ext)$/ }
	{ pages = $5 ~ /^page$|_pages$/; areas = $5 ~ /^(vmalloc|percpu)$/ }
	!backing && $5 !~ /^(kmalloc|kmalloc_large|kmem_cache|page|vmalloc|percpu|overflow)$/ { bad("kind") }
	$8 !~ /^\[/ && $6 !~ /^[0-9]+$/ { bad("size") }
	$5 == "kmem_cache" && $7 == "-" && $8 !~ /^\[/ { bad("no cache name") }
	$2 > $3 { bad("more live than ever allocated") }
	$8 !~ /^\[/ && !pages && !areas && $1 != $2 * $6 { bad("live bytes are not objects times size") }
	pages && ($1 % 4096 || $6 % 4096 || !$6) { bad("bytes are no whole pages") }
	pages && ($4 != $3 * $6 || $1 > $4) { bad("bytes ever are not blocks times size") }
	areas && ($6 != 0 || $7 != "-" || !$1 != !$2) { bad("bytes without areas, or areas of a size") }
	rows > 1 && $1 > last { bad("order") }
	{ last = $1; for (i = 1; i <= 4 && !backing; i++) sum[i] += $i }
	{ site = $0; for (i = 1; i <= 7; i++) sub(/^ *[^ ]+ +/, "", site) }
	site !~ /^[A-Za-z_][A-Za-z0-9_.]*\+0x[0-9a-f]+\/0x[0-9a-f]+( \[[A-Za-z0-9_]+\])?( \(gone\))?$/ &&
		site !~ /^\[(overflow|hidden by return probe|caller not found)\]$/ { bad("site") }
	END {
		for (i = 1; i <= 4; i++)
			if (total[i] != sum[i]) {
				print "column " i ": total " total[i] ", sum " sum[i]
				failed = 1
			}
		if (states != 1 || before != 1 || totals != 1 || rows < 50) {
			print "states " states ", before " before ", totals " totals ", rows " rows
			failed = 1
		}
		exit failed
	}' "$tmp/sites" >"$tmp/bad" || { head -n 20 "$tmp/bad"; fail "format"; }
for file in sites allocinfo stats hooks control; do
	grep -Eiq '(0x)?ffff[0-9a-f]{12}|\(____ptrval____\)|\(null\)' "$asite/$file" &&
		fail "$file: a raw address"
done
expect_at_least "slab from before load" "$(head_value slab_before_bytes "$tmp/sites")" 1000000
