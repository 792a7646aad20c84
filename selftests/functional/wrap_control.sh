#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: wrap +SYMBOL and -SYMBOL move the site of new sk_buffs to the caller and back; old ones stay
# suite: main exact
# requires: root debugfs module:allocsite module:asite_wrap
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/attribution.sh"

# held FUNCTION FILE: live sk_buff heads, and live data of 4 KiB, of a function.
held()
{
	awk -v func_name="$1" '
		$1 ~ /^[0-9]+$/ { f = $8; sub(/\+0x.*/, "", f) }
		f == func_name && $5 == "kmem_cache" && $7 ~ /^skbuff_/ { heads += $2 }
		f == func_name && $5 == "kmalloc" && $6 == 4096 { data += $2 }
		END { print heads + 0, data + 0 }' "$2"
}

# more_skbs: 61 more from each of two functions; snapshots before and after are in $tmp.
more_skbs()
{
	snapshot "$tmp/before"
	wrap_control "skb 61"
	snapshot "$tmp/after"
}

# expect_more FUNCTION HEADS [DATA]: so many more of it.
expect_more()
{
	expect_equal "$when: more heads${3:+ and data} of $1" "$(
		{ held "$1" "$tmp/before"; held "$1" "$tmp/after"; } | awk -v data="${3:+1}" '
			NR == 1 { h = $1; d = $2 }
			NR == 2 { print $1 - h (data ? " " $2 - d : "") }')" "$2${3:+ $3}"
}

load_module asite_wrap
load_asite
when="at first"
more_skbs
expect_more __alloc_skb 122
expect_more wrap_alloc_skb 0

control "wrap +__alloc_skb"
control "wrap +__netdev_alloc_skb"
when="after wrap +"
more_skbs
expect_more wrap_alloc_skb 61 61
expect_more wrap_netdev_alloc_skb 61 61
expect_more __alloc_skb 0
cat $asite/control >"$tmp/control"
grep -q "^wrap __alloc_skb " "$tmp/control" || fail "control does not list __alloc_skb: $(cat "$tmp/control")"

control "wrap -__alloc_skb"
control "wrap -__netdev_alloc_skb"
when="after wrap -"
more_skbs
expect_more __alloc_skb 122
expect_more wrap_alloc_skb 0
cat $asite/control >"$tmp/control"
! grep -q "^wrap __alloc_skb " "$tmp/control" || fail "control still lists __alloc_skb"

# What was allocated under either rule is freed where it was counted.
wrap_control skbfree
snapshot "$tmp/after"
for name in wrap_alloc_skb wrap_netdev_alloc_skb; do
	expect_equal "freed: live of $name" "$(site_sum $name 2 "$tmp/after")" 0
done
