#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a vmalloc area leaked by each operation ranks first by growth, with exact areas and bytes
# requires: root debugfs module:allocsite module:leak_vmalloc
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/leaks.sh"

leak=/sys/module/leak_vmalloc/parameters
load_module leak_vmalloc
load_asite
settled_snapshot "$tmp/first"
echo 1009 >$leak/run || fail "leak_vmalloc: run refused"
settled_snapshot "$tmp/second"
grown
lost=$(cat $leak/lost_areas)
expect_equal "areas lost" "$lost" 1009
# Three pages and 100 bytes take four pages.
expect_first "$((lost * 16384)) $lost vmalloc leak_vmalloc_load_rules"
unload_module leak_vmalloc
snapshot "$tmp/third"
expect_equal "live areas when freed" "$(site_sum leak_vmalloc_load_rules 2 "$tmp/third")" 0
