#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: wrap without a symbol, with one that is not there, not in the set or not unique, changes nothing
# requires: root debugfs module:allocsite
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# refused COMMAND ERROR LOG: with this errno's text, and a log line that matches.
refused()
{
	echo "$1" >"$tmp/word"
	if dd if="$tmp/word" of=$asite/control bs=1M conv=notrunc 2>"$tmp/error"; then
		fail "'$1': accepted"
	fi
	grep -Eq "$2" "$tmp/error" || fail "'$1': $(sed 's/.*: //' "$tmp/error"), expected $2"
	expect_log "'$1'" "^allocsite: .*$3"
	cat $asite/control >"$tmp/after"
	diff "$tmp/control" "$tmp/after" || fail "'$1': control shows a change"
}

# A name of more than one function.
twice=$(awk '$2 == "t" && $3 ~ /^[a-z_]*$/ && $3 !~ /^__pfx/ && NF == 3 { n[$3]++ } END { for (i in n) if (n[i] > 2) { print i; exit } }' /proc/kallsyms)
[ -n "$twice" ] || fail "no name with several addresses in kallsyms"
load_asite
cat $asite/control >"$tmp/control"
grep -q "^wrap alloc_pages_exact " "$tmp/control" || fail "control does not list the wrappers: $(head -n 5 "$tmp/control")"
refused "wrap" "Invalid argument" wrap
refused "wrap +" "Invalid argument" wrap
refused "wrap -" "Invalid argument" wrap
refused "wrap __alloc_skb" "Invalid argument" wrap
refused "wrap +two words" "Invalid argument" wrap
refused "wrap +alloc_pages_exact" "File exists" alloc_pages_exact
refused "wrap +no_such_symbol" "No such file or directory" no_such_symbol
refused "wrap -__alloc_skb" "No such file or directory" __alloc_skb
refused "wrap +$twice" "Name not unique on network" "$twice"
refused "wrap +$(head -c 300 /dev/zero | tr '\0' a)" "Invalid argument|No such file or directory|too long" wrap
# The set stays at work, and one more is taken as ever.
control "wrap +__alloc_skb"
control "wrap -__alloc_skb"
cat $asite/control >"$tmp/after"
diff "$tmp/control" "$tmp/after" || fail "+ and - leave a change"
