#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: rmmod with probe=ftrace while tasks sleep inside a hooked function waits or is done, and is safe
# requires: root debugfs module:allocsite module:asite_load
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/sleepers.sh"

sleep_case ftrace
