#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs the steps of steps.tbl, each to its end whatever the others did, then sums up.
# usage: run.sh all|GROUP|STEP...      groups: fast, static, unit, vm
# Guests that one thread emulates run side by side, one for each CPU of this machine.
# Logs: results/check/STEP.log (KTAP on stdout) and STEP.err. The last line is
# "N passed, N failed, N skipped"; the status is 0 only if something ran and nothing failed.
set -u
cd "$(dirname "$0")/../.." || exit 1
table=scripts/check/steps.tbl
logs=results/check

[ $# -gt 0 ] || { echo "usage: run.sh all|GROUP|STEP..." >&2; exit 2; }

# steps: "name|group|command" of the steps asked for.
steps()
{
	sed -e '/^#/d' -e '/^[[:space:]]*$/d' -e 's/[[:space:]]*|[[:space:]]*/|/g' "$table" |
		awk -F'|' -v wanted=" $* " '
			index(wanted, " all ") || index(wanted, " " $1 " ") ||
			index(wanted, " " $2 " ")'
}

# run_step NAME COMMAND: its log, its status in NAME.status, its time.
run_step()
{
	begin=$(date +%s%N)
	sh -c "$2" >"$logs/$1.log" 2>"$logs/$1.err" </dev/null
	echo "$?" >"$logs/$1.status"
	ms=$((($(date +%s%N) - begin) / 1000000))
	printf '%d.%d' $((ms / 1000)) $((ms % 1000 / 100)) >"$logs/$1.seconds"
}

# show_step NAME: its results in one line, and what went wrong.
show_step()
{
	result=$(scripts/check/summary.sh "$logs/$1.log")
	printf '%-22s %s  (%s s)\n' "$1" "$result" "$(cat "$logs/$1.seconds")"
	case $result in
	*" 0 failed,"*) ;;
	*)
		scripts/check/summary.sh --failures "$logs/$1.log" | sed 's/^/    /'
		grep -E '^ *# ' "$logs/$1.log" | tail -n 30 | sed 's/^/    /'
		[ ! -s "$logs/$1.err" ] || tail -n 15 "$logs/$1.err" | sed 's/^/    err: /'
		;;
	esac
}

# Answers of an earlier run must not be summed.
rm -rf "$logs"
mkdir -p "$logs" || exit 1
steps "$@" >"$logs/steps"
[ -s "$logs/steps" ] || { echo "run.sh: no step named '$*' in $table" >&2; exit 2; }

case " $* " in
*" all "*)
	# Tools are installed first; from here on a missing one is a failure.
	scripts/deps.sh check || exit 1
	ASITE_REQUIRE_TOOLS=1
	export ASITE_REQUIRE_TOOLS
	;;
esac

for word in "$@"; do
	[ "$word" = all ] || steps "$word" | grep -q . || {
		echo "run.sh: no step or group '$word' in $table" >&2
		exit 2
	}
done

# Fast steps run side by side, guests as many as there are CPUs; results are shown in order.
while IFS='|' read -r name group command; do
	[ "$group" != fast ] || run_step "$name" "$command" &
done <"$logs/steps"
wait
while IFS='|' read -r name group command; do
	case $group in
	fast | vm) ;;
	*) run_step "$name" "$command" ;;
	esac
	[ "$group" = vm ] || show_step "$name"
done <"$logs/steps"

# lane N OF: each OF-th guest, beginning with the N-th.
lane()
{
	awk -F'|' -v n="$1" -v of="$2" '$2 == "vm" && vm++ % of == n' "$logs/steps" |
		while IFS='|' read -r name group command; do
			run_step "$name" "$command"
		done
}

lanes=$(nproc)
i=0
while [ "$i" -lt "$lanes" ]; do
	lane "$i" "$lanes" &
	i=$((i + 1))
done
wait
while IFS='|' read -r name group command; do
	[ "$group" != vm ] || show_step "$name"
done <"$logs/steps"

cut -d'|' -f1 "$logs/steps" | sed "s,.*,$logs/&.log," | xargs scripts/check/summary.sh
