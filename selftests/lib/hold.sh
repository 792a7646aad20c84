#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Holds so much memory in one way, until it is killed; residual.sh starts it in a session of its own.
# usage: hold.sh hog|tmpfs|ext4|network|processes MIB
set -u

what=${1:-}
mib=${2:-0}

# dd fills its buffer and cannot write it: nobody reads.
hog()
{
	# shellcheck disable=SC2216 # that it does not read is the point
	dd if=/dev/zero bs="${1}M" count=1 | sleep 3600
}

# hold_file FILE
hold_file()
{
	head -c "${mib}M" /dev/zero >"$1" || exit 1
	exec sleep 3600
}

# Readers that do not read, writers that cannot go on: the data is in socket buffers, 8 MiB or more
# of it for each connection.
network()
{
	for _port in $(seq 7501 $((7500 + mib / 8 + 1))); do
		# shellcheck disable=SC2216 # that it does not read is the point
		nc -l 127.0.0.1 "$_port" | sleep 3600 &
		sleep 0.1
		{ head -c 40M /dev/zero; sleep 3600; } | nc 127.0.0.1 "$_port" &
	done
	wait
}

# Pairs of a process of 1 MiB and one of next to nothing; and as many that come and go.
processes()
{
	for _i in $(seq "$mib"); do
		hog 1 &
		/bin/true
	done
	wait
}

case $what in
hog) hog "$mib" ;;
tmpfs) hold_file /tmp/asite-fill ;;
ext4) hold_file /var/tmp/asite-fill ;;
network) network ;;
processes) processes ;;
*)
	sed -n '4s/^# //p' "$0" >&2
	exit 2
	;;
esac >/dev/null 2>&1 </dev/null
