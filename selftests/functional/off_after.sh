#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: off_after=3 turns it off by itself, with one log line
# requires: root debugfs module:allocsite
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

is_off()
{
	grep -q '^state off' $asite/control
}

load_asite off_after=3
! is_off || fail "off at once"
loop_until 20 is_off || fail "still on"
grep -q '^# state off' $asite/sites || fail "sites does not say so"
expect_log "a line that says why" '^allocsite: .*off_after'
expect_equal "log lines that say why" "$(new_log | grep -c '^allocsite: .*off_after')" 1
control on
! is_off || fail "on again: off at once"
# 0: never.
unload_module allocsite
load_asite off_after=0
sleep 4
! is_off || fail "off_after=0 turned it off"
