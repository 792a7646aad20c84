#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Spelling, by codespell.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

if have_tool "codespell" codespell; then
	# Words of this field that codespell takes for others.
	verdict "codespell" "$(project_files | grep -vE '^(LICENSE|\.clang-format)$' |
		xargs -r codespell -L 'inflight,fo,ot,te,damon' 2>&1)"
fi
finish
