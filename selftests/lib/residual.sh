# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# The whole system's memory against the pages that are accounted. Sourced after common.sh.

# used_bytes: memory that is neither free nor on a per-CPU list of free pages.
used_bytes()
{
	awk '$1 == "MemTotal:" { used += $2 * 1024 }
		$1 == "MemFree:" { used -= $2 * 1024 }
		$1 == "count:" { used -= $2 * 4096 }
		END { printf "%d\n", used }' /proc/meminfo /proc/zoneinfo
}

# The head of a snapshot: NAME's number on whatever line it stands.
head_number()
{
	awk -v name="$1" '/^# / { for (i = 2; i < NF; i++) if ($i == name) { print $(i + 1); exit } }' "$2"
}

# Lets what is on its way arrive: RCU, deferred frees, writeback.
drain()
{
	sync
	sleep 3
}

# take FILE: a snapshot of a drained system; sets growth, residual and used.
take()
{
	drain
	snapshot "$1"
	used=$(used_bytes)
	growth=$(head_number growth_bytes "$1")
	residual=$(head_number residual_bytes "$1")
	[ -n "$growth" ] && [ -n "$residual" ] || fail "no residual_bytes and growth_bytes at the head of sites"
}

mib()
{
	awk -v n="$1" 'BEGIN { printf "%.2f MiB", n / 1048576 }'
}

# made_of WHEN FILE: what growth and residual consist of.
made_of()
{
	echo "$1: growth $(mib "$growth"), measured apart $(mib $((used - used_before))), residual $(mib "$residual")"
	echo "    tracked pages $(mib "$(head_number tracked_page_bytes "$2")"), unknown frees" \
		"$(mib "$(head_number unknown_free_bytes "$2")"), own memory $(mib "$(stat_value own_memory_bytes)")"
	echo "    slab growth $(mib "$(head_number slab_growth_bytes "$2")")," \
		"slab pages $(mib "$(head_number slab_pages_bytes "$2")")"
	sed -n -e 's/^# \(kind .*\)/    \1/p' -e 's/^# \(backing .*\)/    \1/p' -e 's/^# \(loss .*\)/    \1/p' "$2"
	awk -v top=3 '$1 ~ /^[0-9]+$/ && $5 == "page" && n++ < top { print "    page:", $1, $2, $8 }' "$2"
}

# expect_small_residual WHEN BYTES: within 0.5% of so many.
expect_small_residual()
{
	_limit=$(($2 / 200))
	[ "${residual#-}" -le "$_limit" ] ||
		fail "$1: residual of $(mib "$residual"), expected within $(mib "$_limit")"
}
