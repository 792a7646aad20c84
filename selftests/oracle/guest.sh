#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/../lib
# The guest's part of run.sh: workloads under allocsite and code tagging at once, and raw snapshots of
# both at rest after each.
# usage: guest.sh OUT WORKLOAD...
# OUT/ORDER: names of the snapshots; OUT/NAME.ROUND.{sites,tags}, OUT/NAME.{pairs,allocinfo,control}.
# requires: root debugfs module:allocsite module:asite_load module:asite_oracle program:nc
# Environment: ASITE_ORACLE_ROUNDS (snapshots at each rest, 4), ASITE_ORACLE_PROBE (probe= of allocsite).
dir=$(dirname "$0")/../lib
. "$dir/common.sh"
. "$lib_dir/noise.sh"
. "$lib_dir/workload.sh"

out=$1
shift
oracle=$debugfs/asite_oracle
rounds=${ASITE_ORACLE_ROUNDS:-4}
work=/var/tmp/asite-oracle

oracle_control()
{
	echo "$1" >&8 || fail "asite_oracle: '$1' refused"
}

# round NAME N: code tagging's counters, ours, code tagging's again; only then anything is read. The
# report of an open file is a snapshot of when it was opened.
round()
{
	oracle_control "freeze 0"
	exec 7<$asite/sites
	oracle_control "freeze 1"
	cat <&7 >"$tmp/out/$1.$2.sites"
	exec 7<&-
	cat $oracle/tags >"$tmp/out/$1.$2.tags"
}

# rest NAME: what is deferred gets its time, then several rounds: the comparison picks those in which
# code tagging's counters of a tag stood still.
rest()
{
	sync
	sleep 6
	for _round in $(seq "$rounds"); do
		round "$1" "$_round"
		sleep 1
	done
	cat $oracle/pairs >"$tmp/out/$1.pairs"
	cat $oracle/control >"$tmp/out/$1.control"
	cat /proc/allocinfo >"$tmp/out/$1.allocinfo"
	echo "$1" >>"$tmp/out/ORDER"
}

# -- workloads --------------------------------------------------------------

work_load()
{
	load_control alloc
	rest load_live
	load_control free
	rest load_freed
}

work_rcu()
{
	load_control "storm 6000"
	load_control stormwait
	for _i in 1 2 3; do
		load_control alloc
		load_control free
	done
	rest rcu
}

work_files()
{
	mkdir -p "$work"
	_work_package "$work" 1
	_work_files "$work"
	mkdir -p "$work/kept" /tmp/asite-kept
	for _i in $(seq 200); do
		echo "$_i" >"$work/kept/$_i"
		echo "$_i" >"/tmp/asite-kept/$_i"
	done
	rest files
}

work_processes()
{
	_work_processes
	background_start hackbench
	sleep 4
	noise_stop
	rest processes
}

work_network()
{
	_work_network
	noise_start
	sleep 8
	noise_stop
	rest network
}

# Each time at another place, or at that of another. What kfree_rcu() has still to free when the module
# goes is freed before it is gone.
work_modules()
{
	for _i in 1 2 3; do
		modprobe dummy && ip link add type dummy 2>/dev/null
		modprobe veth && ip link add type veth 2>/dev/null
		modprobe loop
		rmmod dummy veth loop || fail "rmmod"
		load_control alloc
		load_control free
		unload_module asite_load
		load_module asite_load
	done
	new_log | grep -q 'from the module still alive' && fail "a module left objects"
	rest modules
}

# Pages that move: page cache with holes, and anonymous memory of a process.
work_compaction()
{
	mkdir -p "$work"
	for _i in $(seq 32); do
		head -c 2000000 /dev/zero >"$work/pages$_i"
	done
	for _i in $(seq 1 2 32); do
		rm "$work/pages$_i"
	done
	head -c 16M /dev/zero | tail -c 16M >/dev/null &
	for _i in 1 2 3; do
		echo 1 >/proc/sys/vm/compact_memory
		sleep 1
	done
	wait
	grep -E '^compact_(migrate|isolated)|^pgmigrate' /proc/vmstat
	rest compaction
}

# A process's huge pages, split while it has them.
work_huge()
{
	_huge=/sys/kernel/mm/transparent_hugepage/enabled
	_was=$(sed 's/.*\[\(.*\)\].*/\1/' $_huge)
	echo always >$_huge || fail "$_huge cannot be set"
	_before=$(awk '$1 == "thp_fault_alloc" { print $2 }' /proc/vmstat)
	mkfifo "$tmp/huge"
	exec 9<>"$tmp/huge"
	# It waits for a reader, with its buffer full: not of zeros, which a split gives back.
	tr '\0' x </dev/zero 9<&- |
		dd bs=24M count=1 iflag=fullblock of="$tmp/huge" 9<&- 2>/dev/null &
	loop_until 40 awk -v before="$_before" \
		'$1 == "thp_fault_alloc" && $2 > before { got = 1 } END { exit !got }' /proc/vmstat ||
		fail "no huge page"
	sleep 5
	echo 1 >$debugfs/split_huge_pages || fail "huge pages cannot be split"
	echo "$_was" >$_huge
	grep -E '^thp_(fault_alloc|split_page) ' /proc/vmstat
	grep -q '^thp_split_page 0' /proc/vmstat && fail "no huge page was split"
	rest huge_live
	exec 9<&-
	wait
	rm "$tmp/huge"
	rest huge_freed
}

# -- begin ------------------------------------------------------------------

# Everything is made before anything is counted; pairs are recorded before objects are.
mkdir -p "$tmp/out"
expect_equal "vm.mem_profiling at boot" "$(cat /proc/sys/vm/mem_profiling)" 0
load_module asite_oracle
at_exit="$at_exit; exec 8>&-; rmmod asite_oracle"
exec 8>$oracle/control
oracle_control start
load_asite start=0 "probe=${ASITE_ORACLE_PROBE:-auto}"
control on
echo 1 >/proc/sys/vm/mem_profiling || fail "vm.mem_profiling cannot be set"
oracle_control profiling
# What reading it takes has been seen before it is read for the comparison.
cat /proc/allocinfo >"$tmp/out/first"
rest baseline
load_module asite_load
for workload; do
	"work_$workload"
	echo "done: $workload"
done
cat $asite/hooks >"$tmp/out/hooks"
cp -r "$tmp/out/." "$out/" || fail "cannot write to $out"
