#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: compaction moves pages of a process, of tmpfs and of a file: sites, records and the residual stay
# requires: root debugfs module:allocsite module:asite_load program:python3
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/residual.sh"

pages=8192
shm_file=/dev/shm/asite_fragment
disk_file=/var/tmp/asite_fragment
holder=

# The holder ends when the pipe that it reads does.
release()
{
	exec 3>&-
	[ -z "$holder" ] || wait "$holder"
	holder=
	rm -f $shm_file $disk_file $shm_file.probe
}

at_exit="$at_exit; release"

hold()
{
	mkfifo "$tmp/pipe"
	python3 "$lib_dir/fragment.py" "$pages" $shm_file $disk_file <"$tmp/pipe" >"$tmp/holder" 2>&1 &
	holder=$!
	exec 3>"$tmp/pipe"
	loop_until 120 grep -qx ready "$tmp/holder" || fail "fragment.py: $(cat "$tmp/holder")"
}

vmstat()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

# page_sites FILE: live bytes of the kernel's own sites of pages, by function.
page_sites()
{
	awk '$1 ~ /^[0-9]+$/ && $5 == "page" && $9 !~ /^\[asite/ { f = $8; sub(/\+0x.*/, "", f); sum[f] += $1 }
		END { for (f in sum) print f, sum[f] }' "$1" | sort
}

# grown OLD NEW: functions with at least a quarter of the held pages more than before, and how much.
grown()
{
	join -a 2 -o 0,1.2,2.2 -e 0 "$1" "$2" |
		awk -v pages="$pages" '$3 - $2 >= pages * 4096 / 4 { print $1, $3 - $2 }'
}

# Anonymous memory of all processes, as the kernel says.
anonymous_bytes()
{
	cat /proc/[0-9]*/status 2>/dev/null | awk '$1 == "RssAnon:" { n += $2 } END { print n * 1024 }'
}

# still WHEN FILE: what grew is there by as much as in $tmp/held, but for what an awk and a shell take;
# or for what processes took or gave back of their own accord.
still()
{
	join "$tmp/held" "$2" | awk -v slack=$((128 * 4096)) -v own=$(($(anonymous_bytes) - anonymous_held)) '
		function far(d) { return d > slack || d < -slack }
		far($3 - $2) && far($3 - $2 - own) { print $1 ": " $2 " before, " $3 " now"; bad = 1 }
		END { exit bad }' >"$tmp/moved" || fail "$1: $(cat "$tmp/moved")"
}

# The function that allocates pages of tmpfs, as a file of 600 of them shows.
find_tmpfs_site()
{
	snapshot "$tmp/before"
	dd if=/dev/zero of=$shm_file.probe bs=4096 count=600 2>/dev/null
	snapshot "$tmp/after"
	rm -f $shm_file.probe
	for _file in before after; do page_sites "$tmp/$_file" >"$tmp/probe.$_file"; done
	join -a 2 -o 0,1.2,2.2 -e 0 "$tmp/probe.before" "$tmp/probe.after" |
		awk '$3 - $2 >= 500 * 4096 && !found { print $1; found = 1 }'
}

# Not through a file, which may be one of tmpfs itself.
count_records()
{
	awk -v name="$tmpfs_site" '$1 ~ /^[0-9]+$/ { f = $9; sub(/\+0x.*/, "", f); n += f == name }
		END { print n + 0 }' $asite/context
}

# Pages that moved keep their records; what else the test does with tmpfs is little.
records_stay()
{
	_now=$(count_records)
	expect_at_least "$1: records of $tmpfs_site" $((_now + 128)) "$recorded"
	expect_at_least "$1: records that were there" $((recorded + 128)) "$_now"
}

residual_is_small()
{
	snapshot "$tmp/now"
	residual=$(head_number residual_bytes "$tmp/now")
	[ "${residual#-}" -le $((16 * 4096)) ]
}

# What compaction and contiguous ranges took for themselves and gave back was never in use. Its
# figures are not of one instant.
residual_stays()
{
	loop_until 10 residual_is_small || fail "$1: residual of $(mib "$residual"), expected within 16 pages"
	echo "$1: residual $residual, $(grep -E '^isolated' $asite/stats | tr '\n' ' ')"
}

load_module asite_load
load_asite
tmpfs_site=$(find_tmpfs_site)
[ -n "$tmpfs_site" ] || fail "no site of tmpfs pages"
control "context $tmpfs_site on 65536"
load_control mark
snapshot "$tmp/before"
page_sites "$tmp/before" >"$tmp/sites.before"
hold
# What was given back lies on lists of the CPUs: from 6.12 on, the rows of contiguous ranges drain them.
load_control alloc
check_sites "fragmented"
anonymous_held=$(anonymous_bytes)
page_sites "$tmp/sites" >"$tmp/sites.held"
grown "$tmp/sites.before" "$tmp/sites.held" >"$tmp/grown"
sed 's/^/held: /' "$tmp/grown"
expect_at_least "sites with held pages" "$(wc -l <"$tmp/grown")" 3
join -o 2.1,2.2 "$tmp/grown" "$tmp/sites.held" >"$tmp/held"
echo "$anonymous_held bytes anonymous"

recorded=$(count_records)
echo "$recorded records of $tmpfs_site"
expect_at_least "records of tmpfs pages" "$recorded" $((pages / 4))
migrated=$(vmstat pgmigrate_success)
for time in 1 2 3; do
	echo 1 >/proc/sys/vm/compact_memory
	check_sites "compacted, time $time"
	page_sites "$tmp/sites" >"$tmp/sites.compacted"
	still "compacted, time $time" "$tmp/sites.compacted"
	records_stay "compacted, time $time"
done
migrated=$(($(vmstat pgmigrate_success) - migrated))
echo "$migrated pages were moved"
expect_at_least "pages that compaction moved" "$migrated" 1000
residual_stays "compacted"

# Where they are now they are freed from their sites.
release
recorded=0
records_stay "released"
load_control free
check_sites "freed" 20
page_sites "$tmp/sites" >"$tmp/sites.freed"
grown "$tmp/sites.before" "$tmp/sites.freed" >"$tmp/left"
[ ! -s "$tmp/left" ] || fail "the holder is gone, but live: $(head -n 1 "$tmp/left")"
residual_stays "freed"
