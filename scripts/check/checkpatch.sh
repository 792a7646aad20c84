#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's checkpatch.pl on every C and assembler file; .checkpatch.conf says what is left out.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh
. scripts/check/packages.sh

if ! dir=$(checkpatch_dir); then
	not_ok "checkpatch.pl at hand" "the package linux-source-6.1 could not be unpacked"
	finish
fi
# check_files OPTION...: one run for the files on stdin; a test per file.
check_files()
{
	cat >"$results/files"
	xargs -r "$dir/checkpatch.pl" --quiet --no-summary --terse --show-types "$@" -f \
		<"$results/files" >"$results/said" 2>&1
	while IFS= read -r file; do
		verdict "checkpatch $file" "$(grep -F "$file:" "$results/said")"
	done <"$results/files"
	# It asks git for the history of names, which a first commit does not have.
	verdict "checkpatch ran well" "$(grep -vF -f "$results/files" "$results/said" |
		grep -v '^fatal: your current branch')"
}

project_files '*.c' '*.h' '*.S' >"$results/all"
grep -v '^selftests/unit/' "$results/all" >"$results/kernel"
grep '^selftests/unit/' "$results/all" | grep -v '/shim/' >"$results/user"
check_files <"$results/kernel"
# User space has no kernel macros to prefer; the shim, which defines just those, is left out.
check_files --ignore PREFER_DEFINED_ATTRIBUTE_MACRO,CAMELCASE,VOLATILE,MULTIPLE_ASSIGNMENTS \
	<"$results/user"
finish
