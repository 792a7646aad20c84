#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: with stacks counts stay exact, stacks add up to sites, each walk is the kernel's, and off is off
# suite: main exact
# requires: root debugfs module:allocsite module:asite_load
# timeout: 240
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/exact.sh"
. "$dir/lib/stacks.sh"

# Objects of asite_load that are live came through a system call, a thread of the kernel, or an
# interrupt, whose stack is cut where it came or where it went to a stack of its own: in its entry
# (asm_), in its handler (sysvec_, common_interrupt) or below, where softirqs begin.
check_roots()
{
	grep -F '[asite_load]' "$tmp/stacks" | awk '$2 > 0' >"$tmp/live"
	expect_at_least "live stacks of asite_load" "$(wc -l <"$tmp/live")" 100
	sed 's/.* < //; s/+0x.*//' "$tmp/live" | sort | uniq -c | sort -rn >"$tmp/roots"
	cat "$tmp/roots"
	_ends='entry_SYSCALL_64_after_hwframe|ret_from_fork(_asm)?'
	_ends="$_ends|(asm|sysvec)_[a-z_]*|common_interrupt|[a-z_]*irq[a-z_]*"
	grep -Ev " ($_ends)\$" "$tmp/roots" && fail "a stack ends early"
	expect_at_least "stacks from a system call" \
		"$(awk '$2 ~ /^entry_SYSCALL/ { print $1 }' "$tmp/roots")" 50
}

# The same bytes root first, of what is no backing.
check_folded()
{
	cat $asite/folded >"$tmp/folded" || fail "cannot read folded"
	if grep -Evq '^([^ ;]+;)*[^ ;]+ [0-9]+$' "$tmp/folded"; then
		fail "folded: $(grep -Evm 1 '^([^ ;]+;)*[^ ;]+ [0-9]+$' "$tmp/folded")"
	fi
	grep -Eq '^(entry_SYSCALL_64_after_hwframe|ret_from_fork_asm|ret_from_fork);.*;load_[a-z_0-9]+ [0-9]+$' \
		"$tmp/folded" || fail "folded: no stack of asite_load from its root to its call site"
	expect_equal "folded bytes of load_kmalloc_64" \
		"$(sed -n 's/.*;load_kmalloc_64 //p' "$tmp/folded" | awk '{ n += $1 } END { print n + 0 }')" \
		"$(awk '$8 ~ /^load_kmalloc_64\+/ { n += $1 } END { print n + 0 }' "$tmp/sites")"
}

noise_start
# What backends hand over to a walk differs: ASITE_BACKENDS=tracepoint,ftrace,kprobe for the others.
for backend in $(echo "${ASITE_BACKENDS:-auto}" | tr , " "); do
	load_module asite_load
	load_asite "probe=$backend" stacks=64 stack_check=1
	load_control mark
	load_control alloc
	exact_or_bounded "$backend: live" 0
	check_sums "$backend: live"
	check_roots
	check_folded
	# From now on without.
	control "stacks off"
	walks=$(stat_of stacks_checked)
	load_control free
	exact_or_bounded "$backend: freed" 20
	load_control alloc
	exact_or_bounded "$backend: live again, stacks off" 0
	[ "$backend" = kprobe ] || check_sums "$backend: live again, stacks off"
	expect_equal "$backend: walks while off" "$(stat_of stacks_checked)" "$walks"
	grep -q 'load_kmalloc_64+.* < \[no stack\]$' $asite/stacks ||
		fail "$backend: an object without a stack is not shown so"
	load_control free
	check_walks 1000
	grep -E '^(stacks|frames|depot)_' $asite/stats | tr '\n' ' '
	echo
	unload_module allocsite
	unload_module asite_load
done
