#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Shell scripts: they parse, shellcheck finds nothing, and what is not bash has no bashisms.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

shell_files >"$results/all"
while IFS= read -r file; do
	head -n 1 "$file" | grep -q bash || printf '%s\n' "$file"
done <"$results/all" >"$results/posix"

verdict "sh -n" "$(while IFS= read -r file; do sh -n "$file" 2>&1; done <"$results/posix")"
if have_tool "busybox sh -n" busybox; then
	verdict "busybox sh -n" \
		"$(while IFS= read -r file; do busybox sh -n "$file" 2>&1; done <"$results/posix")"
fi
# The slow two look only at files that have not yet passed in this form, with these
# tools, and with these files that are sourced.
marks=$cache/shell-passed
common=$( { shellcheck --version
	project_files '*/shell.sh' '*lib.sh' '*common.sh' '*ktap.sh' | xargs cat; } 2>/dev/null |
	sha256sum | cut -c1-16)
mark_of()
{
	printf '%s/%s-%s' "$marks" "$common" "$(sha256sum <"$1" | cut -c1-32)"
}
while IFS= read -r file; do
	[ -e "$(mark_of "$file")" ] || printf '%s\n' "$file"
done <"$results/all" >"$results/new"

# Left out: dynamic paths of sourced files (1090, 1091), and what is below a warning.
tools=0
if have_tool "shellcheck" shellcheck; then
	tools=$((tools + 1))
	xargs -r -P "$(nproc)" -n 8 shellcheck -x -S warning -P SCRIPTDIR -P . -P scripts/vm \
		-e SC1090,SC1091 -f gcc <"$results/new" >"$results/shellcheck" 2>&1
	verdict "shellcheck" "$(cat "$results/shellcheck")"
fi
if have_tool "checkbashisms" checkbashisms; then
	tools=$((tools + 1))
	# It warns of sourced files, which have no #!, and takes "1 << 5" for a here document.
	grep -xF -f "$results/new" "$results/posix" | xargs -r checkbashisms -f 2>&1 |
		grep -vE 'interpreter line;|^you may get strange|Unterminated heredoc .* Wanted: <[0-9]' \
			>"$results/bashisms"
	verdict "checkbashisms" "$(cat "$results/bashisms")"
fi
if [ "$tools" -eq 2 ] && mkdir -p "$marks"; then
	while IFS= read -r file; do
		grep -qF "$file" "$results/shellcheck" "$results/bashisms" || : >"$(mark_of "$file")"
	done <"$results/new"
fi

not_executable=$(while IFS= read -r file; do
	[ -x "$file" ] || ! head -n 1 "$file" | grep -q '^#!' || echo "$file"
done <"$results/all" | grep '\.sh$')
verdict ".sh files with #! are executable" "$not_executable"
finish
