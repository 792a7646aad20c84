#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/.. source-path=SCRIPTDIR
# The guest's part of demo.sh: workload, top 20, then the growth around a planted leak.
# requires: root debugfs module:allocsite module:asite_load
dir=$(dirname "$0")
. "$dir/common.sh"
. "$dir/workload.sh"

# Caches that the kernel would give back at once are no growth.
settled_snapshot()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 2
	snapshot "$1"
}

load_asite stacks=32
load_module asite_load
echo "Linux $(uname -r), $(nproc) CPU: allocsite is on; the workload runs: dpkg, gcc, tar, find, TCP, processes"
workload /var/tmp/asite-work 1
snapshot "$tmp/top"
[ ! -d /share ] || cat $asite/folded >/share/folded
echo
echo "Top 20 of the memory allocated since allocsite was loaded:"
awk -v top=20 -f "$lib_dir/table.awk" "$tmp/top"
sed -n 's/^# loss/loss:/p' "$tmp/top"

settled_snapshot "$tmp/first"
load_control leakstart
workload /var/tmp/asite-work 2
load_control leakstop
settled_snapshot "$tmp/second"
leaked=$(load_value leak_objects)
echo
echo "The same workload again, while a module leaks one 64-byte object per 1,000 operations" \
	"($(load_value leak_operations) operations). What grew between two snapshots:"
awk -f "$lib_dir/growth.awk" "$tmp/first" "$tmp/second" >"$tmp/growth"
awk -v top=10 -f "$lib_dir/table.awk" "$tmp/growth"
echo
first=$(awk '!/^#/ { sub(/\+.*/, "", $6); print $6, $2, $4; exit }' "$tmp/growth")
expect_equal "first by growth: function, objects, size" "$first" "load_leak_64 $leaked 64"
echo "The leak ranks first, with its exact count: $leaked objects."
