#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No trailing blanks, no blanks before tabs, no conflict markers, a newline at each end.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

# Every file is compared with nothing, so that old lines count too.
empty=$(git hash-object -t tree /dev/null)
verdict "tracked files: git diff --check" "$(git diff --check "$empty" -- . 2>&1)"

verdict "new files have no stray blanks" "$(git ls-files -o --exclude-standard |
	xargs -r grep -nIE '[[:blank:]]+$| +	')"

verdict "every file ends with a newline" "$(project_files | xargs -r perl -e '
	for my $file (@ARGV) {
		next unless -s $file && -T $file && open(my $handle, "<", $file);
		seek($handle, -1, 2);
		print "$file\n" if getc($handle) ne "\n";
	}')"
finish
