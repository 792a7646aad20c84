#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: measures contenders of contenders.sh, peers.sh and memory.sh, one after the other.
# usage: guest.sh OUTPUT LOADS ONLY PASSES CONTENDER...
#   LOADS   the program loads, or "" for no loads of user space
#   ONLY    loops of asite_bench, by comma, or "" for all
#   PASSES  of each loop, unless the contender asks for fewer
# Lines of OUTPUT:
#   kernel RELEASE      arguments TEXT      hooks CONTENDER LINE
#   micro CONTENDER loop pairs passes first least median most least_ns median_ns most_ns
#   macro CONTENDER load operations passes 0 least median most idle
#   memory TOOL ITEM VALUE     absent CONTENDER REASON
set -u
bench=$(cd "$(dirname "$0")" && pwd) || exit 1
self_dir=$bench/..	# for modules.sh
pairs=/sys/kernel/debug/asite_bench/pairs
parameters=/sys/module/asite_bench/parameters

die()
{
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

[ $# -ge 5 ] || die "usage: guest.sh OUTPUT LOADS ONLY PASSES CONTENDER..."
out=$1
loads=$2
only=$3
passes=$4
shift 4

# measure NAME [PASSES]: every loop and load under that name.
measure()
{
	count=${2:-$passes}
	[ "$count" -le "$passes" ] || count=$passes
	echo "$count" >"$parameters/passes"
	sed "/^#/d; 1d; s/^/micro $1 /" "$pairs" >>"$out" || die "cannot read $pairs"
	[ -n "$loads" ] || return 0
	"$loads" 5 >"$out.loads" || die "loads failed"
	sed "s/^/macro $1 /" "$out.loads" >>"$out"
	rm -f "$out.loads"
}

# measure_deep NAME: the loop on a deep stack only.
measure_deep()
{
	case ",$only," in
	,, | *,kmalloc_64_deep,*) ;;
	*) return 0 ;;
	esac
	echo kmalloc_64_deep >"$parameters/only"
	(loads= && measure "$1" 3) || exit 1
	echo "$only" >"$parameters/only"
}

clean_up()
{
	stop_tracer
	rm -f /dev/shm/asite_loads
	for name in asite_load allocsite asite_stackdepot asite_bench; do
		! is_loaded "$name" || rmmod "$name"
	done
}

absent()
{
	printf 'absent %s %s\n' "$1" "$2" >>"$out"
}

# shellcheck source=/dev/null
. "$self_dir/lib/modules.sh"
# shellcheck source=/dev/null
. "$bench/contenders.sh"
# shellcheck source=/dev/null
. "$bench/peers.sh"
# shellcheck source=/dev/null
. "$bench/memory.sh"

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug || die "no debugfs"
insmod "$(module_file asite_bench)" only="$only" || die "no asite_bench.ko"
# Whatever ends this, nothing of it stays.
trap clean_up EXIT
trap 'exit 143' INT TERM HUP
{
	printf 'kernel %s\n' "$(uname -r) $(uname -v)"
	printf 'arguments %s\n' "$(cat /proc/cmdline)"
} >"$out" || die "cannot write $out"

# What only the first use of anything costs.
echo 1 >"$parameters/passes"
cat "$pairs" >/dev/null || die "cannot read $pairs"
if [ -n "$loads" ]; then
	# From memory: a file of the host's is waited for, and the clock jumps.
	cp "$loads" /dev/shm/asite_loads || die "cannot copy $loads"
	loads=/dev/shm/asite_loads
	"$loads" 1 >/dev/null || die "loads failed"
fi
for contender in "$@"; do
	printf 'bench: %s\n' "$contender"
	"contender_$contender" || die "contender $contender failed"
done
