#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What accounting costs on this machine, as root: ticks of the time-stamp counter and nanoseconds.
# description: pairs of allocation and free with nothing, off, each backend and what else is here
# usage: local.sh [-n] [-l LOOP,...] [-p PASSES] [CONTENDER...]     (all; 15; see below)
#   -n   no loads of user space
# KTAP version 1: a contender is "ok" when it was measured, "not ok" when measuring it failed; its
# figures stand before it. Nothing is judged by time: machines differ, and passes on one too.
# Interrupts are off for a pass: milliseconds, with bpftrace some tenths of a second.
# Exit: 0, 1 a failure, 4 nothing could be measured.
set -u
bench=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$bench/../lib/ktap.sh"
# shellcheck disable=SC2034 # for modules.sh
self_dir=$bench/..
# shellcheck source=/dev/null
. "$bench/../lib/modules.sh"

only=
passes=15
quiet=
while getopts nl:p: option; do
	case $option in
	n) quiet=1 ;;
	l) only=$OPTARG ;;
	p) passes=$OPTARG ;;
	*) sed -n '3,11s/^# //p' "$0"; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- none off tracepoint ftrace kprobe auto sampling tagged_off tagged_on \
	trace_events bpftrace none_again

# Which clock: an emulator's says nothing of a processor.
machine()
{
	if [ -e /run/vm-accel ]; then
		read -r accel </run/vm-accel
		echo "QEMU, $accel"
	elif grep -qw hypervisor /proc/cpuinfo; then
		echo "a virtual machine"
	else
		echo "no hypervisor"
	fi
	sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
	uname -r
}

# figures CONTENDER: its lines, and what it adds to the median of none; on a busy machine the least
# of the passes says more.
figures()
{
	awk -v who="$1" '
		$1 == "micro" && $2 == "none" { ticks[$3] = $8; least[$3] = $7; ns[$3] = $11 }
		$1 == "micro" && $2 == who {
			line = sprintf("%s %s %.1f ticks (%.1f to %.1f) %.1f ns per pair", who, $3,
				$8 / $4, $7 / $4, $9 / $4, $11 / $4)
			if (who != "none" && $3 in ticks)
				line = line sprintf(", added %+.1f ticks (least to least %+.1f) %+.1f ns",
					($8 - ticks[$3]) / $4, ($7 - least[$3]) / $4,
					($11 - ns[$3]) / $4)
			print line
		}
		$1 == "macro" && $2 == "none" { load[$3] = $8 }
		$1 == "macro" && $2 == who {
			line = sprintf("%s %s %.0f ns (%.0f to %.0f) per operation", who, $3,
				$8 / $4, $7 / $4, $9 / $4)
			if (who != "none" && $3 in load)
				line = line sprintf(", added %+.0f ns", ($8 - load[$3]) / $4)
			print line
		}' "$tmp/raw" | ktap_diagnose
}

ktap_begin $#
reason=
[ "$(id -u)" -eq 0 ] || reason="needs root"
! is_loaded allocsite && ! is_loaded asite_bench || reason="allocsite or asite_bench is loaded: unload it first"
[ -n "$(module_file asite_bench)" ] || reason="no asite_bench.ko: make ASITE_SELFTESTS=1"
if [ -n "$reason" ]; then
	for contender in "$@"; do ktap_skip "$contender" "$reason"; done
	ktap_end
	exit
fi

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
machine | ktap_diagnose
loads=$tmp/loads
if [ -n "$quiet" ] || ! cc -O2 -o "$loads" "$bench/loads.c" 2>/dev/null; then
	loads=
	echo "# no loads of user space${quiet:+, as asked}"
fi
sh "$bench/guest.sh" "$tmp/raw" "$loads" "$only" "$passes" "$@" >"$tmp/log" 2>&1
ktap_diagnose <"$tmp/log"
for contender in "$@"; do
	figures "$contender"
	reason=$(sed -n "s/^absent $contender //p" "$tmp/raw")
	if grep -q "^micro $contender " "$tmp/raw"; then
		ktap_pass "$contender"
	elif [ -n "$reason" ]; then
		ktap_skip "$contender" "$reason"
	else
		ktap_fail "$contender" "not measured, see above"
	fi
done
ktap_end
