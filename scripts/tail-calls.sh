#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Lists tail calls (jumps) into wrappers (include/allocsite/wrapper_names.h) in a release's kernel image: the site
# is the caller's caller then. Modules are not looked at.
# usage: tail-calls.sh RELEASE        as on vm.sh's command line; boots it once for its symbols
# Prints "function -> wrapper" lines, sorted, and "# N tail calls ..." last.
set -u
dir=$(cd "$(dirname "$0")" && pwd) || exit 1

if [ $# -ne 1 ]; then
	sed -n '5,6s/^# //p' "$0" >&2
	exit 2
fi
root_dir=$("$dir/vm/root.sh" "$1") || exit
map=$("$dir/vm/system-map.sh" "$1") || exit
printf '# %s\n' "$(cat "$root_dir/kver")"
exec python3 "$dir/tail-calls.py" "$root_dir/vmlinuz" "$map"
