#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: totals of a cross-CPU storm equal what its threads counted, and nothing is left
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/storm.sh"

load_module asite_load
for backend in auto ftrace kprobe; do
	load_asite "probe=$backend"
	storm "$backend" "${ASITE_STORM:-20000}"
	unload_module allocsite
done
