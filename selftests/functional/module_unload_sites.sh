#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: sites of a module that goes are resolved and retired; the next at its place does not inherit
# requires: root debugfs module:allocsite module:asite_afterleak
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# Rows of the module, gone or not: live objects.
live_rows()
{
	awk -v gone="$1" '$8 ~ /^load_afterleak_96\+/ && ($NF == "(gone)") == gone { n += $2 }
		END { print n + 0 }' "$tmp/sites"
}

load_asite
load_module asite_afterleak leak=1
cat /sys/module/asite_afterleak/sections/.text*
snapshot "$tmp/sites"
expect_equal "live while loaded" "$(live_rows 0)" 13
unload_module asite_afterleak
snapshot "$tmp/sites"
expect_equal "live of the module that is there" "$(live_rows 0)" 0
expect_equal "live of the module that is gone" "$(live_rows 1)" 13
for time in 1 2; do
	load_module asite_afterleak
	cat /sys/module/asite_afterleak/sections/.text*
	snapshot "$tmp/sites"
	expect_equal "live of the next one, time $time" "$(live_rows 0)" 13
	expect_equal "live of the one that leaked, time $time" "$(live_rows 1)" 13
	unload_module asite_afterleak
	snapshot "$tmp/sites"
	expect_equal "live when the next has gone, time $time" "$(live_rows 0) $(live_rows 1)" "0 13"
done
# The name must have been kept as text: the module is gone.
grep -Eq 'load_afterleak_96\+0x[0-9a-f]+/0x[0-9a-f]+ \[asite_afterleak\] \(gone\)$' "$tmp/sites" ||
	fail "no such row: $(grep -n gone "$tmp/sites" | head -n 3)"
