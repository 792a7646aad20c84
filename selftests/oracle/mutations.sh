#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Breaks a scratch copy of the module in known ways and demands that the oracle fails, in the workload
# and with the words of the row: mutations.tbl. A guest for each row. Prints KTAP.
# usage: mutations.sh [-r RELEASE] [ID...]     (6.12-tagged, all rows)
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source-path=SCRIPTDIR
. "$here/../lib/mutation-rows.sh"

release=6.12-tagged
if [ "${1-}" = -r ]; then
	release=$2
	shift 2
fi

scratch=${TMPDIR:-/tmp}/asite-oracle-mutations.$(id -u)
mkdir -p "$scratch" || exit 1
exec 9>"$scratch/lock"
flock -n 9 || { echo "another run uses $scratch" >&2; exit 1; }
rm -rf "${scratch:?}/tree" "$scratch/share" "$scratch/rows" "$scratch/built"
mkdir "$scratch/tree" "$scratch/share" "$scratch/rows" || exit 1
trap 'rm -rf "${scratch:?}/tree" "$scratch/share" "$scratch/built"' EXIT

# What the rows need of it.
: "${ASITE_ORACLE_WORKLOADS:=load}" "${ASITE_ORACLE_ROUNDS:=3}"
export ASITE_ORACLE_WORKLOADS ASITE_ORACLE_ROUNDS

# run_row ID WORKLOAD ERE: its guest and the comparison; a verdict.
run_row()
{
	local log=$scratch/rows/$1.log
	cp -r "$here" "$scratch/share/$1/selftests/"
	ASITE_ORACLE_SHARE=$scratch/share/$1 "$here/run.sh" "$release" >"$log" 2>"$log.err" 9>&- </dev/null
	if grep -Eq "^# FAIL: $2: .*($3)" "$log" && grep -q "^not ok [0-9]* $release $2\$" "$log"; then
		verdict "$1" ok
		grep -E "^# FAIL: $2: .*($3)" "$log" | head -n 1 | cut -c1-200
	else
		verdict "$1" "not seen: $(grep -m 1 -E '^# FAIL' "$log" || tail -n 1 "$log")"
	fi
}

# shellcheck disable=SC2016 # expanded by the inner shell
(cd "$root" && git ls-files -co --exclude-standard -z | xargs -0 sh -c \
	'for name; do [ ! -f "$name" ] || printf "%s\0" "$name"; done' sh |
	tar --null -T - -cf -) | tar -C "$scratch/tree" -xf - || exit 1
root_dir=$("$root/scripts/vm/reference-root.sh" "$release" 9>&-) || exit 1

echo "KTAP version 1"
number=0
failed=0
while IFS='|' read -r id file workload pattern expression; do
	case $id in '#'* | '') continue ;; esac
	[ $# -eq 0 ] || [[ " $* " == *" $id "* ]] || continue
	number=$((number + 1))
	build_row "$id" "$file" "$expression" </dev/null && run_row "$id" "$workload" "$pattern"
	why=$(cat "$scratch/rows/$id.verdict")
	if [ "$why" = ok ]; then
		echo "ok $number $id # caught by the oracle, workload $workload"
	else
		failed=1
		echo "# $why (see $scratch/rows/$id.*)"
		echo "not ok $number $id # workload $workload"
	fi
done <"$here/mutations.tbl"
[ "$number" -gt 0 ] || { echo "no such row" >&2; exit 2; }
echo "1..$number"
exit "$failed"
