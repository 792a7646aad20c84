# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# The body of exact_*.sh. Sourced after common.sh and noise.sh.

# Every miss of every hook, summed.
hook_misses()
{
	awk -F '\t' '!/^#/ && NR > 1 { sum += $5 } END { print sum + 0 }' $asite/hooks
}

hook_states()
{
	awk -F '\t' '!/^#/ && NR > 1 { print $1, $2, $3, $4, "missed", $5 }' $asite/hooks
}

# misses_of ERE: misses of the hooks of such events.
misses_of()
{
	awk -F '\t' -v events="$1" '!/^#/ && NR > 1 && $1 ~ events { sum += $5 } END { print sum + 0 }' \
		$asite/hooks
}

# within_bound: probes that drop events by design say how many; no more may be wrong than that. An
# object lacks only where allocations were missed, and stays live only where frees were; totals lack
# (a missed free of a large object may be taken for its second report), and are never too large.
# Bytes that are wrong where objects are not are of blocks that go in parts: a row of such has a miss
# at least. Nothing else may differ: no row comes from nowhere.
within_bound()
{
	_missed=$(sed -n 's/^# loss missed_events //p' "$tmp/sites")
	[ "${_missed:-0}" -gt 0 ] || return 1
	sed -E -n 's/^(.*) (live|total|requested) (objects|bytes): got ([0-9]+), expected ([0-9]+)$/\1|\2 \3|\4|\5/p
		t
		p' "$tmp/differences" | awk -F '|' '
		$2 == "live objects" { of_objects[$1] = 1 }
		$2 == "live objects" && $3 < $4 { lack += $4 - $3; next }
		$2 == "live objects" { stay += $3 - $4; next }
		$2 == "live bytes" { of_bytes[$1] = 1; next }
		$2 == "total objects" && $3 < $4 { total += $4 - $3; next }
		$2 == "requested bytes" && $3 < $4 { next }
		{ other++ }
		END {
			for (row in of_bytes)
				parts += !(row in of_objects)
			print lack + 0, stay + 0, total + 0, other + 0, parts + 0
		}' >"$tmp/wrong"
	read -r _lack _stay _total _other _parts <"$tmp/wrong"
	echo "$1: $_lack objects lack, $_total in total, $_stay stay, bytes alone of $_parts rows, the head of sites states $_missed missed events"
	[ "$_lack" -le "$(misses_of alloc)" ] && [ "$_total" -le "$_missed" ] &&
		[ "$_stay" -le "$(misses_of free)" ] && [ "$_parts" -le "$_missed" ] && [ "$_other" -eq 0 ]
}

# exact_or_bounded WHEN SECONDS: exact, unless kprobes missed events and the head says so.
exact_or_bounded()
{
	loop_until "$2" sites_match && return 0
	within_bound "$1" || check_sites "$1"
}

# rows_expected: how many rows of the load module were compared, and how many it cannot make here.
rows_expected()
{
	awk '/^# absent / { absent++; next } NR > 2 { n++ } END { print n + 0 " rows, " absent + 0 " absent" }' \
		"$tmp/expect"
}

# exact_rounds BACKEND N: N times all rows live, then none; under noise.
exact_rounds()
{
	for _round in $(seq "$2"); do
		load_control alloc
		exact_or_bounded "$1: live, round $_round" 0
		load_control free
		# kfree_rcu drains up to 5 s later, and slower under load.
		exact_or_bounded "$1: freed, round $_round" 20
	done
}

# exact_backend BACKEND: ASITE_LOADS times both modules loaded, ASITE_ROUNDS times used in each.
exact_backend()
{
	noise_start
	for _time in $(seq "${ASITE_LOADS:-2}"); do
		load_module asite_load
		load_asite "probe=$1"
		load_control mark
		exact_rounds "$1" "${ASITE_ROUNDS:-2}"
		_before=$(hook_misses)
		snapshot "$tmp/last"
		_stated=$(sed -n 's/^# loss missed_events //p' "$tmp/last")
		expect_at_least "$1: misses that the head of sites states" "${_stated:-0}" "$_before"
		expect_at_least "$1: misses of hooks" "$(hook_misses)" "${_stated:-0}"
		[ "$1" = kprobe ] || expect_equal "$1: missed events" "$(hook_misses)" 0
		expect_equal "$1: untracked objects" \
			"$(awk '$2 == "loss" && $3 == "untracked_objects" { print $4 }' "$tmp/last")" ""
		[ "$_time" -gt 1 ] || echo "$1: $(rows_expected)"
		hook_states | head -n "$((_time == 1 ? 20 : 0))"
		unload_module allocsite
		unload_module asite_load
	done
	noise_stop
}
