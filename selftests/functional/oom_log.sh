#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: the top sites go to the log when memory runs out
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
# suite: oom
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

allow_log 'Call Trace:|RIP:|Out of memory|oom'

load_module asite_load
load_asite
load_control "hold 100000"
# Ends by the OOM killer, and is its first choice.
sh -c 'echo 1000 >/proc/self/oom_score_adj; exec tail /dev/zero' >/dev/null 2>&1
expect_log "the OOM killer was there" 'Out of memory: Killed'
new_log | grep '^allocsite: ' >"$tmp/lines"
head -n 12 "$tmp/lines"
expect_at_least "log lines of allocsite" "$(wc -l <"$tmp/lines")" 10
grep -q 'load_hold_64' "$tmp/lines" || fail "the largest site is not among them"
