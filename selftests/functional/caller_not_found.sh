#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: what a walk past wrappers finds no caller for is counted exactly as [caller not found], and said
# suite: main exact
# requires: root debugfs module:allocsite module:asite_wrap
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/attribution.sh"

# What wrap_deep.c asks for, one of each: kind, bytes of one, cache.
kinds="kmalloc:4096:-
kmem_cache:216:asite_wrap_deep
page:8192:-
vmalloc:0:-
percpu:0:-"

# deep_rows SITE FILE: live and total objects of its row of each of these kinds, "0 0" without one.
# SITE: a function, or [caller not found].
deep_rows()
{
	printf '%s\n' "$kinds" | while IFS=: read -r _kind _size _cache; do
		awk -v site="$1" -v kind="$_kind" -v size="$_size" -v cache="$_cache" '
			$1 !~ /^[0-9]+$/ || $5 != kind || $6 != size || $7 != cache { next }
			{ $1 = $1; s = $0; for (i = 0; i < 7; i++) sub(/^[^ ]+ /, "", s); sub(/\+0x.*/, "", s) }
			s == site { live += $2; total += $3 }
			END { printf "%s %d %d\n", kind, live, total }' "$2"
	done
}

# same WHAT GOT WANTED: else says why in $why.
same()
{
	why="$when: $1: got '$2', expected '$3'"
	[ "$2" = "$3" ]
}

# same_rows SITE LIVE TOTAL
same_rows()
{
	same "live and total of $1" "$(deep_rows "$1" "$tmp/sites")" \
		"$(printf '%s\n' "$kinds" | sed "s/:.*/ $2 $3/")"
}

# lost_objects FILE: objects without a caller, of all kinds.
lost_objects()
{
	awk '/\[caller not found\]$/ { n += $3 } END { print n + 0 }' "$1"
}

# deep WHEN N CALLS: N of each kind, at the bottom of so many calls.
deep()
{
	when="$1, $3 calls"
	wrap_control "deep $2 $3"
	snapshot "$tmp/sites"
}

# Fewer frames than a walk goes: nothing is lost.
short_chain()
{
	deep "$1" 31 20
	same_rows wrap_deep_caller 31 31 &&
		same_rows "[caller not found]" 0 0
}

long_chain()
{
	deep "$1" 37 40
	lost=$(stat_value walks_lost)
	same_rows "[caller not found]" 37 37 && same_rows wrap_deep_caller 31 31 &&
		same_rows wrap_deep 0 0 &&
		same "objects without a caller, of all kinds" "$(lost_objects "$tmp/sites")" "$lost" &&
		same "loss at the head of sites" "$(head_value "loss walks_lost" "$tmp/sites")" "$lost" &&
		same "lines of allocinfo" "$(grep -c '\[caller not found\]' $asite/allocinfo)" 1
}

# What was charged so stays; what comes now has a caller again.
no_wrapper()
{
	control "wrap -wrap_deep"
	deep "$1, wrap -" 41 40
	same_rows wrap_deep 41 41 && same_rows "[caller not found]" 37 37 &&
		same walks_lost "$(stat_value walks_lost)" "$lost"
}

all_freed()
{
	when="$1, freed"
	wrap_control deepfree
	snapshot "$tmp/sites"
	same_rows wrap_deep 0 41 && same_rows "[caller not found]" 0 37 &&
		same_rows wrap_deep_caller 0 31
}

# Kprobes may miss events where there are interrupts: another try then.
load_module asite_wrap
for backend in tracepoint ftrace auto kprobe; do
	for try in 1 2 3 4 5; do
		load_asite "probe=$backend"
		control "wrap +wrap_deep"
		short_chain $backend && long_chain $backend && no_wrapper $backend &&
			all_freed $backend && break
		_missed=$(missed_of "$tmp/sites")
		[ $try -lt 5 ] && [ "$_missed" -gt 0 ] || fail "$(echo "$why" | tr '\n' ',')"
		echo "$backend: $_missed events missed, once more"
		wrap_control deepfree
		unload_module allocsite
	done
	echo "$backend: $lost walks lost"
	unload_module allocsite
done
