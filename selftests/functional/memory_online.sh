#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: memory goes offline and comes online: counts stay, what comes is nobody's and in no figure
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/residual.sh"

block=
at_exit="$at_exit; bring_back"

bring_back()
{
	[ -z "$block" ] || echo online >"$block/state"
	block=
}

# The highest blocks hold the least.
take_offline()
{
	for block in $(ls -d /sys/devices/system/memory/memory[0-9]* | sort -r); do
		echo offline >"$block/state" && return
	done 2>/dev/null
	block=
	fail "no block of memory can be taken offline"
}

# A block is 128 MiB, or more.
check_residual()
{
	take "$tmp/$1"
	[ "${residual#-}" -le 1048576 ] || fail "$1: residual of $(mib "$residual"), expected within 1 MiB"
}

load_module asite_load
load_asite
load_control mark
load_control alloc
check_sites "live" 20
# Without any the figures would not be those that are looked at here.
expect_at_least "pages isolated" "$(stat_value isolated_pages)" 1
echo 3 >/proc/sys/vm/drop_caches
for round in 1 2; do
	take_offline
	echo "$block is offline"
	check_residual "offline, round $round"
	check_sites "offline, round $round" 5
	bring_back
	check_residual "online, round $round"
	check_sites "online, round $round" 5
done
load_control free
check_sites "freed" 20
