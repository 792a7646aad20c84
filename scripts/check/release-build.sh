#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The project builds for a release's kernel, in its own root, without a warning of the compiler, of
# objtool or of modpost, with eviction too; and what was built branches only as that kernel's rules allow.
# usage: release-build.sh RELEASE
# Objects of an earlier build of the same tree are used again: on a new machine there are none.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh
release=$1
to=$results/tree

if ! root_dir=$(scripts/vm/root.sh "$release"); then
	not_ok "$release builds" "no root for $release"
	finish
fi

# build WHAT: with MAKE_ARGS; ends all if it does not build.
build()
{
	rm -rf "$to" && mkdir -p "$to"
	if ! scripts/vm/build.sh tree "$root_dir" . "$to" >"$results/said" 2>&1; then
		not_ok "$1 builds" "$(tail -n 20 "$results/said")"
		finish
	fi
	verdict "$1 builds" ""
	verdict "$1: no warning" "$(grep -E '[Ww]arning: |WARNING: ' "$to.log" | head -n 20)"
}

MAKE_ARGS=EVICT=1
export MAKE_ARGS
build "$release, EVICT=1"
unset MAKE_ARGS
build "$release"
if scripts/check/disassembly.sh "$to/module/allocsite.ko" >"$results/said"; then
	verdict "$release: disassembly" ""
else
	not_ok "$release: disassembly" "$(grep -v '^ok' "$results/said")"
fi
finish
