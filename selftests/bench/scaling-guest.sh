#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: pairs in a second on one and two CPUs, without the module and with it, in turn.
# usage: scaling-guest.sh ROUNDS
# Prints "CONTENDER ROUND MODE CPUS PAIRS_PER_SECOND".
set -u
modules=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
pairs=/sys/kernel/debug/asite_scale/pairs

die()
{
	printf 'scaling: %s\n' "$*" >&2
	exit 1
}

measure()
{
	sed "/^#/d; 1d; s/^/$1 $round /" "$pairs" || die "cannot read $pairs"
}

insmod "$modules/selftests/modules/asite_scale.ko" || die "no asite_scale.ko"
# What only the first use of anything costs.
cat "$pairs" >/dev/null || die "cannot read $pairs"
round=1
while [ "$round" -le "$1" ]; do
	measure none
	insmod "$modules/module/allocsite.ko" || die "no allocsite.ko"
	measure auto
	rmmod allocsite || die "rmmod allocsite failed"
	round=$((round + 1))
done
rmmod asite_scale
