#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: the hooks file of each probe= choice has the rows, backends and states expected on this kernel
# suite: main exact
# requires: root debugfs module:allocsite
# timeout: 120
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# expect/hooks-SERIES.tsv: probe, event, symbol, backend, state. A row that should not be there
# fails as one does that is missing. ASITE_RECORD=1 prints what is there, in that form.
series=$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
expected=$self_dir/expect/hooks-$series.tsv

for probe in auto tracepoint ftrace kprobe; do
	load_asite "probe=$probe"
	awk -F '\t' -v probe="$probe" -v OFS='\t' \
		'!/^#/ && NR > 1 { print probe, $1, $3, $2, $4 }' $asite/hooks >>"$tmp/hooks"
	unload_module allocsite
done
[ -z "${ASITE_RECORD:-}" ] || sed 's/^/record: /' "$tmp/hooks"
[ -f "$expected" ] || fail "no $expected: a kernel whose hooks nobody has looked at"
grep -Ev '^(#|$)' "$expected" | sort >"$tmp/expected"
expect_at_least "rows expected" "$(wc -l <"$tmp/expected")" 20
sort "$tmp/hooks" >"$tmp/sorted"
if ! diff "$tmp/expected" "$tmp/sorted" >"$tmp/diff"; then
	sed -n -e 's/^</missing:/p' -e 's/^>/not expected:/p' "$tmp/diff" | head -n 40
	fail "the hooks of $series differ from $expected"
fi
