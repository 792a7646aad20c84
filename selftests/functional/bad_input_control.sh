#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: unknown words, over-long and empty writes to control fail and change nothing
# requires: root debugfs module:allocsite
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

check_state()
{
	expect_equal "state after $1" "$(sed -n 's/^state //p' $asite/control)" on
}

# refused WHAT FILE: the bytes of FILE in one write.
refused()
{
	if dd if="$2" of=$asite/control bs=1M conv=notrunc 2>"$tmp/error"; then
		fail "$1: accepted"
	fi
	echo "$1: $(sed -n 's/.*control.: //p' "$tmp/error")"
	check_state "$1"
}

load_asite
check_state "load"
echo frobnicate >"$tmp/word"
refused "an unknown word" "$tmp/word"
grep -q 'Invalid argument' "$tmp/error" || fail "an unknown word: not EINVAL"
expect_log "known words are named" '^allocsite: .*on.*off.*reset'
echo "off now" >"$tmp/word"
refused "a word too many" "$tmp/word"
printf 'offoff' >"$tmp/word"
refused "a known word twice" "$tmp/word"
printf 'OFF' >"$tmp/word"
refused "capitals" "$tmp/word"
printf 'o\000ff' >"$tmp/word"
refused "a zero byte" "$tmp/word"
head -c 300 /dev/zero | tr '\0' 'a' >"$tmp/word"
refused "300 bytes" "$tmp/word"
head -c 200000 /dev/zero | tr '\0' ' ' >"$tmp/word"
refused "200,000 blanks" "$tmp/word"
{ printf off; head -c 5000 /dev/zero | tr '\0' ' '; } >"$tmp/word"
refused "off and 5,000 blanks" "$tmp/word"
for word in context "context x" "context load_nothing on" "context load_nothing off" \
	"context kfree on 0" "context kfree on 65537" "context kfree on -1" "context kfree on 5 5" \
	"context kfree off 5" "context +0x1 on" "context kfree+12 on" "context kfree+0xzz on" \
	"context kfree [x on" "context [x] on"; do
	echo "$word" >"$tmp/word"
	refused "$word" "$tmp/word"
done
expect_log "why a context is refused" "^allocsite: context: 'load_nothing on' was not seen: take a name from sites"
expect_equal "contexts" "$(grep -c '^context ' $asite/control)" 0
control off
expect_equal "state after off" "$(sed -n 's/^state //p' $asite/control)" off
control off
printf on >$asite/control || fail "on without a newline: refused"
control on
check_state "on twice"
head -n 1 $asite/control | grep -qx 'allocsite control - version: 1' || fail "control: first line"
grep -q '^#.*reset' $asite/control || fail "control does not show its grammar"
