#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What "make demo" runs: boots a stock kernel, runs a real workload, shows who holds slab memory,
# then finds a planted leak by its growth. Status 0 only if the leak ranks first with its exact count.
# usage: demo.sh [RELEASE]
set -u
self_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
exec "$self_dir/../scripts/vm.sh" "${1:-6.1}" --smp 2 -- \
	sh /allocsite/selftests/lib/demo-guest.sh
