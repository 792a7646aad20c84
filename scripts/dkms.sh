#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Gives the module to DKMS, which builds it for this kernel and anew for each that is installed.
# usage: dkms.sh install      copies the sources to /usr/src/allocsite-VERSION, builds, installs
#        dkms.sh uninstall    takes every installed version away again
# VERSION is ASITE_VERSION of include/allocsite/abi.h.
set -u
cd "$(dirname "$0")/.." || exit 1

usage()
{
	echo "usage: dkms.sh install|uninstall" >&2
	exit 2
}

die()
{
	echo "dkms-$action: $*" >&2
	exit 1
}

# remove_versions: all that DKMS and /usr/src hold of this module.
remove_versions()
{
	for source in /usr/src/allocsite-*/; do
		[ -f "$source/dkms.conf" ] || continue
		old=${source#/usr/src/allocsite-}
		old=${old%/}
		if dkms status -m allocsite -v "$old" | grep -q .; then
			dkms remove -m allocsite -v "$old" --all ||
				die "dkms could not remove version $old: $source stays"
		fi
		rm -rf "$source"
	done
}

# copy_sources TO: what a build needs, and dkms.conf at its root.
copy_sources()
{
	mkdir -p "$1/scripts" && cp -R module include Makefile Kbuild README.md "$1/" &&
		cp scripts/gen-features.sh scripts/features.tbl "$1/scripts/" &&
		sed "s/@VERSION@/$version/" scripts/dkms.conf.in >"$1/dkms.conf" ||
		die "cannot copy the sources to $1"
	make -s -C "$1" clean || die "cannot clean the copy in $1"
}

install_version()
{
	[ -d "/lib/modules/$(uname -r)/build" ] ||
		die "no headers of the running kernel: install linux-headers-$(uname -r)"
	remove_versions
	copy_sources "/usr/src/allocsite-$version"
	for step in add build install; do
		dkms "$step" -m allocsite -v "$version" || {
			log=/var/lib/dkms/allocsite/$version/build/make.log
			[ ! -f "$log" ] || tail -n 20 "$log" >&2
			die "dkms $step failed"
		}
	done
}

[ $# -eq 1 ] || usage
action=$1
case $action in
install | uninstall) ;;
*) usage ;;
esac
version=$(sed -n 's/^#define ASITE_VERSION[[:space:]]*"\([0-9.]*\)".*/\1/p' include/allocsite/abi.h)
[ -n "$version" ] || die "no ASITE_VERSION in include/allocsite/abi.h"
command -v dkms >/dev/null || die "no dkms on this machine: apt-get install dkms"
[ "$(id -u)" = 0 ] || die "needs root's rights"
case $action in
install) install_version ;;
uninstall) remove_versions ;;
esac
