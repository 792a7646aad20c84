#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: losses above loss_limit turn it off, with one log line
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

is_off()
{
	grep -q '^state off' $asite/control
}

load_module asite_load
load_asite live_mb=1 loss_limit=1000
load_control "hold 200000"
loop_until 10 is_off || fail "still on with $(stat_value untracked_objects) untracked objects"
expect_at_least "untracked objects" "$(stat_value untracked_objects)" 1000
expect_log "a line that says why" '^allocsite: .*(loss|limit)'
expect_equal "log lines that say why" "$(new_log | grep -Ec '^allocsite: .*(loss|limit)')" 1
grep -q '^# loss untracked' $asite/sites || fail "the head of sites does not name the loss"
