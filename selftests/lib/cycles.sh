# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# The bodies of cycles_*.sh. Sourced after noise.sh. ASITE_CYCLES: how many (200).

cycles=${ASITE_CYCLES:-200}

# memory_kb: what the module's own memory could hide in.
memory_kb()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 2
	awk '/^(VmallocUsed|Percpu|SUnreclaim|KernelStack):/ { printf "%s %d\n", $1, $2 }' /proc/meminfo
}

# check_memory: each of the figures grew by less than the bound in KiB.
check_memory()
{
	memory_kb >"$tmp/memory.after"
	paste "$tmp/memory.before" "$tmp/memory.after" | awk '
		BEGIN { bound["VmallocUsed:"] = 1024; bound["Percpu:"] = 512
			bound["SUnreclaim:"] = 4096; bound["KernelStack:"] = 1024 }
		{ print $1, $2, "KiB before,", $4, "after" }
		$4 - $2 > bound[$1] { print $1, "grew by more than", bound[$1], "KiB"; bad = 1 }
		END { exit bad }' || fail "memory is not returned"
}

# Caches, slabs and stacks that the load itself leaves are there before the first figure.
warm_up()
{
	background_start hackbench
	sleep 3
	noise_stop
	load_asite "probe=$1"
	unload_module allocsite
	memory_kb >"$tmp/memory.before"
}

cycle_load()
{
	warm_up "$1"
	background_start hackbench
	for cycle in $(seq "$cycles"); do
		load_asite "probe=$1"
		unload_module allocsite
	done
	noise_stop
	check_memory
	echo "$cycle cycles"
}

cycle_onoff()
{
	warm_up "$1"
	background_start hackbench
	load_asite "probe=$1"
	for cycle in $(seq "$cycles"); do
		control off
		control on
	done
	unload_module allocsite
	noise_stop
	check_memory
	echo "$cycle cycles"
}
