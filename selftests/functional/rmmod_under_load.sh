#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: rmmod and load again in the middle of a storm and of fork and network load
# requires: root debugfs module:allocsite module:asite_load
# timeout: 180
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"

load_module asite_load
noise_start
for backend in auto ftrace kprobe tracepoint; do
	load_control "storm 1000000"
	for _time in $(seq "${ASITE_ROUNDS:-3}"); do
		load_asite "probe=$backend"
		sleep 0.5
		unload_module allocsite
	done
	expect_at_least "$backend: the storm still runs" "$(load_value storm_threads)" 1
	load_control stormstop
done
noise_stop
