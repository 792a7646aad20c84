#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One kind of background load, until it is killed; noise.sh starts it in a session of its own.
# usage: background.sh churn|nc|iperf3|hackbench
set -u

# Each round is some fork, exec, pipe, open, stat.
churn()
{
	while :; do
		for _i in 1 2 3 4; do
			/bin/true &
		done
		wait
		# shellcheck disable=SC2010 # the pipe is the point
		ls -l /proc/self/fd /tmp 2>/dev/null | grep -q nothing
		sleep 0.02
	done
}

# TCP over loopback: many short connections.
nc_traffic()
{
	while :; do
		nc -l 127.0.0.1 7401 &
		sleep 0.1
		head -c 200000 /dev/zero | nc -N 127.0.0.1 7401
		wait
	done
}

# And long ones.
iperf3_traffic()
{
	iperf3 -s -B 127.0.0.1 -p 7402 &
	sleep 1
	while :; do
		iperf3 -c 127.0.0.1 -p 7402 -t 5 -b 40M || sleep 1
	done
}

hackbench_groups()
{
	while :; do
		hackbench -g 1 -f 4 -l 200 || sleep 1
	done
}

case ${1:-} in
churn) churn ;;
nc) nc_traffic ;;
iperf3) iperf3_traffic ;;
hackbench) hackbench_groups ;;
*)
	sed -n '4s/^# //p' "$0" >&2
	exit 2
	;;
esac >/dev/null 2>&1 </dev/null
