#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the project from nothing against kernels of vm/releases.tbl, each in its own root and with
# its own compiler, and counts what the builds complain of. Boots nothing.
# usage: build-matrix.sh [RELEASE...]     default: all releases
# Prints one line each: release|uname -r|compiler|warnings|objtool|built or failed
#   warnings   of the compiler, the linker, make and modpost; objtool has its own number
# The log of each build is results/matrix/RELEASE/build.log.
# Status: 0 when all were built without a warning.
set -u
cd "$(dirname "$0")/.." || exit 1
vm_dir=$PWD/scripts/vm
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

results=results/matrix
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# compiler_of ROOT_DIR: what the kernel's own build names, as it is in the root.
compiler_of()
{
	cc=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\([^ "]*\).*/\1/p' "$1/root/boot/config-$(cat "$1/kver")")
	chroot "$1/root" "$cc" --version 2>/dev/null | head -n 1
}

# count_warnings LOG: "N|M" for all others and for objtool's.
count_warnings()
{
	awk '
		/objtool:/ && /warning:|error:/ { objtool++; next }
		/[Ww]arning: |WARNING: / { others++ }
		END { printf "%d|%d\n", others, objtool }' "$1"
}

# build_one RELEASE
build_one()
{
	root_dir=$("$vm_dir/root.sh" "$1") || return
	out=$results/$1
	mkdir -p "$out" "$scratch/$1" || return
	result=built
	VM_BUILD_CLEAN=1 "$vm_dir/build.sh" tree "$root_dir" . "$scratch/$1" 2>"$scratch/err" || result=failed
	if ! mv "$scratch/$1.log" "$out/build.log" 2>/dev/null; then
		cat "$scratch/err" >&2
		return 1
	fi
	rm -rf "${scratch:?}/$1"
	line="$1|$(cat "$root_dir/kver")|$(compiler_of "$root_dir")|$(count_warnings "$out/build.log")|$result"
	printf '%s\n' "$line"
	[ "${line#*"|0|0|built"}" != "$line" ]
}

for release in "$@"; do
	[ -n "$(row "$release")" ] ||
		usage_error "unknown release '$release'; known: $(known_releases)"
done
# shellcheck disable=SC2046 # names of releases are words
[ $# -gt 0 ] || set -- $(known_releases)

status=0
for release in "$@"; do
	build_one "$release" || status=1
done
exit "$status"
