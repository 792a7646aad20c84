#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: blocks of pages that are split, trimmed, held and freed in parts: bytes and objects after each step
# requires: root debugfs module:allocsite module:asite_load
# timeout: 180
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# one_case N: all steps of a case; nothing is left after the last.
one_case()
{
	while :; do
		load_control "part $1"
		_step=$(load_value part_step)
		check_sites "$(sed -n 's/^part_case //p' $load/control), step $_step"
		steps=$((steps + 1))
		[ "$_step" -ne 0 ] || return 0
	done
}

load_module asite_load
load_asite
load_control mark
steps=0
for number in $(seq 0 $(($(load_value part_cases) - 1))); do
	one_case "$number"
done
echo "$steps steps"
expect_at_least "steps" "$steps" 60
