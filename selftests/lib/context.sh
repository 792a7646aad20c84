# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154,SC2034 # variables of common.sh and for the tests
# What tests of context capture share. Sourced after common.sh.
# Columns of a record: bytes time_ns pid tgid comm cpu where cgroup stack.

# records FUNCTION: the records of live objects that it allocated, newest first; the head to $tmp/context.
records()
{
	cat $asite/context >"$tmp/context" || fail "cannot read context"
	awk -v name="$1" '$1 ~ /^[0-9]+$/ { f = $9; sub(/\+0x.*/, "", f) }
		$1 ~ /^[0-9]+$/ && f == name' "$tmp/context"
}

# expect_records WHAT FUNCTION NUMBER
expect_records()
{
	records "$2" >"$tmp/records"
	expect_equal "$1: records of $2" "$(wc -l <"$tmp/records")" "$3"
}

# count_of NAME FUNCTION: a word of the head's line of a context (recorded, overwritten, lost, dropped).
count_of()
{
	sed -n "s/^# context $2\(+0x[^ ]*\)\{0,1\}\( \[[^ ]*\]\)\{0,1\}\( (gone)\)\{0,1\}: .*$1 \([0-9]*\).*/\4/p" \
		$asite/context
}

# hold_by COMM COMMAND...: asite_load's commands, by a task of that name; its number to $tmp/pid.COMM.
hold_by()
{
	_comm=$1
	shift
	sh -c 'printf %s "$1" >/proc/$$/comm; echo $$ >"$2"; shift 2
		for word; do echo "$word" >'"$load"'/control || exit 1; done' \
		sh "$_comm" "$tmp/pid" "$@" || fail "asite_load: $* refused"
	pid=$(cat "$tmp/pid")
}
