#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds a reference kernel, once: tinyconfig with the options of reference.config and as-debian.list.
# usage: reference-kernel.sh RELEASE [--refresh]     prints the directory that holds
#   kver        the kernel's release as uname -r gives it
#   vmlinuz     its image
#   vmlinux     with debug information: addr2line -e finds file and line of an address
#   debug/      its modules with debug information
#   System.map  addresses as with nokaslr
#   config      its configuration; debian: that of Debian's kernel of this version
#   root/       what a root gets: modules, and all that external modules are built against
# VM_BUILD_NICE=N: niceness of the build. VM_KEEP_OBJECTS=1 keeps the objects, for changes of the
# configuration. A build that was interrupted is taken up again.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -ge 1 ] || usage_error "usage: reference-kernel.sh RELEASE [--refresh]"
release=$1
variant=${release##*-}
read -r _ _ source <<ROW
$(reference "$release")
ROW
[ -n "$source" ] || usage_error "unknown reference kernel '$release'; known: $(known_references)"

source_dir=$("$vm_dir/reference-source.sh" "$@") || exit
root=$source_dir/root
store=$VM_CACHE/reference
key=$({
	cat "$vm_dir/reference.config" "$vm_dir/as-debian.list" "$vm_dir/reference-config.sh" \
		"$vm_dir/reference-kernel.sh"
	grep -E '^(linux-source|gcc|binutils)' "$source_dir/packages"
} | sha256sum | cut -c1-12)
dir=$store/$release-$key
if [ -e "$dir/made" ]; then
	touch "$dir/made"
	printf '%s\n' "$dir"
	exit 0
fi
[ "$(id -u)" = 0 ] || harness_error "building a kernel in a root needs root's rights"
exec 8>"$store/$release.lock"
flock -n 8 || { say "waiting for another run that builds $release"; flock 8; }
if [ -e "$dir/made" ]; then
	printf '%s\n' "$dir"
	exit 0
fi

# Nobody makes the source's root anew meanwhile.
exec 7>>"$store/$source.lock"
flock -s 7
[ -e "$source_dir/made" ] || harness_error "$source_dir is gone: run this again"

tmp=$store/tmp.$release
rm -rf "$tmp"
mkdir -p "$tmp/root/usr" "$root/build/$variant" || harness_error "cannot write $store"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# Not below $tmp: it is there after a failure.
log=$store/$release.log
: >"$log"

# make_kernel WORD...: make in the root, results at /build/VARIANT, $tmp at /mnt.
make_kernel()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	setpriv --pdeathsig TERM unshare -m --propagation private sh -c '
		root=$1 to=$2; shift 2
		mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc" || exit
		mount --bind /dev "$root/dev" && mount -t tmpfs tmp "$root/tmp" &&
			mount --bind "$to" "$root/mnt" || exit
		exec nice -n "${VM_BUILD_NICE:-0}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
			chroot "$root" "$@"' make_kernel "$root" "$tmp" \
		make -C "/usr/src/$source" "O=/build/$variant" -j"$(nproc)" \
		KBUILD_BUILD_USER=allocsite KBUILD_BUILD_HOST=reference \
		KBUILD_BUILD_TIMESTAMP="$(cat "$source_dir/date")" "$@" </dev/null >>"$log" 2>&1 8>&- ||
		{
			tail -n 20 "$log" >&2
			harness_error "make $1 of $release failed; log: $log"
		}
}

say "building the kernel $release of $source $(cat "$source_dir/version"), once; 15 minutes of processor time"
make_kernel tinyconfig
"$vm_dir/reference-config.sh" lines "$variant" "$source_dir/debian" >>"$root/build/$variant/.config"
make_kernel olddefconfig
"$vm_dir/reference-config.sh" check "$variant" "$source_dir/debian" "$root/build/$variant/.config" ||
	harness_error "$release is not configured as wanted: reference.config, as-debian.list"
make_kernel all
kver=$(cat "$root/build/$variant/include/config/kernel.release")
make_kernel modules_install INSTALL_MOD_PATH=/mnt/debug DEPMOD=true
make_kernel modules_install INSTALL_MOD_PATH=/mnt/root/usr INSTALL_MOD_STRIP=--strip-debug
# What Debian's header packages have; without kernel symbols' versions nothing else is needed.
# shellcheck disable=SC2016 # expanded by make
make_kernel run-command \
	KBUILD_RUN_COMMAND='+$(srctree)/scripts/package/install-extmod-build '"/mnt/root/usr/src/linux-headers-$kver"
cp "$root/build/$variant/.config" "$tmp/root/usr/src/linux-headers-$kver/.config"
ln -sfn "/usr/src/linux-headers-$kver" "$tmp/root/usr/lib/modules/$kver/build"

printf '%s\n' "$kver" >"$tmp/kver"
cp "$root/build/$variant/.config" "$tmp/config" &&
	cp "$root/build/$variant/arch/x86/boot/bzImage" "$tmp/vmlinuz" &&
	cp "$root/build/$variant/vmlinux" "$root/build/$variant/System.map" "$source_dir/debian" \
		"$source_dir/packages" "$tmp/" || harness_error "cannot write $tmp"
: >"$tmp/made"
rm -rf "$dir"
mv "$tmp" "$dir" || harness_error "cannot move the finished kernel to $dir"
# Objects are not needed again; kernels of older keys go when unused for a week.
[ -n "${VM_KEEP_OBJECTS-}" ] || rm -rf "${root:?}/build/$variant"
find "$store" -mindepth 2 -maxdepth 2 -name made -path "$store/$release-*" -mtime +7 |
	while read -r old; do
		rm -rf "${old%/made}"
	done
printf '%s\n' "$dir"
