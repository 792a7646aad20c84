#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Breaks a scratch copy of the tree in known ways and demands that the named functional test fails,
# by its own assertion. Each row of functional-mutations.tbl is built by itself; then guests run the
# rows' tests, each with the modules and scripts of its row, many in one boot. Prints KTAP.
# usage: functional-mutations.sh [-r RELEASE] [ID...]     (6.1, all rows)
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$here/.." && pwd) || exit 1
# shellcheck source-path=SCRIPTDIR
. "$here/lib/mutation-rows.sh"

release=6.1
if [ "${1-}" = -r ]; then
	release=$2
	shift 2
fi

# One place, so that a row's build is the one before it and one file more.
scratch=${TMPDIR:-/tmp}/asite-functional-mutations.$(id -u)
mkdir -p "$scratch" || exit 1
exec 9>"$scratch/lock"
flock -n 9 || { echo "another run uses $scratch" >&2; exit 1; }
rm -rf "${scratch:?}/tree" "$scratch/share" "$scratch/rows" "$scratch/built"
mkdir "$scratch/tree" "$scratch/share" "$scratch/rows" || exit 1
trap 'rm -rf "${scratch:?}/tree" "$scratch/share" "$scratch/built"' EXIT

# Short forms of the long tests; what a hung test costs; it is the mutation that must be seen, not
# the noise.
: "${ASITE_CYCLES:=3}" "${ASITE_TIMEOUT_FACTOR:=4}" "${ASITE_NOISE:=0}"
export ASITE_CYCLES ASITE_TIMEOUT_FACTOR ASITE_NOISE ASITE_VM_SHARE=$scratch/share
rows_per_boot=8

note()
{
	printf '# %s\n' "$*"
}

# run_boot SUITE IDS...: one guest; sets done_rows.
run_boot()
{
	local suite=$1 id tests=()
	shift
	for id; do
		tests+=("/share/$id/selftests/functional/${test[$id]}.sh")
	done
	"$here/vm-suite.sh" "$release" "$suite" "${tests[@]}" >"$scratch/log" 2>"$scratch/err" 9>&-
	read_results "$@"
	[ "$done_rows" -lt $# ] || return 0
	# Whose result did not come took the guest with it, or it never ran.
	id=${*:$((done_rows + 1)):1}
	{ cat "$scratch/said"; tail -n 70 "$scratch/err"; } >"$scratch/rows/$id.log"
	if [ "${seen[$id]}" = lost ] && grep -q '^vm: lost:' "$scratch/err" &&
	   grep -q "^# ${test[$id]}:" "$scratch/said"; then
		verdict "$id" ok
		grep -m 1 -E 'BUG:|Oops|Kernel panic' "$scratch/err" >"$scratch/rows/$id.fail"
	else
		verdict "$id" "no result: $(grep '^vm: [a-z]*:' "$scratch/err" | head -n 1)"
	fi
	done_rows=$((done_rows + 1))
}

# build_all: every row, in the order of the table; rows/ID.built says that it was tried.
build_all()
{
	local id
	for id in "${ids[@]}"; do
		MAKE_ARGS=${make_args[$id]} build_row "$id" "${file[$id]}" "${expression[$id]}" </dev/null
		: >"$scratch/rows/$id.built"
	done
}

# built IDS...: waits for them; sets batch to those that a guest can run.
built()
{
	local id
	batch=()
	for id; do
		until [ -e "$scratch/rows/$id.built" ]; do sleep 1; done
		[ -e "$scratch/rows/$id.verdict" ] || batch+=("$id")
	done
}

# run_rows SUITE IDS...: these rows in one guest; in further ones if it is lost.
run_rows()
{
	local suite=$1
	shift
	built "$@"
	while [ ${#batch[@]} -gt 0 ]; do
		note "boot: $suite: ${batch[*]}"
		run_boot "$suite" "${batch[@]}"
		batch=("${batch[@]:done_rows}")
	done
}

# run_suite SUITE: its rows, so many to a boot; one that leaves something behind ends its boot.
run_suite()
{
	local clean last
	read -ra clean <<<"${clean_rows[$1]-}"
	read -ra last <<<"${last_rows[$1]-}"
	while [ $((${#clean[@]} + ${#last[@]})) -gt 0 ]; do
		run_rows "$1" "${clean[@]:0:rows_per_boot}" "${last[@]:0:1}"
		clean=("${clean[@]:rows_per_boot}")
		last=("${last[@]:1}")
	done
}

declare -A test seen file expression make_args clean_rows last_rows
ids=()
suites=()
while IFS='|' read -r id suite name in_file pattern words; do
	case $id in '#'* | '') continue ;; esac
	[ $# -eq 0 ] || [[ " $* " == *" $id "* ]] || continue
	ids+=("$id")
	test[$id]=$name
	seen[$id]=$pattern
	file[$id]=$in_file
	expression[$id]=$words
	# As vm-suite.sh builds for that suite.
	make_args[$id]=${MAKE_ARGS-}
	[ "$suite" != evict ] || make_args[$id]="${MAKE_ARGS:+$MAKE_ARGS }EVICT=1"
	case $suite in
	*!) last_rows[${suite%!}]="${last_rows[${suite%!}]-} $id" ;;
	*) clean_rows[$suite]="${clean_rows[$suite]-} $id" ;;
	esac
	[[ " ${suites[*]} " == *" ${suite%!} "* ]] || suites+=("${suite%!}")
done <"$here/functional-mutations.tbl"
[ ${#ids[@]} -gt 0 ] || { echo "no such row" >&2; exit 2; }

# shellcheck disable=SC2016 # expanded by the inner shell
(cd "$root" && git ls-files -co --exclude-standard -z | xargs -0 sh -c \
	'for name; do [ ! -f "$name" ] || printf "%s\0" "$name"; done' sh |
	tar --null -T - -cf -) | tar -C "$scratch/tree" -xf - || exit 1
root_dir=$("$root/scripts/vm/root.sh" "$release" 9>&-) || exit 1

echo "KTAP version 1"
build_all &
builder=$!
trap 'kill "$builder" 2>/dev/null; rm -rf "${scratch:?}/tree" "$scratch/share" "$scratch/built"' EXIT
for suite in "${suites[@]}"; do
	run_suite "$suite"
done

number=0
failed=0
for id in "${ids[@]}"; do
	number=$((number + 1))
	why=$(cat "$scratch/rows/$id.verdict")
	if [ "$why" = ok ]; then
		note "$(cat "$scratch/rows/$id.fail")" | sed 's/^# # /# /'
		echo "ok $number $id # caught by ${test[$id]}"
	else
		failed=1
		note "$why (see $scratch/rows/$id.*)"
		echo "not ok $number $id # ${test[$id]}"
	fi
done
echo "1..$number"
exit "$failed"
