# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What else accounts allocations, as contenders.sh has allocsite: code tagging, page_owner, the
# kernel's stack depot, trace events, bpftrace. Sourced by guest.sh, which gives the same.
# shellcheck disable=SC2154

tracing=/sys/kernel/tracing
profiling=/proc/sys/vm/mem_profiling
tracer=

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

# stackdepot_of FRAMES: what page_owner and KASAN do for a stack, and nothing else.
stackdepot_of()
{
	if [ -z "$(module_file asite_stackdepot)" ]; then
		absent "stackdepot_$1" "no lib/stackdepot in this kernel"
		return 0
	fi
	insmod "$(module_file asite_stackdepot)" frames="$1" ||
		{ absent "stackdepot_$1" "insmod asite_stackdepot.ko failed"; return 0; }
	measure_deep "stackdepot_$1"
	rmmod asite_stackdepot || die "rmmod asite_stackdepot failed"
}

contender_stackdepot_8()
{
	stackdepot_of 8
}

contender_stackdepot_16()
{
	stackdepot_of 16
}

contender_stackdepot_32()
{
	stackdepot_of 32
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
	# The name of the limit before and after 0.18.
	BPFTRACE_MAP_KEYS_MAX=262144 BPFTRACE_MAX_MAP_KEYS=262144 \
		bpftrace -B line "$bench/sites.bt" >"$log" 2>&1 &
	tracer=$!
	if await_tracer; then
		measure bpftrace 3
	else
		absent bpftrace "$(bpftrace --version) does not start: $(head -n 3 "$log" | tr '\n' ' ')"
	fi
	stop_tracer
	rm -f "$log"
}

# Once it says that all is attached: a minute at most.
await_tracer()
{
	tries=0
	until grep -q '^ready' "$log"; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] && kill -0 "$tracer" 2>/dev/null || return 1
		sleep 0.2
	done
}

# Its maps are not printed: they have 100,000 rows.
stop_tracer()
{
	[ -n "$tracer" ] || return 0
	kill -KILL "$tracer" 2>/dev/null
	wait "$tracer" 2>/dev/null
	tracer=
}
