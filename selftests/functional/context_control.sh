#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: context takes a site by any of its names, refuses what overlaps or is one too many, and survives its module
# requires: root debugfs module:allocsite module:asite_load module:asite_afterleak
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/context.sh"

# refused WORDS WHY: and nothing changes.
refused()
{
	grep '^context ' $asite/control >"$tmp/list"
	if echo "$1" 2>/dev/null >$asite/control; then
		fail "'$1': accepted"
	fi
	expect_log "'$1'" "^allocsite: context: .*$2"
	grep '^context ' $asite/control | cmp -s - "$tmp/list" || fail "'$1' changed something"
}

# on_list NAME...: what control lists.
on_list()
{
	printf 'context %s\n' "$@" | sort >"$tmp/want"
	grep '^context ' $asite/control | sort >"$tmp/got"
	cmp -s "$tmp/got" "$tmp/want" || fail "control lists: $(cat "$tmp/got")"
}

load_module asite_load
load_asite max_contexts=2 context_records=50
load_control "hold 1"
full=$(awk '$8 ~ /^load_hold_64\+/ { print $8 " " $9 }' $asite/sites)
short=$(echo "$full" | sed 's,/0x[0-9a-f]*,,')
for name in "$full" "$short" "${full% *}" "${short% *}"; do
	control "context $name on"
	on_list "$full on 50"
	load_control "hold 2"
	expect_records "$name" load_hold_64 2
	refused "context load_hold_64 on" "overlaps"
	control "context $name off"
done
for name in load_hold_64 "load_hold_64 [asite_load]"; do
	control "context $name on 9"
	on_list "load_hold_64 [asite_load] on 9"
	refused "context $full on" "overlaps"
	control "context load_hold_64 off"
done
refused "context load_hold_64 off" "is not on"
refused "context load_hold_64+0x1 on" "was not seen"
refused "context load_hold_64 [asite_lo] on" "was not seen"
refused "context load_hold_6 on" "was not seen"

# One too many.
load_module asite_afterleak leak=1
control "context load_hold_64 on"
control "context load_afterleak_96 on"
refused "context vfs_write on" "was not seen|one too many"
control "context load_hold_64 on 20"
on_list "load_hold_64 [asite_load] on 20" "load_afterleak_96 [asite_afterleak] on 50"

# Its module goes: objects that leaked keep their records, and their text; the next one is another.
echo 1 >/sys/module/asite_afterleak/parameters/again
expect_records "while loaded" load_afterleak_96 13
unload_module asite_afterleak
expect_records "gone" load_afterleak_96 13
grep -c ' load_afterleak_96+0x[^<]* \[asite_afterleak\] (gone) < fill_objects+0x[^<]*(gone) < ' "$tmp/records" >"$tmp/n"
expect_equal "records whose text is kept" "$(cat "$tmp/n")" 13
load_module asite_afterleak leak=1
echo 1 >/sys/module/asite_afterleak/parameters/again
on_list "load_hold_64 [asite_load] on 20" "load_afterleak_96 [asite_afterleak] on 50 (gone)"
expect_records "the next one's are not recorded" load_afterleak_96 13
control "context load_afterleak_96 on"
expect_records "begun anew" load_afterleak_96 0
echo 1 >/sys/module/asite_afterleak/parameters/again
expect_records "the next one's" load_afterleak_96 13
grep -q '(gone)' "$tmp/records" && fail "a live module is gone"
unload_module asite_afterleak
control "context load_afterleak_96 off"
on_list "load_hold_64 [asite_load] on 20"
