#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: objects left in a destroyed cache stay live on their site (the kernel itself warns)
# requires: root debugfs module:allocsite module:asite_load
# suite: splat
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

allow_log 'WARNING: |Call Trace:|RIP:|Slab cache still has objects|BUG asite_load_leak'

load_module asite_load
load_asite
load_control destroy_leak
objects=$(load_value destroy_leak_objects)
load_control alloc
load_control free
snapshot "$tmp/sites"
expect_equal "live objects left" "$(site_sum load_destroy_leak_alloc 2 "$tmp/sites")" "$objects"
grep -q ' asite_load_leak(destroyed) .*load_destroy_leak_alloc' "$tmp/sites" || fail "the cache's name is lost"
expect_log "the kernel's own warning" 'Slab cache still has objects'
