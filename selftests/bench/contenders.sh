# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What accounts allocations, each made to run, measured and stopped again. Sourced by guest.sh,
# which gives: module_file(), bench (this directory), die(), absent NAME REASON, measure NAME
# [PASSES], measure_deep NAME, out (file). A function contender_NAME for each word of a contender list.
# shellcheck disable=SC2154

asite=/sys/kernel/debug/allocsite

# load_asite NAME PARAMETERS...: or leaves the reason.
load_asite()
{
	contender=$1
	shift
	if [ -z "$(module_file allocsite)" ]; then
		absent "$contender" "no allocsite.ko"
		return 1
	fi
	insmod "$(module_file allocsite)" "$@" ||
		{ absent "$contender" "insmod allocsite.ko $* failed"; return 1; }
}

unload_asite()
{
	rmmod allocsite || die "rmmod allocsite failed"
}

contender_none()
{
	measure none
}

contender_none_again()
{
	measure none_again
}

# Loaded and never on, then on and off again: no probe may be left.
contender_off()
{
	load_asite off start=0 || return 0
	measure off
	if echo on >"$asite/control" && echo off >"$asite/control"; then
		measure off_again
	else
		absent off_again "control refused on or off"
	fi
	unload_asite
}

# on NAME PASSES PARAMETERS...: which backend each row got belongs to the figures.
on()
{
	name=$1 count=$2
	shift 2
	load_asite "$name" start=1 "$@" || return 0
	measure "$name" "$count"
	sed "s/^/hooks $name /" "$asite/hooks" >>"$out"
	unload_asite
}

contender_auto()
{
	on auto '' probe=auto
}

contender_tracepoint()
{
	on tracepoint '' probe=tracepoint
}

contender_ftrace()
{
	on ftrace '' probe=ftrace
}

contender_kprobe()
{
	on kprobe 3 probe=kprobe
}

contender_sampling()
{
	if ! modinfo -p "$(module_file allocsite)" | grep -q '^sample_bytes:'; then
		absent sampling "this allocsite.ko has no parameter sample_bytes"
		return 0
	fi
	on sampling '' sample_bytes="${SAMPLE_BYTES:-65536}"
}

contender_stacks()
{
	on stacks '' kinds=slab stacks=32
}

# stacks_of FRAMES: of a stack that is deeper, so that each has that many.
stacks_of()
{
	load_asite "stacks_$1" start=1 kinds=slab stacks="$1" || return 0
	measure_deep "stacks_$1"
	unload_asite
}

contender_stacks_8()
{
	stacks_of 8
}

contender_stacks_16()
{
	stacks_of 16
}

contender_stacks_32()
{
	stacks_of 32
}

contender_stacks_pages()
{
	on stacks_pages '' kinds=page,vmalloc,percpu stacks=32
}

# on_contexts NAME FUNCTION...: each allocation of these is recorded, with its stack.
on_contexts()
{
	name=$1
	shift
	for function; do
		echo "context $function on" >"$asite/control" || die "context $function on refused"
	done
	measure "$name"
	unload_asite
}

# The loops' own sites, which must have been seen.
contender_context()
{
	load_asite context start=1 max_contexts=64 || return 0
	echo 1 >"$parameters/passes"
	cat "$pairs" >/dev/null || die "cannot read $pairs"
	# shellcheck disable=SC2046 # names of functions
	on_contexts context $(awk '$NF == "[asite_bench]" { sub(/\+.*/, "", $8); print $8 }' "$asite/sites" | sort -u)
}

# Some other function's: the loops' shall cost what auto does.
contender_context_other()
{
	load_asite context_other start=1 || return 0
	# shellcheck disable=SC2046 # the name of a function
	on_contexts context_other $(awk '$5 == "kmalloc" && NF == 8 { sub(/\+.*/, "", $8); print $8; exit }' "$asite/sites")
}

contender_pages()
{
	on pages '' kinds=page,vmalloc,percpu
}
