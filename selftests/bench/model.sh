#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Modelled cache misses and cycles per pair, allocsite beside code tagging.
# usage: model.sh [RELEASE...]     (6.12-untagged 6.12-tagged)
# Boots each kernel with plugin/cachemodel.so and runs the micro loops of bench_loops.c in it;
# MODEL_LOOPS, MODEL_PASSES, MODEL_ARGS (geometry: plugin/README.md) and MODEL_MEM (of the guest,
# which decides how large the live table is) change what is run.
# Writes results/bench-model.tsv and .md (model.py), from results/model/RELEASE/; with MODEL_MEM=8G
# results/bench-model-8G.tsv and so on.
set -u
cd "$(dirname "$0")/../.." || exit 1

# noreplace-smp: on one CPU the kernel would take lock prefixes out. The others: run.sh.
arguments='init_on_alloc=0 nokaslr noreplace-smp sysctl.kernel.hung_task_timeout_secs=0'
loops=empty,kmalloc_64,cache_192,kmalloc_8_to_240,kmalloc_64_random_1000,kmalloc_64_random_100000
loops=${MODEL_LOOPS:-$loops}
passes=${MODEL_PASSES:-3}
plugin=selftests/bench/plugin/build/cachemodel.so
suffix=${MODEL_MEM:+-$MODEL_MEM}

die()
{
	printf 'model: %s\n' "$*" >&2
	exit 1
}

# boot RELEASE: leaves raw and records in results/model/RELEASE.
boot()
{
	case $1 in
	*-tagged) contenders='tagged_off tagged_on' ;;
	*) contenders='none off auto' ;;
	esac
	out=$PWD/results/model$suffix/$1
	rm -rf "$out"
	mkdir -p "$out" || exit 1
	# shellcheck disable=SC2086 # a list of words
	scripts/vm.sh "$1" --icount --append "$arguments" --share "$out" --timeout 3600 \
		--mem "${MODEL_MEM:-2G}" \
		--plugin "$plugin,out=$out/records${MODEL_ARGS:+,$MODEL_ARGS}" -- \
		sh /allocsite/selftests/bench/guest.sh /share/raw '' "$loops" "$passes" $contenders ||
		die "the guest of $1 ended with $?"
}

[ $# -gt 0 ] || set -- 6.12-untagged 6.12-tagged
make -s -C selftests/bench/plugin || die "the plugin does not build"
for release in "$@"; do
	boot "$release"
	set -- "$@" "results/model$suffix/$release"
	shift
done
selftests/bench/model.py "results/bench-model$suffix.tsv" "results/bench-model$suffix.md" "$@" || exit 1
cat "results/bench-model$suffix.md"
