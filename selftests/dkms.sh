#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# DKMS in a guest: make dkms-install from a copy of the sources, modprobe, live data, and away again.
# usage: dkms.sh RELEASE     prints KTAP version 1 on stdout. Exit: 0 passed, 1 failed.
# The module is built in the guest, by DKMS and the guest's compiler.
set -u
self_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
vm=$self_dir/../scripts/vm.sh

[ $# -eq 1 ] || { sed -n '4p' "$0" | sed 's/^# //' >&2; exit 2; }
exec "$vm" "$1" --smp 2 --timeout "${ASITE_VM_TIMEOUT:-2400}" -- \
	sh /allocsite/selftests/dkms-guest.sh
