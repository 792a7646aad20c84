#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sums up KTAP and TAP logs: prints "N passed, N failed, N skipped"; the rules are in summary.awk.
# usage: summary.sh [--failures] LOG...     --failures: prints the failed results instead
# STEP.status beside STEP.log holds the status of what wrote the log.
# Status 0: something passed and nothing failed.
set -u
dir=$(cd "$(dirname "$0")" && pwd) || exit 1
show=0
[ "${1:-}" != --failures ] || { show=1; shift; }
[ $# -gt 0 ] || { echo "usage: summary.sh [--failures] LOG..." >&2; exit 2; }

# Each log goes in between a line "log" and a line "end", its own lines behind a tab.
for log in "$@"; do
	status=$(cat "${log%.log}.status" 2>/dev/null) || status=0
	printf 'log %s %s\n' "$(basename "$log" .log)" "$status"
	[ ! -r "$log" ] || tr -d '\r\000' <"$log" | sed 's/^/	/'
	printf 'end\n'
done | awk -v show="$show" -v strict="${ASITE_REQUIRE_TOOLS:-0}" \
	-v allowed="${ASITE_ALLOWED_SKIPS:-$dir/allowed-skips}" -f "$dir/summary.awk"
