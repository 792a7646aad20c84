#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: the same workload gives the same rows, call sites and counts through every backend
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# Rows of the load module without what differs by nature: the order.
own_rows()
{
	awk '$9 == "[asite_load]"' "$1" | sort -k 8,8 -k 6,6n -k 7,7 >"$2"
}

load_module asite_load
for backend in tracepoint ftrace kprobe auto; do
	load_asite "probe=$backend"
	load_control mark
	load_control alloc
	check_sites "$backend: live"
	own_rows "$tmp/sites" "$tmp/rows.$backend"
	load_control free
	check_sites "$backend: freed" 20
	unload_module allocsite
	expect_at_least "rows of asite_load" "$(wc -l <"$tmp/rows.$backend")" 20
	if ! diff "$tmp/rows.tracepoint" "$tmp/rows.$backend" >"$tmp/diff"; then
		head -n 20 "$tmp/diff"
		fail "tracepoint and $backend differ"
	fi
done
