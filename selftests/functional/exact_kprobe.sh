#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: probe=kprobe counts every API exactly while live and zero after free, under fork and network load
# suite: main exact
# requires: root debugfs module:allocsite module:asite_load
# timeout: 300
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/exact.sh"

exact_backend kprobe
