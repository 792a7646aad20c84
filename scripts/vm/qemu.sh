#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs one guest to its end.
# usage: qemu.sh ROOT_DIR INITRD RUN_DIR     (everything else by the VM_ variables below)
#   VM_ACCEL_USED tcg|kvm|icount, VM_SMP, VM_MEM, VM_APPEND, VM_TIMEOUT_S; VM_PLUGIN or empty
# RUN_DIR: share/ is the guest's /run/vm; dirs holds "TAG ro|rw PATH" lines; where vmrun.tar exists
# these are given as archives (shares.sh), else by 9p. The results are console (kernel log), status
# (the guest's own line), TAG.back (archives that the guest sends) and qemu.err.
# Exit: QEMU's, or 124 when the time was over.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 3 ] || usage_error "usage: qemu.sh ROOT_DIR INITRD RUN_DIR"
dir=$1
initrd=$2
run=$3

# A comma ends a QEMU option's value, two are one comma.
escape()
{
	printf '%s' "$1" | sed 's/,/,,/g'
}

append="console=ttyS0 panic=-1 oops=panic panic_on_warn=1 random.trust_cpu=on"
# Emulated 20 to 50 times slower: what locks up for 20 s on hardware does so for minutes here.
[ "$VM_ACCEL_USED" = kvm ] ||
	append="$append sysctl.kernel.watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"
append="$append vm.accel=$VM_ACCEL_USED $VM_APPEND"
if [ -e "$run/vmrun.tar" ]; then shares=tar; else shares=9p; fi
append="$append vm.shares=$shares"

set -- -machine q35 -smp "$VM_SMP" -m "$VM_MEM" -nodefaults -no-user-config -display none \
	-no-reboot -kernel "$dir/vmlinuz" -initrd "$initrd" -append "$append" \
	-drive "file=$(escape "$dir/disk.img"),format=raw,if=none,id=root,snapshot=on" \
	-device virtio-blk-pci,drive=root,serial=root \
	-serial "file:$run/console" -device virtio-serial-pci \
	-device virtio-rng-pci \
	-chardev "file,id=status,path=$(escape "$run/status")" \
	-device virtserialport,chardev=status,name=vm.status

case $VM_ACCEL_USED in
kvm) set -- "$@" -accel kvm -cpu host ;;
tcg) set -- "$@" -accel "tcg,thread=${VM_TCG_THREAD:-multi}" -cpu max ;;
icount) set -- "$@" -accel tcg -icount shift=0,sleep=off -cpu max ;;
esac

[ -z "${VM_PLUGIN-}" ] || set -- "$@" -plugin "$VM_PLUGIN"

if [ -e "$run/share/command" ]; then
	set -- "$@" -chardev "file,id=out,path=$(escape "$run/out")" \
		-device virtserialport,chardev=out,name=vm.out
else
	set -- "$@" -chardev stdio,id=out,signal=off -device virtconsole,chardev=out
fi

{ echo "vmrun ro $run/share"; cat "$run/dirs"; } >"$run/all-dirs"
while read -r tag mode path; do
	if [ "$shares" = tar ]; then
		set -- "$@" -drive "file=$(escape "$run/$tag.tar"),format=raw,if=none,id=$tag,readonly=on" \
			-device "virtio-blk-pci,drive=$tag,serial=$tag"
		[ "$mode" = ro ] ||
			set -- "$@" -chardev "file,id=$tag-back,path=$(escape "$run/$tag.back")" \
				-device "virtserialport,chardev=$tag-back,name=vm.$tag"
		continue
	fi
	option="local,path=$(escape "$path"),mount_tag=$tag,security_model=none,multidevs=remap"
	[ "$mode" = rw ] || option=$option,readonly=on
	set -- "$@" -virtfs "$option"
done <"$run/all-dirs"

# The output comes through a pipe: QEMU must not truncate, nor make non-blocking, what the caller
# gave as stdout. This shell's own writing end lets the reader live until QEMU is gone.
if [ -e "$run/share/command" ]; then
	mkfifo "$run/out" || exit "$VM_HARNESS"
	# When the caller stops reading, the guest still runs to its end.
	{ cat || cat >/dev/null; } <"$run/out" &
	reader=$!
	exec 3</dev/null 4>"$run/out"
else
	reader=
	exec 3<&0 4>/dev/null
fi

export TMPDIR="$run"
# shellcheck disable=SC2153 # set by vm.sh
setpriv --pdeathsig TERM timeout --foreground -k 5 "$VM_TIMEOUT_S" \
	qemu-system-x86_64 "$@" <&3 4>&- 2>"$run/qemu.err" &
qemu=$!
trap 'kill "$qemu" 2>/dev/null; wait "$qemu"; exit 130' INT
trap 'kill "$qemu" 2>/dev/null; wait "$qemu"; exit 143' TERM HUP
wait "$qemu"
status=$?
exec 4>&-
[ -z "$reader" ] || wait "$reader"
exit "$status"
