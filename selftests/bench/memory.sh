# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What accounting costs in memory, and its report in bytes and time. Sourced by guest.sh, which
# gives: module_file(), asite (contenders.sh), out, absent, die. A contender of its own for each tool:
# lines "memory TOOL ITEM VALUE" in the output.
# shellcheck disable=SC2154

hold=/sys/kernel/debug/asite_bench/hold
held=100000

item()
{
	printf 'memory %s %s %s\n' "$1" "$2" "$3" >>"$out"
}

# stat_of NAME: a value of allocsite's stats.
stat_of()
{
	awk -v name="$1" '$1 == name { print $2 }' "$asite/stats"
}

# own PARAMETERS...: own_memory_bytes when loaded with these.
own()
{
	insmod "$(module_file allocsite)" start=0 "$@" || die "insmod allocsite.ko $* failed"
	stat_of own_memory_bytes
	rmmod allocsite
}

# kib FIELD: of /proc/meminfo, once what is freed late is freed.
kib()
{
	sync
	sleep 1
	awk -v name="$1:" '$1 == name { print $2 }' /proc/meminfo
}

# report TOOL FILE: rows, bytes and time of one reading.
report()
{
	begin=$(date +%s%N)
	cat "$2" >/tmp/report
	end=$(date +%s%N)
	item "$1" report_rows "$(grep -vc '^#' /tmp/report)"
	item "$1" report_bytes "$(wc -c </tmp/report)"
	item "$1" report_ns $((end - begin))
	rm -f /tmp/report
}

# The machine, and the slab of held objects without any accounting.
contender_memory_base()
{
	item base cpus "$(nproc)"
	item base mem_total_kib "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
	before=$(kib Slab)
	echo "$held" >"$hold"
	item base held_objects "$held"
	item base slab_kib_of_held $(($(kib Slab) - before))
	echo 0 >"$hold"
	bytes=$(dmesg | sed -n 's/.*allocated \([0-9]*\) bytes of page_ext.*/\1/p' | tail -n 1)
	item base page_ext_bytes "${bytes:-0}"
}

contender_memory_asite()
{
	[ -n "$(module_file allocsite)" ] || { absent memory_asite "no allocsite.ko"; return 0; }
	item asite own_bytes_default "$(own)"
	one=$(own live_mb=4) two=$(own live_mb=8)
	item asite bytes_per_live_word_x100 $(((two - one) * 100 / (4 * 131072)))
	one=$(own max_sites=16384) two=$(own max_sites=32768)
	item asite bytes_per_max_site_x100 $(((two - one) * 100 / 16384))

	insmod "$(module_file allocsite)" live_mb=1 || die "insmod allocsite.ko live_mb=1 failed"
	before=$(kib Slab)
	echo "$held" >"$hold"
	item asite slab_kib_of_held $(($(kib Slab) - before))
	item asite untracked_of_held "$(stat_of untracked_objects)"
	item asite own_bytes_live_mb_1 "$(stat_of own_memory_bytes)"
	echo 0 >"$hold"
	rmmod allocsite

	insmod "$(module_file allocsite)" || die "insmod allocsite.ko failed"
	none=$(stat_of own_memory_bytes) some=$(stat_of sites_used)
	insmod "$(module_file asite_load)" || die "insmod asite_load.ko failed"
	echo many >/sys/kernel/debug/asite_load/control || die "asite_load: many failed"
	item asite sites_more $(($(stat_of sites_used) - some))
	item asite bytes_for_these_sites $(($(stat_of own_memory_bytes) - none))
	report asite "$asite/sites"
	echo manyfree >/sys/kernel/debug/asite_load/control
	rmmod asite_load
	rmmod allocsite
}

contender_memory_tagged()
{
	[ -e "$profiling" ] || { absent memory_tagged "no code tagging in this kernel"; return 0; }
	echo 1 >"$profiling" || { absent memory_tagged "$profiling does not take 1"; return 0; }
	before=$(kib Slab)
	echo "$held" >"$hold"
	item tagged slab_kib_of_held $(($(kib Slab) - before))
	echo 0 >"$hold"
	item tagged tags "$(grep -c func: /proc/allocinfo)"
	report tagged /proc/allocinfo
	echo 0 >"$profiling"
}

contender_memory_page_owner()
{
	stacks=/sys/kernel/debug/page_owner_stacks/show_stacks
	[ -e /sys/kernel/debug/page_owner ] || { absent memory_page_owner "no page_owner"; return 0; }
	[ -e "$stacks" ] || { absent memory_page_owner "no $stacks"; return 0; }
	sed -n 's/^\([a-z_ ]*\):* *\([0-9]*\)$/\1 \2/p' /sys/kernel/debug/stackdepot/stats 2>/dev/null |
		while read -r name value; do item page_owner "stackdepot_$name" "$value"; done
	report page_owner "$stacks"
}
