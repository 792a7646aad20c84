#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: off freezes the reports and says so; on starts anew
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
load_control alloc
control off
for file in sites allocinfo; do
	cat "$asite/$file" >"$tmp/$file.1"
done
load_control free
load_control "storm 1000"
load_control stormwait
sleep 6
for file in sites allocinfo; do
	cat "$asite/$file" >"$tmp/$file.2"
	cmp "$tmp/$file.1" "$tmp/$file.2" || fail "$file changed while off"
done
grep -q '^# state off' "$tmp/sites.1" || fail "sites does not say that it is off"
awk -f "$lib_dir/compare.awk" "$tmp/sites.1" "$load/expect" >/dev/null &&
	fail "frozen rows follow what happens"
control on
grep -qx '# state on' $asite/sites || fail "sites does not say that it is on"
load_control mark
check_sites "an epoch starts empty"
