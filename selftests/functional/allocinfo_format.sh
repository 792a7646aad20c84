#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: allocinfo: the first lines and columns of /proc/allocinfo, sizes summed for each caller
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
load_control alloc
control off
cat $asite/allocinfo >"$tmp/allocinfo"
snapshot "$tmp/sites"
awk '
	function bad(what) { print "line " NR ": " what ": " $0; failed = 1 }
	NR == 1 && $0 != "allocinfo - version: 1.0" { bad("first line") }
	NR == 2 && $0 != "#     <size>  <calls> <tag info>" { bad("columns") }
	NR <= 2 { next }
	!/^ *[0-9]+ +[0-9]+ / { bad("numbers") }
	index($0, sprintf("%12s %8s ", $1, $2)) != 1 { bad("widths") }
	$0 !~ / func:[A-Za-z_\[][^ ]*/ { bad("func") }
	{ rows++; bytes += $1; calls += $2; tag = $3 " " $4 }
	tag in seen { bad("a second row for the caller") }
	{ seen[tag] = 1 }
	END { print bytes, calls > "/dev/stderr"; if (rows < 50) { print rows " rows"; failed = 1 }; exit failed }
' "$tmp/allocinfo" >"$tmp/bad" 2>"$tmp/sums" || { head -n 20 "$tmp/bad"; fail "format"; }
# Backing memory too, as /proc/allocinfo has it.
expect_equal "sums of size and calls" "$(cat "$tmp/sums")" \
	"$(awk '!/^#/ && NR > 1 { bytes += $1; objects += $2 } END { print bytes, objects }' "$tmp/sites")"
# One function with four sizes at one call: one row.
line=$(grep 'func:load_kmalloc_variable$' "$tmp/allocinfo")
expect_equal "load_kmalloc_variable" "$(echo "$line" | awk '{ print $1, $2 }')" \
	"$((131 * 32 + 137 * 192 + 139 * 512 + 13 * 8192)) $((131 + 137 + 139 + 13))"
