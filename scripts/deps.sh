#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Names and installs, with apt, the packages that targets of the Makefile need.
# usage: [NO_INSTALL=1] deps.sh TARGET...    targets: build check demo bench oracle
# With NO_INSTALL=1 it only names what is missing, and fails if anything is.
set -u

build='make gcc libc6-dev libelf1'
vm='make qemu-system-x86 mmdebstrap debian-archive-keyring e2fsprogs
	xz-utils util-linux git'
# The reference kernels are built in a root of their own; loads.c is linked statically here.
bench='gcc libc6-dev binutils python3'
check="$build gcc-12 perl python3 sparse codespell shellcheck devscripts git xz-utils"

say()
{
	printf 'deps: %s\n' "$*" >&2
}

wanted=
for target in "$@"; do
	case $target in
	build)
		wanted="$wanted $build"
		[ -d "/lib/modules/$(uname -r)/build" ] ||
			say "build: no headers of the running kernel: install linux-headers-$(uname -r) or pass KDIR=..."
		;;
	check) wanted="$wanted $check $vm" ;;
	demo) wanted="$wanted $vm perl libdevel-nytprof-perl" ;;
	bench) wanted="$wanted $vm $bench" ;;
	oracle) wanted="$wanted $vm perl python3" ;;
	*) say "unknown target '$target'; known: build check demo bench oracle"; exit 2 ;;
	esac
done
[ -n "$wanted" ] || { say "usage: deps.sh build|check|demo|bench|oracle..."; exit 2; }

missing=
for package in $(printf '%s\n' $wanted | sort -u); do
	dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

say "missing:$missing"
if [ "${NO_INSTALL:-}" = 1 ]; then
	say "install with: apt-get install --no-install-recommends$missing"
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	say "not root: run apt-get install --no-install-recommends$missing"
	exit 1
fi

export DEBIAN_FRONTEND=noninteractive
install()
{
	# shellcheck disable=SC2086 # a list of words
	apt-get install -y -q --no-install-recommends $missing >&2
}
# Fresh lists only when the ones at hand do not serve.
install || { apt-get update -q >&2 && install; } || {
	say "apt could not install:$missing"
	exit 1
}
