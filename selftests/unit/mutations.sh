#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Breaks a scratch copy of the cores in known ways and demands that the named test fails.
# Usage: mutations.sh [NAME...]; prints KTAP. Each row of mutations.tbl is
# name | file | program | test that must fail | perl expression on the whole file.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/asite-mutations.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

number=0
failed=0

fresh_copy()
{
	rm -rf "${scratch:?}/tree"
	mkdir -p "$scratch/tree/selftests" "$scratch/tree/module"
	cp -r "$root/include" "$scratch/tree/"
	cp "$root/module/"{sites,objtab,poisson,filter,estimate,areas,pagemap,ring,depot,depot_evict}.c "$scratch/tree/module/"
	cp -r "$root/selftests/cases" "$scratch/tree/selftests/"
	cp -r "$here" "$scratch/tree/selftests/unit"
	rm -rf "$scratch/tree/selftests/unit/build"
}

# try FILE PROGRAM TEST EXPRESSION: prints why the mutation is not caught, or nothing.
try()
{
	local file=$scratch/tree/$1 unit=$scratch/tree/selftests/unit
	fresh_copy
	cp "$file" "$scratch/before"
	perl -0pi -e "$4" "$file" || { echo "perl failed"; return; }
	! cmp -s "$file" "$scratch/before" || { echo "the expression matches nothing"; return; }
	make -s -C "$unit" "build/$2" >"$scratch/log" 2>&1 || { echo "does not build"; return; }
	(cd "$unit" && timeout 120 "build/$2") >"$scratch/log" 2>&1
	case $3 in
	tsan) grep -q "ThreadSanitizer: data race" "$scratch/log" || echo "no race reported" ;;
	asan) grep -Eq "AddressSanitizer|runtime error" "$scratch/log" || echo "nothing reported" ;;
	*) grep -q "^not ok [0-9]* $3\b" "$scratch/log" || echo "$3 did not fail" ;;
	esac
}

echo "KTAP version 1"
while IFS='|' read -r name file program test expression; do
	case $name in '#'* | '') continue ;; esac
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	number=$((number + 1))
	why=$(try "$file" "$program" "$test" "$expression")
	if [ -z "$why" ]; then
		echo "ok $number $name # caught by $program $test"
	else
		failed=1
		echo "# $why"
		echo "not ok $number $name"
	fi
done <"$here/mutations.tbl"
echo "1..$number"
exit "$failed"
