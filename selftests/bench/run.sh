#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What accounting costs, in guest instructions: every contender, in guests of boots.tbl.
# usage: run.sh [--quick] [--out NAME] [--loops NAME,...] [--passes N] [--resume] [RELEASE...]
# (full; all kernels). --resume keeps what guests of an interrupted run have left.
# Boots each kernel under QEMU -icount, where the clock counts instructions, and leaves
# results/NAME.tsv, NAME.md, NAME.svg (bench; with --quick bench-quick). Fails if a guest was lost
# or a verdict of verdict.py is not met.
set -u
cd "$(dirname "$0")/../.." || exit 1

profile=full
name=
only=
passes=9
resume=
# Against chance: no randomised addresses, which decide where a hash puts things; and on a busy
# host the counting clock runs ahead of the disk, which is no hung task.
arguments='init_on_alloc=0 nokaslr sysctl.kernel.hung_task_timeout_secs=0'

die()
{
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

while [ $# -gt 0 ]; do
	case $1 in
	--quick)
		profile=quick passes=5
		only=empty,kmalloc_64,cache_192,kmalloc_8_to_240,kmalloc_64_random_1000
		;;
	--out) name=${2:?}; shift ;;
	--loops) only=${2:?}; shift ;;
	--passes) passes=${2:?}; shift ;;
	--resume) resume=1 ;;
	-*) die "unknown option $1: see the head of run.sh" ;;
	*) break ;;
	esac
	shift
done
[ -n "$name" ] || { [ "$profile" = full ] && name=bench || name=bench-quick; }

# rows: "release|argument|loads|contenders" of the guests wanted.
rows()
{
	awk -F ' *[|] *' -v profile="$profile" -v wanted="$*" '
		/^#/ || NF < 5 { next }
		$1 == "stock" { stock = $3 "|" $4 "|" $5; next }
		$1 != profile && !($1 == "short" && profile == "quick" && wanted) { next }
		{ line[++n] = $2 "|" $3 "|" $4 "|" $5; of[n] = $2 }
		END {
			m = split(wanted, want, " ")
			for (i = 1; i <= n; i++) {
				take = !m
				for (j = 1; j <= m; j++)
					if (of[i] == want[j]) { take = 1; seen[j] = 1 }
				if (take) print line[i]
			}
			for (j = 1; j <= m; j++)
				if (!seen[j]) print want[j] "|" stock
		}' selftests/bench/boots.tbl
}

# section RELEASE: bytes of code tagging's tags in the kernel image, which no file in the guest tells.
section()
{
	dir=$(scripts/vm/reference-kernel.sh "$1") || return 1
	# The low half of an address: the whole is too much for a shell's numbers.
	start=$(nm "$dir/vmlinux" | sed -n 's/^........\(........\) . __start_alloc_tags$/\1/p')
	stop=$(nm "$dir/vmlinux" | sed -n 's/^........\(........\) . __stop_alloc_tags$/\1/p')
	[ -n "$start" ] && [ -n "$stop" ] || die "no section of tags in $dir/vmlinux"
	printf 'memory tagged section_bytes %d\n' $((0x$stop - 0x$start))
}

share=$(mktemp -d) || exit 1
trap 'rm -rf "$share"' EXIT
gcc -O2 -static -Wall -o "$share/loads" selftests/bench/loads.c || die "loads.c does not build"
raw=results/$name
mkdir -p "$raw" || exit 1
[ -n "$resume" ] || rm -f "$raw"/*.raw

rows "$@" >"$share/rows"
number=0
while IFS='|' read -r release argument loads contenders; do
	number=$((number + 1))
	to=$raw/$(printf '%02d' "$number").raw
	[ "$(head -n 1 "$to" 2>/dev/null)" != "boot $release $argument" ] || continue
	[ "$loads" = all ] && loads=/share/loads || loads=
	printf 'bench: %s %s\n' "$release" "$argument" >&2
	# shellcheck disable=SC2086 # a list of words
	scripts/vm.sh "$release" --icount --timeout 3600 --append "$arguments $argument" \
		--share "$share" -- sh /allocsite/selftests/bench/guest.sh \
		/share/raw "$loads" "$only" "$passes" $contenders >&2 </dev/null ||
		die "the guest $release $argument ended with $?"
	{
		printf 'boot %s %s\n' "$release" "$argument"
		cat "$share/raw"
		case "$release $contenders" in *-tagged*memory_tagged*) section "$release" ;; esac
	} >"$raw/unfinished" && mv "$raw/unfinished" "$to" || exit 1
done <"$share/rows"

python3 selftests/bench/report.py "$raw"/*.raw >"results/$name.tsv" || exit 1
# Modelled cycles beside it, where the model was run (they come from other boots).
python3 selftests/bench/table.py "results/$name.tsv" results/bench-model.tsv >"results/$name.md" || exit 1
python3 selftests/bench/plot.py "results/$name.tsv" >"results/$name.svg" || exit 1
cat "results/$name.md"
python3 selftests/bench/verdict.py "results/$name.tsv"
