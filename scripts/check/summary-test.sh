#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The rules of summary.awk, one log each.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

echo 'log:known* | a reason' >"$results/allowed"

# counts NAME EXPECTED STATUS LINES: the sum of a log with LINES from a step that ended with STATUS.
counts()
{
	printf '%b' "$4" >"$results/log.log"
	echo "$3" >"$results/log.status"
	got=$(ASITE_ALLOWED_SKIPS="$results/allowed" scripts/check/summary.sh "$results/log.log" | tr -d a-z)
	if [ "$got" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "expected '$2', got '$got'"
	fi
}

counts "plain results" "2 , 1 , 0 " 1 '1..3\nok 1 - a\nnot ok 2 - b\nok 3 c\n'
counts "nested results are counted once" "2 , 0 , 0 " 0 \
	'KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 - a\n  ok 2 - b\nok 1 - all\n'
counts "nested behind # signs" "1 , 1 , 0 " 1 'TAP version 13\n1..1\n# 1..2\n# ok 1 a\n# not ok 2 b\nnot ok 1 selftests: x\n'
counts "a crash after the nested results" "1 , 1 , 0 " 1 '1..1\n  1..1\n  ok 1 - a\nnot ok 1 - crashed\n'
counts "two nested lists in turn" "3 , 0 , 0 " 0 '1..2\n  1..2\n  ok 1 a\n  ok 2 b\nok 1 A\n  1..1\n  ok 1 c\nok 2 B\n'
counts "planned results that never came" "1 , 2 , 0 " 1 '1..3\nok 1 - a\n'
counts "planned nested results that never came" "1 , 1 , 0 " 0 '1..1\n  1..2\n  ok 1 - a\nok 1 - A\n'
counts "no results" "0 , 1 , 0 " 0 'hello\n'
counts "a status without a failed result" "1 , 1 , 0 " 3 '1..1\nok 1 - a\n'
counts "bail out" "1 , 1 , 0 " 0 'ok 1 - a\nBail out! no memory\n'
counts "a skip on the list" "1 , 0 , 1 " 0 'ok 1 - a\nok 2 - known one # SKIP no such option\n'
counts "a skip not on the list" "1 , 1 , 0 " 0 'ok 1 - a\nok 2 - other # SKIP no such option\n'
counts "a skip without a reason" "1 , 1 , 0 " 0 'ok 1 - a\nok 2 - known one # SKIP\n'
counts "carriage returns of a console" "1 , 0 , 0 " 0 '1..1\r\nok 1 - a\r\n'
finish
