# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# A storm of allocations and frees on any CPU, compared with what its threads counted.
# Sourced after common.sh.

storm_matches()
{
	snapshot "$tmp/sites"
	for name in load_storm_64 load_storm_512 load_storm_cache load_storm_large; do
		got="$(site_sum "$name" 3 "$tmp/sites") $(site_sum "$name" 2 "$tmp/sites")"
		[ "$got" = "$(load_value "$name") 0" ] || return 1
	done
}

# storm BACKEND OBJECTS: the module is loaded; totals are exact and nothing is left.
storm()
{
	load_control "storm $2"
	load_control stormwait
	expect_at_least "$1: allocations" "$(load_value storm_allocations)" "$2"
	loop_until 20 storm_matches ||
		fail "$1: $name: total and live $got, expected $(load_value "$name") 0"
}
