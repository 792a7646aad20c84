#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/.. source-path=SCRIPTDIR
# description: one sentence: which behaviour must hold
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# Start from nothing loaded; the EXIT trap unloads everything and reads the log.
load_module asite_load
load_asite
load_control alloc
check_sites "live"
load_control free
check_sites "freed" 20
