#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: with probe=ftrace the site of what an allocator wrapper gives is the function that called it
# suite: main exact
# requires: root debugfs module:allocsite module:asite_wrap
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/attribution.sh"

load_module asite_wrap
attribution ftrace
