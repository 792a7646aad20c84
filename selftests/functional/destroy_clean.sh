#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a destroyed cache keeps its name and totals; one of two merged caches may go, its objects stay
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

load_module asite_load
load_asite
load_control destroy_clean
snapshot "$tmp/sites"
expect_equal "total of the cache" "$(site_sum load_destroy_clean_alloc 3 "$tmp/sites")" \
	"$(load_value destroy_clean_objects)"
expect_equal "live of the cache" "$(site_sum load_destroy_clean_alloc 2 "$tmp/sites")" 0
grep -q ' asite_load_clean(destroyed) .*load_destroy_clean_alloc' "$tmp/sites" || fail "the cache's name is lost"

# A second cache of that name and size at the same address is one more use of the same row or one more row.
load_control destroy_clean
snapshot "$tmp/sites"
expect_equal "total after the second" "$(site_sum load_destroy_clean_alloc 3 "$tmp/sites")" \
	$(($(load_value destroy_clean_objects) * 2))

control reset
load_control mark
load_control alloc
load_control destroy_merged
check_sites "one of two merged caches destroyed"
load_control free
check_sites "freed" 20
