#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs a suite of the functional tests in a guest (scripts/vm.sh): one boot, many tests.
# usage: vm-suite.sh RELEASE SUITE [TEST...]     prints KTAP version 1 on stdout
#   smp1 smp2    suite main on one and on two CPUs
#   exact        the tests of exact counts and hooks, on two CPUs
#   stacks       stacks compared with the kernel's by the million, two CPUs
#   quiet        what holds only without interrupts that come by chance, on one CPU whose clock counts
#                its instructions: what else the host does changes nothing
#   race         a storm of allocations and frees, each CPU emulated by a thread of its own
#   cycles       load, unload, on and off, 200 times each, on two CPUs
#   evict        stacks that make room for others, two CPUs, built with EVICT=1
#   nodebugfs    a boot with debugfs=off
#   splat        what makes the kernel itself warn
#   oom          a small guest that runs out of memory
#   kfence       suite main on two CPUs, with KFENCE taking an object each millisecond
# TEST...: names of tests instead of the suite's, booted with the suite's options.
# Environment: ASITE_* is handed to the guest (see README.md); ASITE_VM_SHARE: a directory to be
# /share there, from which TEST may name scripts. Exit: 0 passed, 1 failed, 4 all skipped.
set -u
self_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
vm=$self_dir/../scripts/vm.sh

usage()
{
	sed -n '4,17s/^# //p' "$0" >&2
	exit 2
}

[ $# -ge 2 ] || usage
release=$1
suite=$2
shift 2
tests=$*

# An emulated CPU shared with others is slow: the limits are there for what hangs.
: "${ASITE_TIMEOUT_FACTOR:=4}"
export ASITE_TIMEOUT_FACTOR

# The guest's command, with the ASITE_ variables of this environment.
environment=$(env | grep '^ASITE_[A-Z_]*=[A-Za-z0-9_.,/-]*$' | tr '\n' ' ')
guest_suite=$suite
set -- --timeout "${ASITE_VM_TIMEOUT:-2400}"
[ -z "${ASITE_VM_SHARE:-}" ] || set -- "$@" --share "$ASITE_VM_SHARE"
case $suite in
smp1)
	set -- "$@" --smp 1
	guest_suite=main
	;;
smp2)
	set -- "$@" --smp 2
	guest_suite=main
	;;
kfence)
	set -- "$@" --smp 2 --append kfence.sample_interval=1
	guest_suite=main
	;;
cycles | exact | stacks) set -- "$@" --smp 2 ;;
evict)
	set -- "$@" --smp 2
	export MAKE_ARGS="${MAKE_ARGS:+$MAKE_ARGS }EVICT=1"
	;;
quiet) set -- "$@" --icount ;;
race) set -- "$@" --smp 2 --append maxcpus=1 ;;
nodebugfs) set -- "$@" --append debugfs=off ;;
splat)
	set -- "$@" --smp 2 --append panic_on_warn=0 \
		--expect-splat 'Slab cache still has objects|BUG asite_load_leak'
	;;
oom) set -- "$@" --smp 2 --mem 768M --expect-splat 'invoked oom-killer' ;;
*) usage ;;
esac

# One thread for all CPUs wherever probes come and go under load: see scripts/vm/README.md.
[ "$suite" = race ] || export VM_TCG_THREAD="${VM_TCG_THREAD:-single}"
exec "$vm" "$release" "$@" -- sh -c \
	"$environment exec /allocsite/selftests/lib/run.sh -s $guest_suite $tests"
