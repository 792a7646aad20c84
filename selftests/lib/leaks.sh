# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# A planted leak by its growth between two snapshots. Sourced after common.sh.

# Caches that the kernel would give back at once are no growth.
settled_snapshot()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 2
	snapshot "$1"
}

# grown [-v sort_by=objects]: what a user would type; the rows are in $tmp/growth.
grown()
{
	awk "$@" -f "$lib_dir/growth.awk" "$tmp/first" "$tmp/second" >"$tmp/growth"
	head -n 4 "$tmp/growth"
}

# expect_first "BYTES OBJECTS KIND FUNCTION"
expect_first()
{
	expect_equal "first by growth: bytes, objects, kind, function" \
		"$(awk '!/^#/ { sub(/\+0x.*/, "", $6); print $1, $2, $3, $6; exit }' "$tmp/growth")" "$1"
}
