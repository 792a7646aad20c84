#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a storm on two CPUs that run at once; the second is there only while probes stay as they are
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
# suite: race
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/storm.sh"

# QEMU may keep an old translation of text that one CPU patches while another runs it.
second=/sys/devices/system/cpu/cpu1/online
[ -e "$second" ] || skip "needs a second CPU that can be taken offline"
before=$(cat "$second")
at_exit="$at_exit; echo $before >$second"

echo 0 >"$second" 2>/dev/null
load_module asite_load
for backend in auto ftrace tracepoint; do
	load_asite "probe=$backend"
	echo 1 >"$second" || fail "the second CPU does not come"
	storm "$backend" "${ASITE_STORM:-100000}"
	echo 0 >"$second" || fail "the second CPU does not go"
	unload_module allocsite
done
