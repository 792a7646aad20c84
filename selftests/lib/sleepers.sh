# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# The body of rmmod_while_sleeping_*.sh. Sourced after common.sh.

at_exit="$at_exit; echo release >$load/control"

all_inside()
{
	[ "$(load_value sleepers_inside)" = "$(load_value sleepers)" ]
}

start_sleepers()
{
	load_control "sleepers 3"
	loop_until 10 all_inside || fail "sleepers: $(load_value sleepers_inside) of 3 inside"
}

# The sleepers return through whatever rmmod left on their stacks.
sleep_case()
{
	load_module asite_load
	load_asite "probe=$1"
	start_sleepers
	control off &
	_off=$!
	sleep 2
	load_control release
	wait "$_off" || fail "$1: off while tasks sleep"
	control on

	start_sleepers
	rmmod allocsite &
	_rmmod=$!
	sleep 3
	if kill -0 "$_rmmod" 2>/dev/null; then
		echo "$1: rmmod waits for the tasks inside"
	else
		echo "$1: rmmod is done while they sleep"
	fi
	load_control release
	wait "$_rmmod" || fail "$1: rmmod failed"
	! is_loaded allocsite || fail "$1: still loaded"

	# And those that were inside before it was loaded.
	start_sleepers
	load_asite "probe=$1"
	load_control release
	unload_module allocsite
}
