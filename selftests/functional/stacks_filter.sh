#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: stacks and folded show the rows that filter asks for, all of them, and sites does not change
# suite: main
# requires: root debugfs module:allocsite module:asite_load
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# rows AWK: of a snapshot without a filter, sorted: what a filter should leave.
rows()
{
	awk '$1 ~ /^[0-9]+$/ && ('"$1"')' "$tmp/all" | sort
}

# check WORDS AWK: the filter leaves the rows that the expression does, some but not all.
check()
{
	control "filter $1"
	cat $asite/stacks >"$tmp/stacks" || fail "cannot read stacks"
	grep -qx "# filter $1" "$tmp/stacks" || fail "$1: stacks does not say that it is filtered"
	grep -qx "filter $1" $asite/control || fail "$1: control does not show it"
	rows "$2" >"$tmp/expected"
	grep -v '^#' "$tmp/stacks" | sed 1d | sort >"$tmp/shown"
	expect_at_least "$1: rows" "$(wc -l <"$tmp/expected")" 1
	[ "$(wc -l <"$tmp/expected")" -lt "$(wc -l <"$tmp/all_rows")" ] || fail "$1: leaves all rows"
	cmp -s "$tmp/expected" "$tmp/shown" ||
		fail "$1: $(diff "$tmp/expected" "$tmp/shown" | head -n 4)"
}

# refused WORDS
refused()
{
	echo "filter $1" >"$tmp/word"
	if dd if="$tmp/word" of=$asite/control bs=1M conv=notrunc 2>"$tmp/error"; then
		fail "filter $1: accepted"
	fi
	grep -Eq 'Invalid argument|Argument list too long' "$tmp/error" ||
		fail "filter $1: $(cat "$tmp/error")"
	grep -qx "filter kind=page" $asite/control || fail "filter $1: refused, but the filter changed"
}

load_module asite_load
load_asite stacks=16
load_control mark
load_control alloc
# Nothing is counted any more: reports stay as they are.
control off
cat $asite/stacks >"$tmp/all" || fail "cannot read stacks"
grep -q '^# filter' "$tmp/all" && fail "filtered from the start"
rows 1 >"$tmp/all_rows"
cat $asite/sites >"$tmp/sites" || fail "cannot read sites"

check kind=page '$5 == "page"'
check module=asite_load '$9 == "[asite_load]"'
check module=vmlinux '$8 !~ /^[[]/ && $9 !~ /^[[]/'
check size=64 '$6 == 64'
check size=64-192 '$6 >= 64 && $6 <= 192'
check site=load_kmalloc_64 '$8 ~ /^load_kmalloc_64[+]/'
one=$(awk '$8 ~ /^load_kmalloc_64[+]/ { print $8; exit }' "$tmp/all")
check "site=${one%/*}" '$8 == "'"$one"'"'
check "kind=kmalloc  size=64 module=asite_load" \
	'$5 == "kmalloc" && $6 == 64 && $9 == "[asite_load]"'
check site=load_kmalloc_64 '$8 ~ /^load_kmalloc_64[+]/'
expect_equal "bytes in folded" "$(awk '{ n += $NF } END { print n + 0 }' $asite/folded)" \
	"$(awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' "$tmp/stacks")"
cat $asite/sites >"$tmp/sites_filtered" || fail "cannot read sites"
cmp -s "$tmp/sites" "$tmp/sites_filtered" || fail "sites changed"
control "filter site=no_such_function"
expect_equal "rows of no site" "$(grep -vc '^#' $asite/stacks)" 1

control "filter kind=page"
for words in kind=pages kind= size=a size=2-1 size=1- module= site= colour=red page \
	"kind=page off" "site=$(head -c 300 /dev/zero | tr '\0' a)"; do
	refused "$words"
done
expect_log "conditions are named" '^allocsite: filter: .*site=.*module=.*kind=.*size='
control "filter off"
grep -v '^#' $asite/stacks | sed 1d | sort >"$tmp/shown"
cmp -s "$tmp/all_rows" "$tmp/shown" || fail "filter off: not all rows"
