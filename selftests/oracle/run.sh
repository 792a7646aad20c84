#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The oracle: boots kernels with code tagging, runs workloads under it and allocsite at once, and
# compares what the two say at rest, tag by tag. See README.md.
# usage: run.sh [RELEASE...]     (6.12-tagged)
# stdout: KTAP, a test for each workload; stderr: a summary; results/oracle-RELEASE.tsv: each group.
# Environment: ASITE_ORACLE_WORKLOADS; ASITE_ORACLE_ROUNDS, ASITE_ORACLE_PROBE and ASITE_MODULE_DIR
# are for the guest; ASITE_ORACLE_SHARE: its /share, which then keeps the raw snapshots (in raw). A
# built tree there (selftests, module) is run instead of this one.
set -u
self_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$self_dir/../.." && pwd) || exit 1
workloads=${ASITE_ORACLE_WORKLOADS:-load rcu files processes network modules compaction huge}

share=${ASITE_ORACLE_SHARE:-}
if [ -z "$share" ]; then
	share=$(mktemp -d) || exit 1
	trap 'rm -rf "$share"' EXIT
fi

# guest RELEASE: leaves the snapshots in $share/raw; what it says goes to stderr.
guest()
{
	rm -rf "$share/raw"
	mkdir -p "$share/raw" || return 1
	_environment=$(env | grep '^ASITE_[A-Z_]*=[A-Za-z0-9_./-]*$' | tr '\n' ' ')
	# One thread for all CPUs, as probes come and go: see scripts/vm/README.md.
	_tree=/allocsite
	_built=
	if [ -f "$share/selftests/oracle/guest.sh" ]; then
		_tree=/share
		_built=--no-allocsite
	fi
	# shellcheck disable=SC2086 # one option or none
	VM_TCG_THREAD=${VM_TCG_THREAD:-single} "$root/scripts/vm.sh" "$1" --smp 2 --timeout 1800 \
		$_built --share "$share" -- sh -c \
		"$_environment sh $_tree/selftests/oracle/guest.sh /share/raw $workloads" >&2
}

# compare RELEASE: what the guest left.
compare()
{
	mkdir -p "$root/results" || return 1
	python3 "$self_dir/compare.py" "$1" "$share/raw" "$root/results/oracle-$1.tsv"
}

# no_result RELEASE WHY
no_result()
{
	printf 'KTAP version 1\n1..1\n# FAIL: %s\nnot ok 1 %s\n' "$2" "$1" >"$share/ktap"
	status=1
}

[ $# -gt 0 ] || set -- 6.12-tagged
status=0
for release; do
	guest "$release"
	guest_status=$?
	if [ "$guest_status" -ne 0 ]; then
		no_result "$release" "the guest ended with $guest_status"
	elif ! compare "$release" >"$share/ktap"; then
		status=1
	fi
	grep -q '^1\.\.' "$share/ktap" || no_result "$release" "compare.py gave no result"
	cat "$share/ktap"
done
exit "$status"
