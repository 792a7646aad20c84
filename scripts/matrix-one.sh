#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One kernel of the matrix: a build from nothing, then the exactness tests in a guest, the suite
# quiet in another, the former again with KFENCE and selftests/dkms.sh for some.
# usage: matrix-one.sh RELEASE     (called by matrix.sh, which sets MATRIX_TESTS and MATRIX_DKMS)
# Leaves in results/matrix/RELEASE, for matrix-table.sh:
#   build                    the line of build-matrix.sh
#   exact.ktap quiet.ktap kfence.ktap   what the guests printed; the last for those of MATRIX_KFENCE
#   dkms.ktap                the same of selftests/dkms.sh
#   exact.status ...         the status of the guest's run; exact.err: its stderr
#   done                     MATRIX_KEY of the sources that these results are of
set -u
cd "$(dirname "$0")/.." || exit 1
vm_dir=$PWD/scripts/vm
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 1 ] && [ -n "${MATRIX_TESTS-}" ] || usage_error "usage: MATRIX_TESTS='TEST...' matrix-one.sh RELEASE"
release=$1
out=results/matrix/$release

# run NAME COMMAND...: its report and status under this name.
run()
{
	name=$1
	shift
	say "$release: $name"
	"$@" >"$out/$name.ktap" 2>"$out/$name.err"
	echo "$?" >"$out/$name.status"
}

# run_suite NAME SUITE
run_suite()
{
	# shellcheck disable=SC2086 # names of tests are words
	run "$1" selftests/vm-suite.sh "$release" "$2" $MATRIX_TESTS
}

rm -rf "$out"
mkdir -p "$out" || exit 1
"$vm_dir/root.sh" "$release" >/dev/null || exit
say "$release: build"
scripts/build-matrix.sh "$release" >"$out/build" 2>"$out/build.err"
if grep -q '|built$' "$out/build"; then
	run_suite exact smp2
	run quiet selftests/vm-suite.sh "$release" quiet
	case " ${MATRIX_KFENCE-6.12 7.3} " in
	*" $release "*) run_suite kfence kfence ;;
	esac
	case " ${MATRIX_DKMS-} " in
	*" $release "*) run dkms selftests/dkms.sh "$release" ;;
	esac
fi
printf '%s\n' "${MATRIX_KEY-}" >"$out/done"
