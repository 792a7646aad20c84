#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the root that reference kernels are built in, once: compiler, tools, unpacked source.
# usage: reference-source.sh RELEASE [--refresh]     prints the directory that holds
#   root/      the root: /usr/src/linux-source-*, and /build for objects
#   version    of the source package; date: of its release
#   packages   name and version of every package
#   debian     Debian's configuration of that version
# Both variants of a version share it. Two runs at once are safe, as in root.sh.
# shellcheck disable=SC2016 # formats are expanded by dpkg-query
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -ge 1 ] || usage_error "usage: reference-source.sh RELEASE [--refresh]"
read -r _ stock source <<ROW
$(reference "$1")
ROW
[ -n "$source" ] || usage_error "unknown reference kernel '$1'; known: $(known_references)"
read -r _ suite pockets _ <<ROW
$(row "$stock")
ROW
[ -n "$pockets" ] || usage_error "references.tbl names $stock, which releases.tbl has not"
refresh=${2-}
config=linux-config-${source#linux-source-}
tools=gcc,make,libc6-dev,flex,bison,bc,libelf-dev,libssl-dev,python3-minimal,kmod,cpio,xz-utils

store=$VM_CACHE/reference
key=$({ printf '%s\n' "$suite" "$pockets"; cat "$vm_dir/reference-source.sh"; } | sha256sum | cut -c1-12)
dir=$store/$source-$key

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
need mmdebstrap mmdebstrap
mkdir -p "$store" || harness_error "cannot write $store"
exec 8>"$store/$source.lock"
flock -n 8 || { say "waiting for another run that unpacks $source"; flock 8; }
if is_made; then
	printf '%s\n' "$dir"
	exit 0
fi

# remove DIR...: never across a mount that something left inside.
remove()
{
	rm -rf --one-file-system "$@"
}

remove "$store/tmp.$source".*
tmp=$(mktemp -d "$store/tmp.$source.XXXXXX") || harness_error "cannot write $store"
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

say "making the root that builds $source ($suite), once; this takes minutes"
"$vm_dir/mirrors.sh" "$suite" "$pockets" >"$tmp/sources" || exit
# The host's proxies, if apt has any here.
apt-config dump 2>/dev/null | grep -i '^Acquire::https\?::Proxy ' >"$tmp/apt.conf"
set -- --mode=root --variant=minbase --include="$tools,$source,$config" \
	--aptopt="$tmp/apt.conf" --aptopt='Acquire::Retries "3"' \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
	--customize-hook='mkdir -p "$1/build"'
# As root.sh: where there are backports, kernels are taken from them.
case ,$pockets, in
*,backports,*)
	set -- "$@" --setup-hook='mkdir -p "$1/etc/apt/preferences.d"' \
		--setup-hook="printf 'Package: linux-*\\nPin: release n=$suite-backports\\nPin-Priority: 900\\n' >\"\$1/etc/apt/preferences.d/kernel\""
	;;
esac
unshare -m --propagation private mmdebstrap "$@" "$suite" "$tmp/root" - \
	<"$tmp/sources" >"$tmp/log" 2>&1 8>&- || fail "mmdebstrap failed"

chroot "$tmp/root" dpkg-query -W -f '${Package} ${Version}\n' >"$tmp/packages"
awk -v p="$source" '$1 == p { print $2 }' "$tmp/packages" >"$tmp/version"
[ "$(awk -v p="$config" '$1 == p { print $2 }' "$tmp/packages")" = "$(cat "$tmp/version")" ] ||
	fail "$source and $config are not of one version"
xz -dc "$tmp/root/usr/src/$config/config.amd64_none_amd64.xz" >"$tmp/debian" 2>>"$tmp/log" ||
	fail "no configuration in $config"
# A third of the source is one driver's headers.
tar -C "$tmp/root/usr/src" --exclude='*/drivers/gpu/drm/amd/include/*' \
	-xf "$tmp/root/usr/src/$source.tar.xz" >>"$tmp/log" 2>&1 || fail "cannot unpack $source"
# Its date becomes the kernel's, so that two builds give the same.
LC_ALL=C date -u -r "$tmp/root/usr/src/$source.tar.xz" >"$tmp/date"
rm "$tmp/root/usr/src/$source.tar.xz"

: >"$tmp/made"
[ ! -e "$dir" ] || remove "$dir"
mv "$tmp" "$dir" || harness_error "cannot move the finished root to $dir"
printf '%s\n' "$dir"
