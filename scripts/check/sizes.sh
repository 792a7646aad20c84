#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sizes: .c 600 lines (a note), 900 refused; header 200 (a note), 400 refused;
# function 60 (a note), 100 refused; script 200 refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

# long_files LIMIT: of the files on stdin, those with more lines.
long_files()
{
	xargs -r wc -l | awk -v limit="$1" \
		'$2 != "total" && $1 > limit { print $2 ": " $1 " lines, more than " limit }'
}

# long_functions LIMIT: a function is from its name at column 0 to "}" at column 0.
long_functions()
{
	xargs -r awk -v limit="$1" '
		FNR == 1 { start = 0 }
		/^[a-zA-Z_].*\(/ && !/;$/ { start = FNR; name = $0; sub(/\(.*/, "", name)
			sub(/.*[ *]/, "", name) }
		/^}/ && start {
			if (FNR - start + 1 > limit)
				print FILENAME ":" start ": " name "() has " FNR - start + 1 \
					" lines, more than " limit
			start = 0
		}'
}

notes=$(project_files '*.c' | long_files 600
	project_files '*.h' | long_files 200
	project_files '*.c' '*.h' | long_functions 60)
[ -z "$notes" ] || printf '%s\n' "$notes" | sed 's/^/# note: /' >>"$results/lines"
verdict "length of .c files" "$(project_files '*.c' '*.S' | long_files 900)"
verdict "length of headers" "$(project_files '*.h' | long_files 400)"
verdict "length of functions" "$(project_files '*.c' '*.h' | long_functions 100)"
verdict "length of scripts" "$(shell_files | long_files 200)"
finish
