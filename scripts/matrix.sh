#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every kernel of vm/releases.tbl: builds from nothing, counts warnings, runs the exactness tests in
# guests, and prints one Markdown table, which is also left in results/matrix.md.
# DKMS is tested in the releases of MATRIX_DKMS, KFENCE in those of MATRIX_KFENCE.
# usage: matrix.sh [--resume] [RELEASE...]     default: all releases
#   --resume   kernels whose results are there, of these very sources, are not run again
# As many guests at once as this machine has CPUs (MATRIX_LANES=N: N). Logs: results/matrix/RELEASE/.
# Status: 0 when no build had a warning and no test failed.
set -u
cd "$(dirname "$0")/.." || exit 1
vm_dir=$PWD/scripts/vm
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

resume=
if [ "${1-}" = --resume ]; then
	resume=1
	shift
fi
for release in "$@"; do
	[ -n "$(row "$release")" ] ||
		usage_error "unknown release '$release'; known: $(known_releases)"
done
# shellcheck disable=SC2046 # names of releases are words
[ $# -gt 0 ] || set -- $(known_releases)

: "${MATRIX_TESTS:=exact_tracepoint exact_ftrace exact_kprobe exact_auto backends_agree hooks_expected}"
: "${MATRIX_DKMS=6.1 6.12}"
: "${MATRIX_KFENCE=6.12 7.3}"
# Each test loads both modules twice; this often it allocates and frees in each.
: "${ASITE_ROUNDS:=1}"
export ASITE_ROUNDS
# What results depend on beside the kernel.
MATRIX_KEY=$({
	printf '%s\n' "$MATRIX_TESTS" "$MATRIX_DKMS" "$MATRIX_KFENCE"
	git ls-files -co --exclude-standard -- Makefile Kbuild module include selftests scripts/features.tbl \
		scripts/gen-features.sh scripts/vm | sort -u | xargs sha256sum
} 2>/dev/null | sha256sum | cut -c1-16)
export MATRIX_TESTS MATRIX_DKMS MATRIX_KFENCE MATRIX_KEY

# to_run RELEASE...: without those that are done.
to_run()
{
	for release in "$@"; do
		[ -n "$resume" ] && [ "$(cat "results/matrix/$release/done" 2>/dev/null)" = "$MATRIX_KEY" ] ||
			printf '%s\n' "$release"
	done
}

mkdir -p results/matrix || exit 1
to_run "$@" | xargs -r -n 1 -P "${MATRIX_LANES:-$(nproc)}" scripts/matrix-one.sh
# The table says what went wrong.
scripts/matrix-table.sh "$@" >results/matrix.md
status=$?
cat results/matrix.md
exit "$status"
