#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints the path of a release's System.map, in the cache. Debian ships a stub, so the guest's own
# kallsyms are taken, of one boot without address randomisation.
# usage: system-map.sh RELEASE
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 1 ] || usage_error "usage: system-map.sh RELEASE"
dir=$(root_of "$1") || exit
map=$dir/System.map
if [ ! -s "$map" ]; then
	trap 'rm -f "$map.$$"' EXIT
	"$vm_dir/../vm.sh" "$1" --no-allocsite --append nokaslr -- \
		sh -c 'grep -v "\[" /proc/kallsyms' >"$map.$$" || exit
	grep -Eq ' T __kmalloc(_noprof)?$' "$map.$$" || harness_error "the guest gave no symbols"
	mv "$map.$$" "$map"
fi
printf '%s\n' "$map"
