# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# What asite_wrap holds against the rows of its functions. Sourced after common.sh.

wrap=$debugfs/asite_wrap

wrap_control()
{
	echo "$1" >$wrap/control || fail "asite_wrap: '$1' refused: $(dmesg | tail -n 1)"
}

wrap_match()
{
	cat $wrap/expect >"$tmp/expect"
	snapshot "$tmp/sites"
	awk -f "$lib_dir/attribution.awk" "$tmp/before" "$tmp/sites" "$tmp/expect" >"$tmp/differences"
}

# check_wrap WHEN [SECONDS]
check_wrap()
{
	loop_until "${2:-0}" wrap_match && return 0
	grep -v '^grew' "$tmp/differences" | sort
	grep '^grew' "$tmp/differences" | sort -t : -k 3 -rn | head -n 40
	sed -n -e 's/^# loss/loss:/p' -e 's/^# not_seen/not seen:/p' "$tmp/sites"
	fail "$1: $(grep -vc '^grew' "$tmp/differences") differences between expect and sites"
}

# wrap_by_hand: what allocates for others and is no allocator by its name; a user would add it.
wrap_by_hand()
{
	cat $asite/control >"$tmp/control"
	for _name in sg_alloc_table __sg_alloc_table sg_kmalloc __kfifo_alloc __kfifo_alloc_node; do
		! grep -q "^wrap $_name " "$tmp/control" || continue
		grep -qw "$_name" /proc/kallsyms || continue
		control "wrap +$_name"
	done
}

# missed_of FILE: the events that a snapshot says were missed.
missed_of()
{
	awk '$2 == "loss" && $3 == "missed_events" { n = $4 } END { print n + 0 }' "$1"
}

# attribution BACKEND: each wrapper's memory has the function that called it as its site. The
# module was loaded before. Kprobes may miss events where there are interrupts: another try then.
attribution()
{
	for _try in 1 2 3 4 5; do
		load_asite "probe=$1"
		wrap_by_hand
		snapshot "$tmp/before"
		wrap_control alloc
		wrap_match
		_missed=$(($(missed_of "$tmp/sites") - $(missed_of "$tmp/before")))
		[ "$_missed" -eq 0 ] || [ "$_try" -eq 5 ] || {
			echo "$1: $_missed events missed, once more"
			wrap_control free
			unload_module allocsite
			continue
		}
		check_wrap "$1${2:+, $2}: live"
		break
	done
	echo "$1${2:+, $2}: $(awk '!/^#/ && NF == 7 { f[$1] } END { for (i in f) n++; print n }' \
		"$tmp/expect") functions, $(awk '!/^#/ && NF == 7' "$tmp/expect" | wc -l) rows"
	wrap_control free
	check_wrap "$1${2:+, $2}: freed" 20
	unload_module allocsite
}

# trace_events 1|0: the kernel's own probes on the events that allocsite uses.
trace_events()
{
	for _event in kmem/kmalloc kmem/kmalloc_node kmem/kmem_cache_alloc kmem/kmem_cache_alloc_node \
		kmem/mm_page_alloc percpu/percpu_alloc_percpu; do
		[ ! -e "/sys/kernel/tracing/events/$_event" ] ||
			echo "$1" >"/sys/kernel/tracing/events/$_event/enable"
	done
}
