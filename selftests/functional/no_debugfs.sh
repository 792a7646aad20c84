#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: without debugfs it is refused with one line that says so
# requires: root module:allocsite boot:debugfs=off
# suite: nodebugfs
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

if insmod "$(module_file allocsite)" 2>"$tmp/error"; then
	fail "loaded on a kernel without debugfs: nothing could be read"
fi
cat "$tmp/error"
expect_log "the reason" '^allocsite: .*debugfs'
# The kernel's own words about an unsigned module have the same prefix.
expect_equal "log lines" \
	"$(new_log | grep '^allocsite: ' | grep -Evc 'taints kernel|verification failed')" 1
! is_loaded allocsite || fail "still loaded"
