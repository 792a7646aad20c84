#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: 200 loads and unloads under hackbench with probe=auto: no splat, memory returned
# requires: root debugfs module:allocsite program:hackbench
# timeout: 900
# suite: cycles
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/cycles.sh"

cycle_load auto
