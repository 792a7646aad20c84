#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the root of a reference kernel, once: the stock root of that version, its kernel replaced.
# usage: reference-root.sh RELEASE [--refresh]     prints the directory; it holds what root.sh says,
#   and kernel, a link to what reference-kernel.sh made (vmlinux, config ...), and System.map
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -ge 1 ] || usage_error "usage: reference-root.sh RELEASE [--refresh]"
release=$1
read -r _ stock source <<ROW
$(reference "$release")
ROW
[ -n "$source" ] || usage_error "unknown reference kernel '$release'; known: $(known_references)"

kernel=$("$vm_dir/reference-kernel.sh" "$@") || exit
shift
stock_dir=$("$vm_dir/root.sh" "$stock" "$@") || exit
store=$VM_CACHE/root
key=$({ printf '%s\n' "$kernel" "$stock_dir"; cat "$stock_dir/packages" "$vm_dir/reference-root.sh"; } |
	sha256sum | cut -c1-12)
dir=$store/$release-$key
if [ -e "$dir/made" ]; then
	touch "$dir/made"
	printf '%s\n' "$dir"
	exit 0
fi

mkdir -p "$store" || harness_error "cannot write $store"
exec 8>"$store/$release.lock"
flock -n 8 || { say "waiting for another run that makes the root of $release"; flock 8; }
if [ -e "$dir/made" ]; then
	printf '%s\n' "$dir"
	exit 0
fi
rm -rf --one-file-system "$store/tmp.$release".*
tmp=$(mktemp -d "$store/tmp.$release.XXXXXX") || harness_error "cannot write $store"
chmod 755 "$tmp"
trap 'rm -rf --one-file-system "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say "making the root of $release from that of $stock, once"
kver=$(cat "$kernel/kver")
# A build that runs in the stock root has its mounts in a namespace of its own.
mkdir "$tmp/root" &&
	tar -C "$stock_dir/root" --one-file-system --exclude='./usr/lib/modules/*' --exclude='./lib/modules/*' \
		--exclude='./usr/src/*' --exclude='./boot/*' -cf - . | tar -C "$tmp/root" -xpf - &&
	cp -a "$kernel/root/." "$tmp/root/" &&
	cp "$kernel/config" "$tmp/root/boot/config-$kver" &&
	cp "$kernel/vmlinuz" "$kernel/System.map" "$kernel/kver" "$tmp/" &&
	ln -s "$kernel" "$tmp/kernel" || harness_error "cannot copy the root of $stock"
[ -d "$tmp/root/lib/modules/$kver/kernel" ] || harness_error "the new root has no modules of $kver"
{ cat "$stock_dir/packages"; printf '%s %s\n' "$release" "$(basename "$kernel")"; } >"$tmp/packages"

size=$(($(du -sxm "$tmp/root" | cut -f1) * 11 / 10 + 1024))
mke2fs -q -t ext4 -m 0 -L allocsite -E lazy_itable_init=0,lazy_journal_init=0 \
	-d "$tmp/root" "$tmp/disk.img" "${size}M" >"$tmp/log" 2>&1 ||
	{ cat "$tmp/log" >&2; harness_error "mke2fs failed"; }
: >"$tmp/made"
mv "$tmp" "$dir" || harness_error "cannot move the finished root to $dir"
# Roots of older keys that nobody used for a week.
find "$store" -mindepth 2 -maxdepth 2 -name made -path "$store/$release-*" -mtime +7 |
	while read -r old; do
		rm -rf --one-file-system "${old%/made}"
	done
printf '%s\n' "$dir"
