#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the root of a release, once: the build root (a directory) and the guest's disk.
# usage: root.sh RELEASE [--refresh]     prints the directory that holds
#   root/      the Debian root, with gcc and the kernel's headers
#   disk.img   the same as an ext4 image with 1 GiB free
#   kver       the kernel's release as uname -r gives it
#   vmlinuz    its image
# Two runs at once are safe (flock); what a killed run left is removed by the next.
# shellcheck disable=SC2016 # hooks and formats are expanded by mmdebstrap and dpkg-query
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -ge 1 ] || usage_error "usage: root.sh RELEASE [--refresh]"
release=$1
refresh=${2-}
[ -n "$(row "$release")" ] ||
	usage_error "unknown release '$release'; known: $(known_releases)"
read -r _ suite pockets packages <<ROW
$(row "$release")
ROW

key=$({ row "$release"; cat "$vm_dir/packages.list" "$vm_dir/root.sh"; } | sha256sum | cut -c1-12)
store=$VM_CACHE/root
dir=$store/$release-$key

is_made()
{
	[ -e "$dir/made" ] && [ -z "$refresh" ]
}

if is_made; then
	touch "$dir/made"
	printf '%s\n' "$dir"
	exit 0
fi

[ "$(id -u)" = 0 ] || harness_error "making a root needs root's rights"
need flock util-linux
need unshare util-linux
need mke2fs e2fsprogs
need mmdebstrap mmdebstrap

mkdir -p "$store" || harness_error "cannot write $store"
exec 8>"$store/$release.lock"
flock -n 8 || { say "waiting for another run that makes the root of $release"; flock 8; }
if is_made; then
	printf '%s\n' "$dir"
	exit 0
fi

# remove DIR...: never across a mount that something left inside.
remove()
{
	rm -rf --one-file-system "$@"
}

remove "$store/tmp.$release".*
tmp=$(mktemp -d "$store/tmp.$release.XXXXXX") || harness_error "cannot write $store"
chmod 755 "$tmp"
trap 'remove "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail()
{
	say "$1; the last lines of its log:"
	tail -n 20 "$tmp/log" >&2
	exit "$VM_HARNESS"
}

say "making the root of $release ($suite), once; this takes minutes"
"$vm_dir/mirrors.sh" "$suite" "$pockets" >"$tmp/sources" || exit

include=$(grep -v '^#' "$vm_dir/packages.list" | tr '\n' ',')$packages
# The host's proxies, if apt has any here.
apt-config dump 2>/dev/null | grep -i '^Acquire::https\?::Proxy ' >"$tmp/apt.conf"

# Documents, and drivers no guest of ours has, stay out. update-initramfs does nothing:
# the harness boots with an initramfs of its own.
set -- --mode=root --variant=minbase --include="$include" \
	--aptopt="$tmp/apt.conf" --aptopt='Acquire::Retries "3"' \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*'
for part in gpu media staging infiniband iio isdn usb hid net/wireless net/ethernet/mellanox \
	net/ethernet/intel net/ethernet/broadcom net/ethernet/chelsio net/ethernet/qlogic; do
	set -- "$@" --dpkgopt="path-exclude=*/lib/modules/*/kernel/drivers/$part/*"
done
set -- "$@" --dpkgopt='path-exclude=*/lib/modules/*/kernel/sound/*' \
	--essential-hook='chroot "$1" dpkg-divert --quiet --local --rename --add /usr/sbin/update-initramfs' \
	--essential-hook='ln -s /bin/true "$1/usr/sbin/update-initramfs"' \
	--customize-hook='mkdir -p "$1/allocsite" "$1/share" "$1/build"' \
	--customize-hook='echo allocsite-guest >"$1/etc/hostname"' \
	--customize-hook='echo "127.0.0.1 localhost allocsite-guest" >"$1/etc/hosts"' \
	--customize-hook='rm -f "$1/etc/resolv.conf"'
case ,$pockets, in
*,backports,*)
	set -- "$@" --setup-hook='mkdir -p "$1/etc/apt/preferences.d"' \
		--setup-hook="printf 'Package: linux-*\\nPin: release n=$suite-backports\\nPin-Priority: 900\\n' >\"\$1/etc/apt/preferences.d/kernel\""
	;;
esac
unshare -m --propagation private mmdebstrap "$@" "$suite" "$tmp/root" - \
	<"$tmp/sources" >"$tmp/log" 2>&1 8>&- || fail "mmdebstrap failed"

kver=$(cd "$tmp/root/lib/modules" 2>/dev/null && for d in *; do [ -d "$d/kernel" ] && echo "$d"; done)
case $kver in
'' | *[!A-Za-z0-9.+_-]*) fail "not exactly one kernel in the root: '$kver'" ;;
esac
[ -d "$tmp/root/lib/modules/$kver/build/" ] ||
	[ -d "$tmp/root/$(readlink "$tmp/root/lib/modules/$kver/build")" ] ||
	fail "the root has no headers for $kver"
cp "$tmp/root/boot/vmlinuz-$kver" "$tmp/vmlinuz" || fail "no image of $kver"
rm -f "$tmp/root/boot/vmlinuz-$kver"
printf '%s\n' "$kver" >"$tmp/kver"
# Debian's own System.map is a stub; system-map.sh makes the real one.
rm -f "$tmp/root/boot/System.map-$kver"
chroot "$tmp/root" dpkg-query -W -f '${Package} ${Version}\n' >"$tmp/packages"

size=$(($(du -sxm "$tmp/root" | cut -f1) * 11 / 10 + 1024))
mke2fs -q -t ext4 -m 0 -L allocsite -E lazy_itable_init=0,lazy_journal_init=0 \
	-d "$tmp/root" "$tmp/disk.img" "${size}M" >>"$tmp/log" 2>&1 || fail "mke2fs failed"

: >"$tmp/made"
if [ -e "$dir" ]; then
	# --refresh: a guest that runs keeps its open disk.
	mv "$dir" "$store/tmp.$release.old$$" && remove "$store/tmp.$release.old$$"
fi
mv "$tmp" "$dir" || harness_error "cannot move the finished root to $dir"
# Roots of older keys that nobody used for a week.
find "$store" -mindepth 2 -maxdepth 2 -name made -path "$store/$release-*" -mtime +7 |
	while read -r old; do
		remove "${old%/made}"
	done
printf '%s\n' "$dir"
