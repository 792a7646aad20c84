#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs unit test programs, each a KTAP subtest of one KTAP report.
# Usage: run.sh PROGRAM...; exits 1 if one fails.
set -u
number=0
failed=0
echo "KTAP version 1"
echo "1..$#"
for program; do
	number=$((number + 1))
	name=$(basename "$program")
	start=$(date +%s)
	status=0
	output=$("$program" 2>&1) || status=$?
	printf '%s\n' "$output" | sed 's/^/  /'
	if [ "$status" -eq 0 ]; then
		echo "ok $number $name # $(($(date +%s) - start)) s"
	else
		failed=1
		echo "not ok $number $name # exit status $status"
	fi
done
exit "$failed"
