#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a kernel without a tracepoint, ftrace or direct calls is served by what is left, and what is not seen is said
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"
. "$dir/lib/noise.sh"
. "$dir/lib/exact.sh"

# backend_of EVENT: "STATE BACKEND" of its attached rows, or of all if none is.
backend_of()
{
	awk -F '\t' -v event="$1" '
		!/^#/ && $1 == event { word = $4 " " $2; all[word]; if ($4 == "attached") some[word] }
		END { n = 0; for (word in some) { print word; n++ }
			if (!n) for (word in all) print word }' $asite/hooks
}

# expect_backend EVENT "STATE BACKEND"
expect_backend()
{
	expect_equal "$avoid: $1" "$(backend_of "$1")" "$2"
}

# with AVOID [PARAMETER]: loaded with avoid=AVOID, the load module beside it.
with()
{
	avoid=$1
	load_module asite_load
	load_asite "avoid=$avoid" ${2:+"$2"}
	load_control mark
}

without()
{
	unload_module allocsite
	unload_module asite_load
}

exact()
{
	load_control alloc
	exact_or_bounded "$avoid: live" 0
	load_control free
	exact_or_bounded "$avoid: freed" 20
}

# Functions in place of tracepoints.
with tracepoint
expect_backend kmalloc "attached direct"
expect_backend kfree "attached ftrace"
exact
without

# One tracepoint only.
with kmem:kfree
expect_backend kmalloc "attached tracepoint"
expect_backend kfree "attached ftrace"
exact
without

# Kprobes in place of ftrace.
with ftrace,direct
expect_backend kmem_cache_free_bulk "attached kprobe"
expect_backend kmem_cache_alloc_bulk "attached kretprobe"
exact
without

# Nothing that sees a result: vmalloc is not seen, nor pages in bulk, and it says so.
with direct,kretprobe
grep -q '^# not_seen __vmalloc_.*: what __vmalloc_.*() allocates is not seen' $asite/sites ||
	fail "$avoid: sites does not say that vmalloc is not seen"
expect_backend mm_page_alloc "attached tracepoint"
without

# Objects allocated in bulk are not seen, all others are.
with direct,kretprobe kinds=slab
expect_backend kmem_cache_alloc_bulk "absent -"
load_control alloc
snapshot "$tmp/sites"
grep -q '^# not_seen kmem_cache_alloc_bulk.*: objects from kmem_cache_alloc_bulk.*() are not seen' \
	"$tmp/sites" || fail "$avoid: sites does not say that bulk is not seen"
expect_log "$avoid" 'allocsite: kmem_cache_alloc_bulk: cannot hook .*: objects from .* are not seen'
sites_match && fail "$avoid: nothing is missing, so this test tests nothing"
grep -v '_bulk\|_nolock' "$tmp/differences" && fail "$avoid: more is missing than was said"
load_control free
without

# Nothing that sees bulk frees: said where the numbers are read.
with ftrace,kprobe
grep -q '^# not_seen kmem_cache_free_bulk: objects freed in bulk or by kfree_rcu() stay live' \
	$asite/sites || fail "$avoid: sites does not say that bulk frees are not seen"
without

# What is isolated is not seen: unknown frees are all that were seen, no more and no less.
with __isolate_free_page kinds=page
grep -q '^# not_seen __isolate_free_page: unknown freed pages and the residual have isolated ones in them' \
	$asite/sites || fail "$avoid: sites does not say what the residual has in it"
load_control alloc
least=$(stat_value unknown_freed_pages)
snapshot "$tmp/sites"
most=$(stat_value unknown_freed_pages)
unknown=$(sed -n 's/^# residual_bytes .* unknown_free_bytes //p' "$tmp/sites")
expect_at_least "$avoid: unknown_free_bytes" "$unknown" $((least * 4096))
expect_at_least "$avoid: unknown_freed_pages, in bytes" $((most * 4096)) "$unknown"
load_control free
without

# What cannot be done without: refused, with what is missing.
if insmod "$(module_file allocsite)" avoid=kmem:kfree,ftrace,kprobe 2>/dev/null; then
	fail "no kfree at all: accepted"
fi
expect_log "no kfree" 'allocsite: kfree: cannot hook kfree .*objects given to kfree\(\) would stay live'

# What is no backend and no hook.
if insmod "$(module_file allocsite)" avoid=tracepoint,banana 2>/dev/null; then
	fail "avoid=banana: accepted"
fi
expect_log "avoid=banana" 'allocsite: avoid=.*"banana" is no backend'
