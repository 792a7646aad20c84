# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What accounts allocations, each made to run, measured and stopped again. Sourced by guest.sh and
# local.sh, which give: modules (directory of the tree), die(), absent NAME REASON, measure NAME
# [PASSES], out (file). A function contender_NAME for each word of a contender list.
# shellcheck disable=SC2154

asite=/sys/kernel/debug/allocsite
tracing=/sys/kernel/tracing
profiling=/proc/sys/vm/mem_profiling

# load_asite NAME PARAMETERS...: or leaves the reason.
load_asite()
{
	contender=$1
	shift
	if [ ! -e "$modules/module/allocsite.ko" ]; then
		absent "$contender" "no allocsite.ko"
		return 1
	fi
	insmod "$modules/module/allocsite.ko" "$@" ||
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
	if ! modinfo -p "$modules/module/allocsite.ko" | grep -q '^sample_bytes:'; then
		absent sampling "this allocsite.ko has no parameter sample_bytes"
		return 0
	fi
	on sampling '' sample_bytes="${SAMPLE_BYTES:-65536}"
}

contender_stacks()
{
	absent stacks "not there: allocsite keeps no call stacks yet"
}

contender_pages()
{
	absent pages "not there: allocsite does not follow pages yet"
}

# Code tagging in the kernel, by whether it counts.
tagged()
{
	if [ ! -e /proc/allocinfo ]; then
		absent "$1" "no code tagging in this kernel"
	elif ! echo "$2" >"$profiling" || [ "$(cat "$profiling")" != "$2" ]; then
		absent "$1" "$profiling does not take $2"
	else
		measure "$1"
		echo 0 >"$profiling"
	fi
}

contender_tagged_off()
{
	tagged tagged_off 0
}

contender_tagged_on()
{
	tagged tagged_on 1
}

# A boot of its own: what it needs it takes at boot, or switches itself off.
contender_tagged_compressed()
{
	if [ -e "$profiling" ] && [ "$(cat "$profiling")" = 1 ]; then
		measure tagged_compressed
		return
	fi
	absent tagged_compressed "off by itself: $(dmesg | sed -n 's/^\[[^]]*\] //; /alloc.*tag\|page flags/p' |
		tr '\n' ';')"
}

# A boot of its own too.
contender_page_owner()
{
	if [ -e /sys/kernel/debug/page_owner ]; then
		measure page_owner 3
	else
		absent page_owner "no page_owner (boot argument page_owner=on)"
	fi
}

# Four events of the slab into the ring buffer, nobody reading.
contender_trace_events()
{
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		echo 1 >"$tracing/events/kmem/$event/enable" ||
			{ absent trace_events "no event kmem:$event"; return 0; }
	done
	measure trace_events 3
	echo 0 >"$tracing/events/kmem/enable"
	echo >"$tracing/trace"
}

contender_bpftrace()
{
	command -v bpftrace >/dev/null || { absent bpftrace "no bpftrace"; return 0; }
	log=$(mktemp) || die "mktemp failed"
	# The name of the limit before and after 0.18. Unbuffered by stdbuf: its output is a file.
	BPFTRACE_MAP_KEYS_MAX=262144 BPFTRACE_MAX_MAP_KEYS=262144 \
		bpftrace -B line "$bench/sites.bt" >"$log" 2>&1 &
	tracer=$!
	tries=0
	until grep -q '^ready' "$log"; do
		tries=$((tries + 1))
		if [ "$tries" -gt 300 ] || ! kill -0 "$tracer" 2>/dev/null; then
			kill -KILL "$tracer" 2>/dev/null
			absent bpftrace "$(bpftrace --version) does not start: $(head -n 3 "$log" | tr '\n' ' ')"
			return 0
		fi
		sleep 0.2
	done
	measure bpftrace 3
	# Its maps are not printed: they have 100,000 rows.
	kill -KILL "$tracer"
	wait "$tracer" 2>/dev/null
	rm -f "$log"
}
