#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: sample_bytes=: known counts lie within 5 standard errors through every backend, and nothing is left after free
# suite: main exact
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/sampled.sh"

# Small objects are a matter of sums; large ones are nearly all in the sample, one by one: an object
# that is reported twice and counted twice shows there.
for probe in auto ftrace; do
	load_module asite_load
	load_asite probe=$probe sample_bytes=4096
	load_control mark
	for _round in $(seq "${ASITE_ROUNDS:-6}"); do
		load_control alloc
		check_sampled "$probe: live, round $_round"
		load_control free
		# kfree_rcu drains up to 5 s later.
		check_sampled "$probe: freed, round $_round" 20
	done
	unload_module allocsite
	unload_module asite_load
done
