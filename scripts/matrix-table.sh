#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prints what matrix-one.sh left in results/matrix, as one Markdown table with a row per kernel.
# usage: MATRIX_TESTS='TEST...' matrix-table.sh RELEASE...
# Status: 0 when each kernel was built without a warning and each test passed, or was skipped on a
# kernel with a known limit (matrix-limits.tbl).
set -u
cd "$(dirname "$0")/.." || exit 1
results=results/matrix

# limits_of RELEASE: the texts of the rows whose pattern it matches.
limits_of()
{
	sed -e '/^#/d' -e '/^[[:space:]]*$/d' -e 's/[[:space:]]*|[[:space:]]*/|/' scripts/matrix-limits.tbl |
		while IFS='|' read -r pattern text; do
			# shellcheck disable=SC2254 # a pattern is meant
			case $1 in
			$pattern) printf '%s; ' "$text" ;;
			esac
		done | sed 's/; $//'
}

# tests_of SUFFIX: those of the tests whose names end so; all for nothing.
tests_of()
{
	# shellcheck disable=SC2086 # words
	printf '%s\n' $MATRIX_TESTS | grep "$1\$" | tr '\n' ' '
}

# cell KTAP TEST...: "N pass, N FAIL, N skip, N no result", without those that are 0.
cell()
{
	_ktap=$1
	shift
	[ -e "$_ktap" ] || { echo "-"; return; }
	awk -v tests="$*" '
		$1 == "not" { result[$4] = "FAIL" }
		$1 == "ok" { result[$3] = /# SKIP/ ? "skip" : "pass" }
		END {
			n = split(tests, names, " ")
			for (i = 1; i <= n; i++)
				count[names[i] in result ? result[names[i]] : "no result"]++
			m = split("pass,FAIL,skip,no result", words, ",")
			for (i = 1; i <= m; i++)
				if (words[i] in count) {
					printf "%s%d %s", sep, count[words[i]], words[i]
					sep = ", "
				}
			print ""
		}' "$_ktap"
}

# guest_of STATUS_FILE: how the guest ended.
guest_of()
{
	[ -e "$1" ] || { echo "-"; return; }
	case $(cat "$1") in
	0 | 1 | 4) echo clean ;;
	201) echo LOST ;;
	202) echo TIMEOUT ;;
	203) echo SPLAT ;;
	*) echo HARNESS ;;
	esac
}

# dkms_of OUT
dkms_of()
{
	[ -e "$1/dkms.ktap" ] || { echo "-"; return; }
	echo "$(cell "$1/dkms.ktap" dkms_install dkms_installed dkms_live_data dkms_uninstall dkms_gone), $(guest_of "$1/dkms.status")"
}

# quiet_of OUT: exact without load, no event missed.
quiet_of()
{
	[ -e "$1/quiet.ktap" ] || { echo "-"; return; }
	echo "$(cell "$1/quiet.ktap" exact_kprobe_quiet), $(guest_of "$1/quiet.status")"
}

# kfence_of OUT: the tests of the guest with KFENCE in one cell.
kfence_of()
{
	if [ -e "$1/kfence.ktap" ]; then
		# shellcheck disable=SC2046 # words
		echo "$(cell "$1/kfence.ktap" $(tests_of '')), $(guest_of "$1/kfence.status")"
	elif [ -e "$1/exact.ktap" ]; then
		echo "not run"
	else
		echo "-"
	fi
}

# show_row RELEASE; its status says whether the row is good.
show_row()
{
	out=$results/$1
	limits=$(limits_of "$1")
	IFS='|' read -r _ kver compiler warnings objtool built 2>/dev/null <"$out/build" || built=
	[ -n "$built" ] || { kver='?' compiler='?' warnings='?' objtool='?' built=failed; }
	[ "$built" = built ] || warnings="$warnings, NOT BUILT"
	case $1 in
	*-*) flavour=${1#*-} ;;
	*) flavour=amd64 ;;
	esac
	line="| ${1%%-*} | $kver | $flavour | $compiler | $warnings | $objtool |"
	for name in tracepoint ftrace kprobe auto agree expected; do
		# shellcheck disable=SC2046 # words
		line="$line $(cell "$out/exact.ktap" $(tests_of "_$name")) |"
	done
	line="$line $(guest_of "$out/exact.status") | $(quiet_of "$out") | $(kfence_of "$out") | $(dkms_of "$out") |"
	printf '%s\n' "$line ${limits:-none} |"
	[ "$warnings|$objtool" = "0|0" ] || return 1
	case $line in
	*FAIL* | *"no result"* | *LOST* | *TIMEOUT* | *SPLAT* | *HARNESS*) return 1 ;;
	*" skip"*) [ -n "$limits" ] ;;
	esac
}

[ $# -gt 0 ] && [ -n "${MATRIX_TESTS-}" ] || {
	echo "usage: MATRIX_TESTS='TEST...' matrix-table.sh RELEASE..." >&2
	exit 2
}
echo "| kernel | uname -r | flavour | compiler | build warnings | objtool warnings | tracepoint | ftrace | kprobe | auto | all agree | hooks as expected | kernel log | kprobe, no event missed | with KFENCE | DKMS | known limits |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
status=0
for release in "$@"; do
	show_row "$release" || status=1
done
exit "$status"
