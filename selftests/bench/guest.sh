#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: measures every contender in one boot, one after the other.
# usage: guest.sh OUTPUT
# Writes "kernel RELEASE", "arguments ...", and "contender loop pairs least median most" lines
# (ticks, of the passes) to OUTPUT.
# A contender that cannot be measured leaves "absent CONTENDER REASON" there.
set -u

modules=/allocsite
control=/sys/kernel/debug/allocsite/control
pairs=/sys/kernel/debug/asite_bench/pairs
out=$1

die()
{
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

# measure CONTENDER: every loop's ticks under that name.
measure()
{
	awk -v who="$1" 'NR > 1 && !/^#/ { print who, $1, $2, $5, $6, $7 }' "$pairs" >>"$out" || die "cannot read $pairs"
}

absent()
{
	printf 'absent %s %s\n' "$1" "$2" >>"$out"
}

# load PARAMETERS...
load()
{
	insmod "$modules/module/allocsite.ko" "$@"
}

# measure_off: loaded and never on, then on and off again: no probe may be left.
measure_off()
{
	load start=0 || { absent off "insmod start=0 failed"; return; }
	measure off
	if echo on >"$control" && echo off >"$control"; then
		measure off_again
	else
		absent off_again "control refused on or off"
	fi
	rmmod allocsite || die "rmmod allocsite failed"
}

# measure_on PROBE
measure_on()
{
	load probe="$1" start=1 || { absent "$1" "insmod probe=$1 failed"; return; }
	measure "$1"
	# Which backend each row got belongs to the figures.
	sed "s/^/hooks $1 /" /sys/kernel/debug/allocsite/hooks >>"$out"
	rmmod allocsite || die "rmmod allocsite failed"
}

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug ||
	die "no debugfs"
insmod "$modules/selftests/modules/asite_bench.ko" || die "no asite_bench.ko"
{
	printf 'kernel %s\n' "$(uname -r) $(uname -v)"
	printf 'arguments %s\n' "$(cat /proc/cmdline)"
} >"$out" || die "cannot write $out"

# What only the first use of anything costs.
cat "$pairs" >/dev/null || die "cannot read $pairs"
measure none
if [ -e "$modules/module/allocsite.ko" ]; then
	measure_off
	for probe in tracepoint ftrace kprobe auto; do
		measure_on "$probe"
	done
	measure none_again
else
	for contender in off off_again tracepoint ftrace kprobe auto; do
		absent "$contender" "no allocsite.ko"
	done
fi
rmmod asite_bench
