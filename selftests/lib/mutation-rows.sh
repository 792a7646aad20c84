#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # variables of functional-mutations.sh
# Building one row of functional-mutations.tbl, and judging what its test said. Sourced by
# functional-mutations.sh: $root the tree, $scratch (tree, share, rows), $root_dir the guest's root,
# $seen the rows' patterns.

# verdict ID WORDS...: "ok" or why the mutation is not caught.
verdict()
{
	printf '%s\n' "${*:2}" >"$scratch/rows/$1.verdict"
}

# build_row ID FILE EXPRESSION: leaves what its guest needs in the share, or a verdict.
build_row()
{
	local file=$scratch/tree/$2 name
	[ -f "$root/$2" ] || { verdict "$1" "no file $2"; return 1; }
	perl -0pe "$3" "$root/$2" >"$scratch/mutant" || { verdict "$1" "perl failed"; return 1; }
	! cmp -s "$scratch/mutant" "$root/$2" || { verdict "$1" "the expression matches nothing"; return 1; }
	cat "$scratch/mutant" >"$file"
	rm -rf "${scratch:?}/built"
	mkdir "$scratch/built"
	"$root/scripts/vm/build.sh" tree "$root_dir" "$scratch/tree" "$scratch/built" \
		>"$scratch/rows/$1.build" 2>&1 9>&-
	local status=$?
	cat "$root/$2" >"$file"
	[ $status -eq 0 ] || { verdict "$1" "does not build"; return 1; }
	mkdir -p "$scratch/share/$1/selftests" "$scratch/share/$1/module"
	cp "$scratch"/built/module/*.ko "$scratch/share/$1/module/"
	for name in lib functional expect; do
		cp -r "$scratch/built/selftests/$name" "$scratch/share/$1/selftests/"
	done
	for name in modules testbuild; do
		mkdir "$scratch/share/$1/selftests/$name"
		cp "$scratch/built/selftests/$name"/*.ko "$scratch/share/$1/selftests/$name/"
	done
}

# read_results IDS...: the N-th result of the log is the N-th row's; sets done_rows.
read_results()
{
	local id line
	done_rows=0
	: >"$scratch/said"
	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			id=${*:$((done_rows + 1)):1}
			cp "$scratch/said" "$scratch/rows/$id.log"
			printf '%s\n' "$line" >>"$scratch/rows/$id.log"
			judge "$id" "$line"
			: >"$scratch/said"
			done_rows=$((done_rows + 1))
			;;
		*) printf '%s\n' "$line" >>"$scratch/said" ;;
		esac
	done <"$scratch/log"
}

# judge ID RESULT: did it fail as the row says?
judge()
{
	local said=$scratch/said
	case $2 in
	"ok "*"# SKIP"*) verdict "$1" "skipped: ${2#*SKIP }" ;;
	"ok "*) verdict "$1" "the test passed" ;;
	*TIMEOUT*) verdict "$1" "the test hung" ;;
	*)
		if grep -Eq "^# FAIL: .*(${seen[$1]})" "$said"; then
			verdict "$1" ok
			grep -E "^# FAIL: .*(${seen[$1]})" "$said" | head -n 1 | cut -c1-160 \
				>"$scratch/rows/$1.fail"
		else
			verdict "$1" "failed otherwise: $(grep '^# FAIL' "$said" | head -n 1)"
		fi
		;;
	esac
}
