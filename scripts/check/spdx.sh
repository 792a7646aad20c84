#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every source says its license in its first line (second after #!).
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

id='SPDX-License-Identifier: GPL-2[.]0(-only)?'

# complaints REGEX: names those of the files on stdin whose first line does not match.
complaints()
{
	xargs -r awk -v form="$1" '
		FNR == 1 && /^#!/ { next }
		FNR > 2 || done == FILENAME { nextfile }
		{ done = FILENAME }
		$0 !~ form { print FILENAME ": the first line is not of the form " form }'
}

verdict "SPDX line of .c and .bt" "$(project_files '*.c' '*.bt' | complaints "^// $id\$")"
verdict "SPDX line of .h and .S" "$(project_files '*.h' '*.S' | complaints "^/[*] $id [*]/\$")"
verdict "SPDX line of scripts, tables and makefiles" \
	"$( { shell_files; project_files '*.py' '*.tbl' '*.list' '*.mk' Makefile Kbuild \
		'*/Makefile' '*/Kbuild'; } | sort -u | complaints "^# $id\$")"
finish
