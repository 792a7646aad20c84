#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: growth of the whole system's memory by 256 MiB, of five kinds, is accounted to within 0.5%
# requires: root debugfs module:allocsite program:nc
# timeout: 300
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/residual.sh"

mib=${ASITE_RESIDUAL_MIB:-256}
want=$((mib * 1048576))
at_exit="$at_exit; let_go"
holder=

let_go()
{
	[ -z "$holder" ] || { kill -KILL "-$holder" && wait "$holder"; } 2>/dev/null
	holder=
	rm -f /tmp/asite-fill /var/tmp/asite-fill
}

has_grown()
{
	[ $(($(used_bytes) - used_held)) -ge "$want" ]
}

# hold KIND: so much more memory of a kind, measured while it is held.
hold()
{
	used_held=$(used_bytes)
	setsid "$lib_dir/hold.sh" "$1" $((mib + mib / 8)) &
	holder=$!
	loop_until $((30 * ${ASITE_TIMEOUT_FACTOR:-1})) has_grown ||
		fail "$1: grew by $(mib $(($(used_bytes) - used_held))) only"
	# What still grows would be in one figure and not in the other.
	kill -STOP "-$holder"
	take "$tmp/$1"
	made_of "$1" "$tmp/$1"
	expect_small_residual "$1" "$growth"
	# The head's own figure of growth is nothing to rely on without another.
	_apart=$((used - used_before - growth))
	[ "${_apart#-}" -le $((want / 50)) ] ||
		fail "$1: growth differs by $(mib "$_apart") from what /proc/meminfo and /proc/zoneinfo say"
	let_go
	echo 3 >/proc/sys/vm/drop_caches
	take "$tmp/$1"
	expect_small_residual "$1, let go" "$want"
}

# Room for what nobody reads.
for limit in "tcp_rmem=4096 8388608 8388608" "tcp_wmem=4096 8388608 8388608" "tcp_mem=200000 300000 400000"; do
	file=/proc/sys/net/ipv4/${limit%%=*}
	at_exit="$at_exit; echo $(tr '\t' ' ' <$file) >$file"
	echo "${limit#*=}" >$file
done
echo 3 >/proc/sys/vm/drop_caches
load_asite
take "$tmp/first"
[ "${growth#-}" -le $((want / 50)) ] || fail "at first: grew by $(mib "$growth")"
# Not from before it was loaded: what was read from disk to load it was 8.5 MiB on 7.3.
used_before=$((used - growth))
for kind in hog tmpfs ext4 network processes; do
	hold $kind
done
made_of "at the end" "$tmp/processes"
