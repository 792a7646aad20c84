#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: sites of wrapped allocations are the same while the events are traced by the kernel too
# suite: main exact
# requires: root debugfs tracefs module:allocsite module:asite_wrap
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/attribution.sh"

# A second probe puts a function of its own between the allocator and ours.
at_exit="$at_exit; trace_events 0"
load_module asite_wrap
for backend in auto tracepoint; do
	trace_events 1
	attribution $backend "events traced"
done
# And when the second probe comes later than ours.
trace_events 0
load_asite
wrap_by_hand
snapshot "$tmp/before"
trace_events 1
wrap_control alloc
check_wrap "auto, events traced from later on: live"
grep -q . /sys/kernel/tracing/trace || fail "nothing was traced"
wrap_control free
check_wrap "auto, events traced from later on: freed" 20
