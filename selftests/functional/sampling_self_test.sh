#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: the self-test works where hardly any object is picked, is not counted, and notices deaf hooks
# requires: root debugfs module:allocsite
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

is_off()
{
	grep -q '^state off (.*hear' $asite/control
}

# One event in 1 GiB: without being made to, the sample would not hold the self-test's objects.
for probe in auto kprobe; do
	load_asite probe=$probe sample_bytes=1073741824
	sleep 4
	grep -q '^state on$' $asite/control || fail "$probe: $(tail -n 1 $asite/control)"
	snapshot "$tmp/sites"
	cat "$tmp/sites"
	! grep -E 'deaf_to|asite_slab' "$tmp/sites" || fail "$probe: the self-test's objects are counted"
	expect_equal "$probe: words of the self-test left" \
		"$(($(stat_value live_words_used) <= 3))" 1
	[ "$probe" = kprobe ] || unload_module allocsite
done
at_exit="echo 1 >$debugfs/kprobes/enabled; $at_exit"
echo 0 >$debugfs/kprobes/enabled
loop_until 10 is_off || fail "kprobes are switched off and it is still on: $(tail -n 1 $asite/control)"
