#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs functional tests on this machine, one after the other, as root. Prints KTAP version 1.
# usage: run.sh [-s SUITE] [-l] [TEST...]
#   -s SUITE   the tests whose "# suite:" line names it (default: main)
#   -l         list names and descriptions only
#   TEST       names (without .sh) or files, instead of a suite
# Header lines of a test: "# description:", "# requires:", "# suite:" (main), "# timeout:" (45 s).
# ASITE_TIMEOUT_FACTOR multiplies the limits. Exit: 0 all passed, 1 a failure, 4 all skipped.
set -u
# shellcheck source-path=SCRIPTDIR
lib_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$lib_dir/ktap.sh"

suite=main
list=
while getopts s:lh option; do
	case $option in
	s) suite=$OPTARG ;;
	l) list=1 ;;
	*)
		sed -n '3,10s/^# //p' "$0"
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))

# header FILE WORD DEFAULT
header()
{
	_value=$(sed -n "s/^# $2: *//p" "$1" | head -n 1)
	printf '%s\n' "${_value:-$3}"
}

test_files()
{
	for name in "$@"; do
		[ -f "$name" ] || name=$lib_dir/../functional/$name.sh
		[ -f "$name" ] || { echo "no test $name" >&2; exit 2; }
		echo "$name"
	done
	[ $# -eq 0 ] || return 0
	for name in "$lib_dir"/../functional/*.sh "$lib_dir"/../regression/*.sh; do
		[ -f "$name" ] || continue
		case " $(header "$name" suite main) " in
		*" $suite "*) echo "$name" ;;
		esac
	done
}

run_one()
{
	_name=$(basename "$1" .sh)
	_limit=$(($(header "$1" timeout 45) * ${ASITE_TIMEOUT_FACTOR:-1}))
	echo "# $_name: $(header "$1" description "no description")"
	_begin=$(date +%s)
	timeout -k 15 "$_limit" sh "$1" >"$out" 2>&1 </dev/null
	_status=$?
	_took=$(($(date +%s) - _begin))
	ktap_diagnose <"$out"
	echo "# $_name: $_took s"
	case $_status in
	0) ktap_pass "$_name" ;;
	4) ktap_skip "$_name" "$(sed -n 's/^skip: //p' "$out" | head -n 1)" ;;
	124 | 137) ktap_fail "$_name" "TIMEOUT after $_limit s" ;;
	*) ktap_fail "$_name" ;;
	esac
}

files=$(test_files "$@") || exit
# shellcheck disable=SC2086 # names of tests hold no blanks
set -- $files
if [ -n "$list" ]; then
	for file in "$@"; do
		printf '%s\t%s\n' "$(basename "$file" .sh)" "$(header "$file" description '')"
	done
	exit 0
fi
[ $# -gt 0 ] || { echo "no test in suite $suite" >&2; exit 2; }

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
ktap_begin $#
for file in "$@"; do
	run_one "$file"
done
ktap_end
