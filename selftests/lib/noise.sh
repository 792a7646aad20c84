# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# Background load: process churn and loopback traffic, from noise_start to noise_stop.
# Sourced after common.sh. ASITE_NOISE=0 leaves it out (for a look at one failure).

noise_pids=

# background_start WORD: in a session of its own, so that all its children end with it.
background_start()
{
	setsid "$lib_dir/background.sh" "$1" &
	noise_pids="$noise_pids $!"
}

noise_start()
{
	[ "${ASITE_NOISE:-1}" = 1 ] || return 0
	ip link set lo up 2>/dev/null
	background_start churn
	if command -v nc >/dev/null; then
		background_start nc
	fi
	if command -v iperf3 >/dev/null; then
		background_start iperf3
	fi
	# Let it allocate before anything is counted.
	sleep 1
}

_session_is_gone()
{
	! kill -0 "-$1" 2>/dev/null
}

noise_stop()
{
	for _pid in $noise_pids; do
		kill -KILL "-$_pid" || echo "restore: no background session $_pid"
	done
	for _pid in $noise_pids; do
		wait "$_pid" 2>/dev/null
		loop_until 10 _session_is_gone "$_pid" || echo "restore: background session $_pid stays"
	done
	noise_pids=
}

at_exit="$at_exit; noise_stop"
