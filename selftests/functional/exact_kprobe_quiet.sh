#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: probe=kprobe counts every API exactly in a quiet run: each row in one of a few, all where no event was missed
# suite: quiet
# requires: root debugfs module:allocsite module:asite_load
# timeout: 300
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/exact.sh"

# rows_of: the rows that the differences on stdin are of, each once.
rows_of()
{
	sed -E 's/ (live|total|requested) (objects|bytes): got .*//' | sort -u
}

# still_wrong WHEN: what was wrong in each run so far, this one included, stays in $tmp/wrong.WHEN.
still_wrong()
{
	rows_of <"$tmp/differences" >"$tmp/now"
	if [ -e "$tmp/wrong.$1" ]; then
		comm -12 "$tmp/wrong.$1" "$tmp/now" >"$tmp/both"
		mv "$tmp/both" "$tmp/wrong.$1"
	else
		mv "$tmp/now" "$tmp/wrong.$1"
	fi
}

# look WHEN SECONDS: a run without a miss is exact in every row, at once.
look()
{
	loop_until "$2" sites_match
	_exact=$?
	misses=$(hook_misses)
	still_wrong "$1"
	echo "$1: missed $misses, rows wrong $(rows_of <"$tmp/differences" | wc -l), in every run so far $(wc -l <"$tmp/wrong.$1")"
	[ "$misses" -eq 0 ] || return 0
	[ "$_exact" -eq 0 ] || head -n 20 "$tmp/differences"
	expect_equal "no event missed: differences while $1" "$_exact" 0
}

quiet_run()
{
	load_module asite_load
	load_asite probe=kprobe "kinds=$1"
	load_control mark
	load_control alloc
	look live 0
	load_control free
	# kfree_rcu drains up to 5 s later.
	look freed "$((misses ? 8 : 20))"
	unload_module allocsite
	unload_module asite_load
}

# The kernel drops a hit that comes, from an interrupt, while a kprobe runs on that CPU, and a tick
# falls into most runs. Where it falls is chance: what is exact but for that is exact, row by row, in
# one of a few runs; a hook that does not see its events is wrong in each. Fewer rows are hit where not
# every allocator is hooked at once. Rows of what is not followed are not compared.
for kinds in slab page,vmalloc,percpu; do
	rm -f "$tmp/wrong.live" "$tmp/wrong.freed"
	for _attempt in $(seq 12); do
		quiet_run "$kinds"
		[ -s "$tmp/wrong.live" ] || [ -s "$tmp/wrong.freed" ] || break
	done
	cat "$tmp/wrong.live" "$tmp/wrong.freed"
	expect_equal "$kinds: rows wrong in every run while live" "$(wc -l <"$tmp/wrong.live")" 0
	expect_equal "$kinds: rows wrong in every run when freed" "$(wc -l <"$tmp/wrong.freed")" 0
done
