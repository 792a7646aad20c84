#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the initramfs that mounts the root: busybox, the modules it needs, initramfs-init.
# usage: initrd.sh ROOT_DIR     (from root.sh)     prints the path of the image
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 1 ] || usage_error "usage: initrd.sh ROOT_DIR"
dir=$1
root=$dir/root
kver=$(cat "$dir/kver") || exit "$VM_HARNESS"

image=$dir/initrd-$(hash_of "$vm_dir/initrd.sh" "$vm_dir/initramfs-init" "$vm_dir/lib.sh").img
exec 8>"$dir/initrd.lock"
flock 8
if [ -e "$image" ]; then
	printf '%s\n' "$image"
	exit 0
fi
# Another checkout may boot another initrd: only leftovers of killed runs go.
rm -rf "$dir"/tmp.initrd.*
tmp=$(mktemp -d "$dir/tmp.initrd.XXXXXX") || harness_error "cannot write $dir"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -p "$tmp/tree/bin" "$tmp/tree/modules" "$tmp/tree/proc" "$tmp/tree/sys" \
	"$tmp/tree/dev" "$tmp/tree/root"
cp "$root/bin/busybox" "$tmp/tree/bin/" || harness_error "the root has no busybox"
for name in sh mount mkdir insmod poweroff grep usleep switch_root tar cat; do
	ln -s busybox "$tmp/tree/bin/$name"
done
cp "$vm_dir/initramfs-init" "$tmp/tree/init"
chmod 755 "$tmp/tree/init"

# crc32c: up to 6.12 ext4 asks the crypto API for it, by name and not by symbol.
names="virtio_pci virtio_blk virtio_console"
! has_module "$dir" crc32c_generic || names="$names crc32c_generic"
names="$names ext4"
! has_module "$dir" 9p || names="$names 9p 9pnet_virtio"

# modprobe names the files in the order they must be loaded in; what is built in has no file.
for name in $names; do
	chroot "$root" modprobe -S "$kver" --show-depends "$name" ||
		harness_error "the kernel $kver has no module $name"
done >"$tmp/depends" || exit
awk '$1 == "insmod" && !seen[$2]++ { print $2 }' "$tmp/depends" >"$tmp/list"
number=100
while read -r module; do
	file=$tmp/tree/modules/$number-$(basename "$module")
	cp "$root$module" "$file" || exit "$VM_HARNESS"
	case $file in
	*.xz) xz -d "$file" || exit "$VM_HARNESS" ;;
	*.ko) ;;
	*) harness_error "no way to unpack $module" ;;
	esac
	number=$((number + 1))
done <"$tmp/list"
[ -s "$tmp/depends" ] || harness_error "no modules found for $kver"

# The root's own cpio: the host may have none.
# shellcheck disable=SC2016 # expanded in the root
tar -C "$tmp/tree" -cf - . | chroot "$root" sh -c '
	tree=$(mktemp -d) && tar -C "$tree" -xf - && cd "$tree" && find . | cpio --quiet -o -H newc
	status=$?; rm -rf "$tree"; exit $status' >"$tmp/image" || harness_error "cpio failed"
mv "$tmp/image" "$image" || harness_error "cannot write $image"
printf '%s\n' "$image"
