#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: small reads of a frozen report give what one large read gives
# requires: root debugfs module:allocsite module:asite_load
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
load_control alloc
control off
for file in sites allocinfo stats hooks control; do
	cat "$asite/$file" >"$tmp/whole"
	dd if="$asite/$file" of="$tmp/by17" bs=17 2>/dev/null
	cmp "$tmp/whole" "$tmp/by17" || fail "$file: reads of 17 bytes"
	dd if="$asite/$file" of="$tmp/by4096" bs=4096 2>/dev/null
	cmp "$tmp/whole" "$tmp/by4096" || fail "$file: reads of 4096 bytes"
	dd if="$asite/$file" of="$tmp/by1" bs=1 count=6000 2>/dev/null
	head -c 6000 "$tmp/whole" | cmp - "$tmp/by1" || fail "$file: reads of 1 byte"
	echo "$file: $(wc -c <"$tmp/whole") bytes"
done
# From the middle.
dd if=$asite/sites of="$tmp/tail" bs=100 skip=20 2>/dev/null
tail -c +2001 $asite/sites | cmp - "$tmp/tail" || fail "a read from the middle"
