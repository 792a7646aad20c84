#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Instructions per allocation and free: no module, allocsite off, each backend on.
# usage: run.sh [RELEASE]     (6.1)
# Boots the stock kernel under QEMU -icount, where the clock counts instructions, and
# writes results/bench-RELEASE.tsv. Fails if any pass of off or of no module differs by an
# instruction from the others, or if auto adds more to kmalloc(64) + kfree than the limit below.
set -u
cd "$(dirname "$0")/../.." || exit 1

release=${1:-6.1}
# Against chance: no randomised addresses, which decide where a hash puts things; and on a busy
# host the counting clock runs ahead of the disk, which is no hung task.
arguments='init_on_alloc=0 nokaslr sysctl.kernel.hung_task_timeout_secs=0'
limit=85
result=results/bench-$release.tsv

die()
{
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

share=$(mktemp -d) || exit 1
trap 'rm -rf "$share"' EXIT

scripts/vm.sh "$release" --icount --append "$arguments" --share "$share" -- \
	sh /allocsite/selftests/bench/guest.sh /share/raw || die "the guest ended with $?"

mkdir -p results || exit 1
{
	sed -n 's/^kernel /# kernel: /p; s/^arguments /# boot arguments: /p' "$share/raw"
	printf '# method: QEMU TCG, -icount shift=0, 1 CPU: one tick of the time-stamp counter is one guest instruction, not a cycle;\n'
	printf '#   10000 pairs with interrupts off, the loop included; 15 passes, each warmed up and with other objects; all contenders in one boot\n'
	printf '# columns: the median of the passes, what it adds to the median of none, what the least and the most of the passes add\n'
	printf '# note: with the module on, an object of up to 32 bytes with a live neighbour in its 64 bytes costs some 210 more, any object that meets another in the live table likewise:\n'
	printf '#   which objects do depends on where a boot puts its slabs; the least of the passes is without\n'
	printf '# date: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	printf 'contender\tpair\tinstructions_per_pair\tadded_vs_none\tadded_least\tadded_most\n'
	awk '
		$1 ~ /^(kernel|arguments|hooks)$/ { next }
		$1 == "absent" { next }
		$1 == "none" { none[$2] = $5 }
		{ printf "%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\n", $1, $2, $5 / $3,
			($5 - none[$2]) / $3, ($4 - none[$2]) / $3, ($6 - none[$2]) / $3 }' "$share/raw"
	sed -n 's/^absent /# not measured: /p' "$share/raw"
} >"$result"
cat "$result"

# Verdicts, from the ticks themselves.
awk -v limit="$limit" -v release="$release" '
	$1 == "absent" { printf "bench: not measured: %s\n", substr($0, 8); bad = 1; next }
	NF != 6 || $1 ~ /^(kernel|arguments|hooks)$/ { next }
	{ least[$1, $2] = $4; median[$1, $2] = $5; most[$1, $2] = $6; pairs = $3; loops[$2] }
	END {
		if (!(("none", "kmalloc_64") in median)) { print "bench: nothing was measured"; exit 1 }
		n = split("none off off_again none_again", still, " ")
		for (loop in loops)
			for (i = 1; i <= n; i++) {
				if (!((still[i], loop) in median)) continue
				low = least[still[i], loop] - least["none", loop]
				high = most[still[i], loop] - least["none", loop]
				if (low || high) {
					printf "bench: %s differs from none in %s by %d to %d instructions in %d pairs\n", still[i], loop, low, high, pairs
					bad = 1
				}
			}
		if (("auto", "kmalloc_64") in median) {
			added = (median["auto", "kmalloc_64"] - median["none", "kmalloc_64"]) / pairs
			if (release == "6.1" && added > limit) {
				printf "bench: auto adds %.2f instructions to kmalloc(64) + kfree, more than %d\n", added, limit
				bad = 1
			}
		}
		exit bad
	}' "$share/raw" >&2
