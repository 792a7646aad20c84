#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a leak from init text, and a module at its place afterwards, are both shown right
# requires: root debugfs module:allocsite module:asite_initleak module:asite_afterleak
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

address()
{
	cat "/sys/module/$1/sections/"$2* 2>/dev/null | tr '\n' ' '
}

load_asite
load_module asite_initleak
echo "asite_initleak .init.text $(address asite_initleak .init.text), .text $(address asite_initleak .text)"
snapshot "$tmp/loaded"
expect_equal "live objects of init text, module there" "$(site_sum load_initleak_96 2 "$tmp/loaded")" 17
unload_module asite_initleak
load_module asite_afterleak
echo "asite_afterleak .text $(address asite_afterleak .text)"
snapshot "$tmp/after"
grep -E 'load_(init|after)leak_96' "$tmp/after"
expect_equal "live objects of init text, module gone" "$(site_sum load_initleak_96 2 "$tmp/after")" 17
expect_equal "live objects of the next module" "$(site_sum load_afterleak_96 2 "$tmp/after")" 13
grep -Eq 'load_initleak_96\+.* \[asite_initleak\] \(gone\)$' "$tmp/after" ||
	fail "the leak is not shown as one of a module that is gone"
! grep -q 'load_afterleak_96.*(gone)' "$tmp/after" || fail "the module that is there is shown as gone"
unload_module asite_afterleak
snapshot "$tmp/end"
expect_equal "live objects of init text, at the end" "$(site_sum load_initleak_96 2 "$tmp/end")" 17
expect_equal "live objects of the next module, at the end" "$(site_sum load_afterleak_96 2 "$tmp/end")" 0
