#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What "make demo" runs: boots a stock kernel, runs a real workload, shows who holds memory, then
# finds a planted leak by its growth. Status 0 only if the leak ranks first with its exact count.
# Leaves a flame graph of the live memory after the workload in results/demo/memory.svg.
# usage: demo.sh [RELEASE]
set -u
self_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
out=$self_dir/../results/demo
# Brendan Gregg's, as Debian packages it (libdevel-nytprof-perl).
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl

rm -rf "$out"
mkdir -p "$out" || exit 1
"$self_dir/../scripts/vm.sh" "${1:-6.1}" --smp 2 --share "$out" -- \
	sh /allocsite/selftests/lib/demo-guest.sh || exit
perl "$flamegraph" --title "Live kernel memory by allocating stack" --countname bytes --minwidth 1 \
	--hash "$out/folded" >"$out/memory.svg" || exit
echo "A flame graph of the memory after the workload: results/demo/memory.svg"
