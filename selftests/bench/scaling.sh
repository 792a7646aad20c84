#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Does allocsite scale as the kernel without it does? See SCALING.md.
# usage: scaling.sh [RELEASE [ROUNDS]]     (7.3 15)
# First the cores in user space: lines that move between CPUs, a pair's time on two real CPUs. Then a
# guest with two CPUs, each emulated by a thread of its own, without the module and with it in
# turn; writes results/bench-scaling-RELEASE.tsv. A run gets what other loads leave of this machine's
# CPUs, so the median of the runs counts, and of these only the ratio of ratios:
# (auto with 2 CPUs / auto with 1) / (none with 2 / none with 1).
# On 6.12 two CPUs do no more than one, with or without: its allocator takes a 16-byte compare-and-
# exchange for each pair, for which QEMU 7.2 seems to stop all CPUs. 7.3 does not.
set -u
cd "$(dirname "$0")/../.." || exit 1
release=${1:-7.3}
rounds=${2:-15}
result=results/bench-scaling-$release.tsv

make -s -C selftests/unit build/sharing build/scaling || exit 1
selftests/unit/build/sharing || exit 1
selftests/unit/build/scaling || exit 1

raw=$(mktemp) || exit 1
trap 'rm -f "$raw"' EXIT
VM_TCG_THREAD=multi scripts/vm.sh "$release" --smp 2 --append init_on_alloc=0 --timeout 1800 -- \
	sh /allocsite/selftests/bench/scaling-guest.sh "$rounds" >"$raw" || {
	printf 'scaling: the guest ended with %s\n' "$?" >&2
	cat "$raw" >&2
	exit 1
}
mkdir -p results || exit 1
{
	printf '# %s, QEMU TCG with a thread for each CPU; the least, median and most of %s runs\n' \
		"$release" "$rounds"
	printf 'contender\tmode\tcpus\tleast\tmedian\tmost_pairs_per_second\n'
	sort -k1,1 -k3,3 -k4,4n -k5,5n "$raw" | awk '
		function row(m) {
			if (!n) return
			m = values[int((n + 1) / 2)]
			printf "%s\t%d\t%d\t%d\n", key, values[1], m, values[n]
			n = 0
		}
		{ now = $1 "\t" $3 "\t" $4 }
		now != key { row(); key = now }
		{ values[++n] = $5 }
		END { row() }'
} >"$result"
cat "$result"
awk -F '\t' '!/^#/ && NR > 2 { rate[$1, $2, $3] = $5 }
	END {
		own = rate["auto", "own", 2] / rate["auto", "own", 1]
		base = rate["none", "own", 2] / rate["none", "own", 1]
		printf "# own: 2 CPUs do %.2f of what 1 does with auto, %.2f without: ratio of ratios %.2f\n", own, base, own / base
		own = rate["auto", "cross", 2] / rate["auto", "own", 1]
		base = rate["none", "cross", 2] / rate["none", "own", 1]
		printf "# cross: %.2f with auto, %.2f without: ratio of ratios %.2f\n", own, base, own / base
	}' "$result" | tee -a "$result"
