#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs unit test programs, each a KTAP subtest of one KTAP report.
# Usage: run.sh PROGRAM...; exits 1 if one fails.
set -u
number=0
failed=0
# Sanitizers of gcc 12 die where the kernel randomises mappings by 32 bits (vm.mmap_rnd_bits).
fixed=$(uname -m)
if setarch "$fixed" -R true 2>/dev/null; then
	fixed="setarch $fixed -R"
else
	fixed=
fi
echo "KTAP version 1"
echo "1..$#"
for program; do
	number=$((number + 1))
	name=$(basename "$program")
	start=$(date +%s)
	status=0
	# shellcheck disable=SC2086 # a command and its arguments, or nothing
	output=$(timeout 300 $fixed "$program" 2>&1) || status=$?
	printf '%s\n' "$output" | sed 's/^/  /'
	if [ "$status" -eq 0 ]; then
		echo "ok $number $name # $(($(date +%s) - start)) s"
	else
		failed=1
		echo "not ok $number $name # exit status $status"
	fi
done
exit "$failed"
