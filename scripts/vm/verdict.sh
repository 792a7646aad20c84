#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What a guest's end means: the words on stderr and the status of vm.sh.
# usage: verdict.sh RUN_DIR QEMU_STATUS TIMEOUT_S EXPECTED_SPLAT
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 4 ] || usage_error "usage: verdict.sh RUN_DIR QEMU_STATUS TIMEOUT_S EXPECTED_SPLAT"
run=$1
ended=$2

# Bits of the kernel's taint that no healthy guest has: bad page (5), died (7), warned (9),
# soft lockup (14).
BAD_TAINT=$((1 << 5 | 1 << 7 | 1 << 9 | 1 << 14))

show_log()
{
	[ ! -s "$run/qemu.err" ] || sed 's/^/vm: qemu: /' "$run/qemu.err" >&2
	if [ -s "$run/console" ]; then
		say "the last lines of the kernel's log:"
		tail -n 60 "$run/console" | tr -d '\r' >&2
	fi
}

read -r word status word2 tainted <"$run/status" 2>/dev/null || word=
if [ "$ended" -eq 124 ] || [ "$ended" -eq 137 ]; then
	show_log
	say "timeout: the guest was stopped after $3 s"
	exit "$VM_TIMEOUT"
elif [ "$ended" -ne 0 ] && [ ! -s "$run/console" ]; then
	show_log
	say "harness: QEMU ended with $ended before the kernel said a word"
	exit "$VM_HARNESS"
elif [ "$word" != status ] || [ "$word2" != tainted ]; then
	show_log
	say "lost: the guest ended without a status (QEMU ended with $ended)"
	exit "$VM_LOST"
fi

tr -d '\r' <"$run/console" >"$run/console.text"
if ! "$vm_dir/splat.sh" "$run/console.text" "$4" >"$run/splats"; then
	head -n 40 "$run/splats" >&2
	say "splat: in the kernel's log (line numbers as there); the command's status was $status"
	exit "$VM_SPLAT"
fi
if [ -z "$4" ] && [ $((tainted & BAD_TAINT)) -ne 0 ]; then
	show_log
	say "splat: the kernel's taint is $tainted; the command's status was $status"
	exit "$VM_SPLAT"
fi
if [ "$status" -ge 200 ]; then
	say "the command's status $status is given as 199"
	status=199
fi
exit "$status"
