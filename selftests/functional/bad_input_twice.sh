#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: loading it twice fails with EEXIST and leaves the first at work
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
if insmod "$(module_file allocsite)" 2>"$tmp/error"; then
	fail "a second load: accepted"
fi
grep -q 'File exists' "$tmp/error" || fail "a second load: $(cat "$tmp/error")"
load_control alloc
check_sites "live"
load_control free
check_sites "freed" 20
