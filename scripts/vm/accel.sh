#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints the accelerator to use for a kernel: kvm when a short boot under it reaches init, else tcg.
# usage: accel.sh ROOT_DIR INITRD     VM_ACCEL=tcg|kvm decides without a probe.
# The answer is kept per boot of this machine, QEMU and root.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 2 ] || usage_error "usage: accel.sh ROOT_DIR INITRD"
case ${VM_ACCEL-} in
tcg | kvm)
	printf '%s\n' "$VM_ACCEL"
	exit 0
	;;
'') ;;
*) usage_error "VM_ACCEL is tcg or kvm, not '$VM_ACCEL'" ;;
esac
if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
	echo tcg
	exit 0
fi

key=$({
	cat /proc/sys/kernel/random/boot_id
	qemu-system-x86_64 --version
	printf '%s\n' "$1"
	cat "$vm_dir/accel.sh"
} | sha256sum | cut -c1-12)
answer=$VM_CACHE/accel/$key
mkdir -p "$VM_CACHE/accel"
exec 8>"$answer.lock"
flock 8
if [ ! -s "$answer" ]; then
	find "$VM_CACHE/accel" -type f -mtime +7 -delete
	say "probing KVM, at most 15 s"
	if setpriv --pdeathsig TERM timeout --foreground -k 1 14 qemu-system-x86_64 \
		-machine q35,accel=kvm -cpu host -smp 2 -m 1G \
		-nodefaults -no-user-config -display none -no-reboot -serial stdio \
		-kernel "$1/vmlinuz" -initrd "$2" -append 'console=ttyS0 panic=-1 vm.probe' \
		</dev/null 2>/dev/null 8>&- | grep -q vm-probe-reached-init; then
		echo kvm >"$answer.new"
	else
		echo tcg >"$answer.new"
	fi
	mv "$answer.new" "$answer"
fi
cat "$answer"
