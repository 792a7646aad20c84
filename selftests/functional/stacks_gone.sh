#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: stacks keep the names of a module's frames when it goes; the next at its place has its own
# requires: root debugfs module:allocsite module:asite_afterleak
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/stacks.sh"

# live_stacks NEXT: live objects of the call site that leaks, what follows its module's name.
live_stacks()
{
	awk '$8 ~ /^load_afterleak_96\+/' $asite/stacks | grep -E "^[^<]*\[asite_afterleak\]$1 < " |
		awk '{ n += $2 } END { print n + 0 }'
}

init_frame=' < [a-z_]+\+0x[0-9a-f]+/0x[0-9a-f]+ \[asite_afterleak\]'
load_asite stacks=32 stack_check=1
load_module asite_afterleak leak=1
expect_equal "live while loaded" "$(live_stacks '')" 13
grep load_afterleak_96 $asite/stacks | head -n 2
unload_module asite_afterleak
expect_equal "live of the module that is gone" \
	"$(live_stacks ' \(gone\)')" 13
for time in 1 2; do
	load_module asite_afterleak
	expect_equal "live of the one that leaked, time $time" \
		"$(live_stacks ' \(gone\)')" 13
	expect_equal "live of the next one, time $time" \
		"$(live_stacks '')" 13
	unload_module asite_afterleak
done
grep -E '0x[0-9a-f]{9,}' $asite/stacks && fail "a raw address is shown"
grep load_afterleak_96 $asite/stacks
# What called it was the module's own text in part, which must not be found by the next one.
if grep -Eq "$init_frame( <|\$)" $asite/stacks; then
	fail "a frame of the module that is gone is not shown so"
fi
expect_equal "live objects of stacks whose callers in the module have their names" \
	"$(awk '$8 ~ /^load_afterleak_96\+/' $asite/stacks |
		grep -E ' < [a-z_]+\+[^<]*\[asite_afterleak\] \(gone\) < ' |
		awk '{ n += $2 } END { print n + 0 }')" 13
check_walks 100
