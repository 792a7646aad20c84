#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernel versions are tested in include/compat only, at most 5 times; module/*.c has no #if.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

version='LINUX_VERSION_CODE|KERNEL_VERSION *\('
sources=$(project_files '*.c' '*.h' '*.S' '*Kbuild' '*Makefile')
# shellcheck disable=SC2086 # a list of words
verdict "version tests are in include/compat only" \
	"$(printf '%s\n' $sources | grep -v '^include/compat/' | xargs -r grep -nE "$version")"

number=$(project_files 'include/compat/*.h' | xargs -r cat | grep -cE '#.*LINUX_VERSION_CODE')
[ "$number" -gt 5 ] && over="$number version tests, more than 5: can a row of features.tbl tell?"
verdict "at most 5 version tests" "${over:-}"

verdict "no #if in module/*.c" \
	"$(project_files 'module/*.c' | xargs -r grep -nE '^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)\b')"
finish
