#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: counts stay exact while a CPU goes offline and comes back under load, with objects live across it
# requires: root debugfs module:allocsite module:asite_load cpus:2
# suite: cycles
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"

online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || skip "cpu1 cannot be taken offline"
at_exit="$at_exit; echo 1 >$online"

# cpu1 0|1
cpu1()
{
	echo "$1" >$online || fail "cpu1: online=$1 refused"
	expect_equal "CPUs online" "$(nproc)" "$((1 + $1))"
}

noise_start
for probe in auto ftrace; do
	load_module asite_load
	load_asite "probe=$probe"
	load_control mark
	for round in 1 2; do
		load_control alloc
		cpu1 0
		check_sites "$probe: live, the CPU gone, round $round"
		load_control free
		check_sites "$probe: freed without the CPU, round $round" 20
		load_control alloc
		cpu1 1
		check_sites "$probe: live, the CPU back, round $round"
		load_control free
		check_sites "$probe: freed with the CPU, round $round" 20
	done
	expect_equal "$probe: missed events" "$(sed -n 's/^# loss missed_events //p' "$tmp/sites")" ""
	unload_module allocsite
	unload_module asite_load
done
noise_stop
