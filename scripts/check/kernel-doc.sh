#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel-doc comments of headers and sources are complete and well formed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh
. scripts/check/packages.sh

if ! kdir=$(headers_dir); then
	not_ok "kernel-doc at hand" "the kernel's header packages could not be unpacked"
	finish
fi
project_files 'include/allocsite/*.h' 'include/compat/*.h' 'module/*.c' >"$results/files"
# -v adds return values without a description; newer kernels call it -Wall. It also takes the
# blank line before "Context:" amiss in comments of functions without parameters.
xargs -r "$kdir/scripts/kernel-doc" -none -v <"$results/files" 2>&1 |
	grep -vE ': info: Scanning doc for|: contents before sections$|^[0-9]+ warnings$' >"$results/said"
while IFS= read -r file; do
	verdict "kernel-doc $file" "$(grep -F "$file:" "$results/said")"
done <"$results/files"
verdict "kernel-doc ran well" "$(grep -vF -f "$results/files" "$results/said")"
finish
