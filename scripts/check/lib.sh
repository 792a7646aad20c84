# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What every checker needs: the list of files, results in KTAP, tools, the cache.
# Sourced in the top directory, never run. Sets top and cache. A checker ends with "finish".

# shellcheck disable=SC2034 # for checkers
top=$PWD
# The VM harness keeps its things in the same place.
# shellcheck disable=SC2034 # for checkers
cache=${ALLOCSITE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/allocsite}

results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
count=0
failed=0

# list_files [PATTERN...]: what git knows; a tree that belongs to another user is as good.
list_files()
{
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$top \
		git ls-files -co --exclude-standard -- "$@" || {
		echo "check: git cannot list the files of $top: nothing would be checked" >&2
		kill $$
	}
}

# project_files [PATTERN...]: files of the project, built ones left out, one a line.
# shellcheck disable=SC2120 # all of them without a pattern
project_files()
{
	list_files "$@" | sort -u |
		while IFS= read -r file; do [ -f "$file" ] && printf '%s\n' "$file"; done
}

# shell_files: every shell script, by suffix or by its first line.
shell_files()
{
	project_files | while IFS= read -r file; do
		case $file in
		*.sh) printf '%s\n' "$file" ;;
		*.*/*) head -n 1 "$file" | grep -q '^#!.*sh$' && printf '%s\n' "$file" ;;
		*.*) ;;
		*) head -n 1 "$file" | grep -q -a '^#!.*sh$' && printf '%s\n' "$file" ;;
		esac
	done
}

ok()
{
	count=$((count + 1))
	printf 'ok %d - %s\n' "$count" "$1" >>"$results/lines"
}

# not_ok NAME TEXT: TEXT says why, any number of lines.
not_ok()
{
	count=$((count + 1))
	failed=$((failed + 1))
	{
		printf '%s\n' "$2" | sed 's/^/# /'
		printf 'not ok %d - %s\n' "$count" "$1"
	} >>"$results/lines"
}

skip()
{
	count=$((count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$count" "$1" "$2" >>"$results/lines"
}

# verdict NAME TEXT: passed when TEXT, the complaints, is empty.
verdict()
{
	if [ -z "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "$2"
	fi
}

# have_tool NAME TOOL: false, and the test NAME skipped (failed when
# ASITE_REQUIRE_TOOLS=1), if TOOL is not on this machine.
have_tool()
{
	command -v "$2" >/dev/null 2>&1 && return 0
	if [ "${ASITE_REQUIRE_TOOLS:-}" = 1 ]; then
		not_ok "$1" "no $2 on this machine: run make deps"
	else
		skip "$1" "no tool $2"
	fi
	return 1
}

# finish: print the results; the status says whether all passed.
finish()
{
	printf 'KTAP version 1\n1..%d\n' "$count"
	cat "$results/lines" 2>/dev/null
	[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
	exit
}
