#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a network driver that leaks page fragments on receive ranks first by growth, with exact blocks
# requires: root debugfs module:allocsite module:leak_frag program:nc
# timeout: 90
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/leaks.sh"

leak=/sys/module/leak_frag/parameters
load_module leak_frag
load_asite
# Before the device is up: its first packet takes a block.
settled_snapshot "$tmp/first"
ip link set asiteleak0 up
ip addr add 10.77.0.1/24 dev asiteleak0
head -c "${ASITE_LEAK_BYTES:-16000000}" /dev/zero | nc -u -w 1 10.77.0.2 9
ip link set asiteleak0 down
settled_snapshot "$tmp/second"
grown
lost=$(cat $leak/lost_blocks)
echo "lost: $(cat $leak/lost_buffers) buffers of 2 KiB in $lost blocks"
expect_at_least "blocks lost" "$lost" 100
# A block of order 3 stays as long as one of its fragments is not given back.
expect_first "$((lost * 32768)) $lost page leak_frag_rx_buffer"
unload_module leak_frag
snapshot "$tmp/third"
expect_equal "live blocks when freed" "$(site_sum leak_frag_rx_buffer 2 "$tmp/third")" 0
