#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# scripts/features.tbl: each row is well formed, unique, and used somewhere; each use has a row.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

table=scripts/features.tbl
form=$(awk -F'|' '
	/^#/ || /^[ \t]*$/ { next }
	{
		for (i = 1; i <= NF; i++) gsub(/^[ \t]+|[ \t]+$/, "", $i)
		where = FILENAME ":" FNR ": "
		if (NF != 4) { print where NF " columns, not 4"; next }
		if ($1 !~ /^[A-Z][A-Z0-9_]*$/) print where "bad name " $1
		if ($1 in seen) print where $1 " again (first in line " seen[$1] ")"
		if ($4 == "") print where "no question"
		if ($2 == "member" && $4 !~ / \. /) print where "member wants \"struct x . y\""
		if ($2 == "signature" && $4 !~ / : /) print where "signature wants \"expression : type\""
		if ($2 == "config" && $4 !~ /^CONFIG_/) print where "config wants CONFIG_..."
		if ($2 == "export" && $4 !~ /^[a-zA-Z0-9_]+$/) print where "export wants a name"
		if ($2 == "require") {
			n = split($4, alternatives, " ")
			for (i = 1; i <= n; i++)
				if (!(alternatives[i] in seen)) print where "no earlier row " alternatives[i]
		} else if ($2 !~ /^(header|symbol|member|signature|export|config)$/)
			print where "unknown kind " $2
		seen[$1] = FNR
	}' "$table")
verdict "rows are well formed" "$form"

awk -F'|' '!/^#/ && NF > 1 { gsub(/[ \t]/, "", $1); print $1 }' "$table" | sort -u >"$results/rows"
project_files 'module/*' 'include/*' 'selftests/*.[chS]' 'selftests/*/*.[chS]' |
	xargs -r grep -ohE 'ASITE_HAVE_[A-Z0-9_]+|ASITE_IF\([A-Z0-9_]+,' |
	sed 's/^ASITE_HAVE_//; s/^ASITE_IF(//; s/,$//' | grep -vx QUESTION | sort -u >"$results/used"
verdict "each ASITE_HAVE_ in the sources has a row" "$(comm -13 "$results/rows" "$results/used")"

# A row asked for by another (require) is used; such a row itself stops the build.
awk -F'|' '!/^#/ && NF > 1 {
	gsub(/[ \t]/, "", $1); gsub(/[ \t]/, "", $2)
	if ($2 == "require") { print $1; n = split($4, alternatives, " ")
		for (i = 1; i <= n; i++) print alternatives[i] } }' "$table" |
	sort -u - "$results/used" >"$results/wanted"
verdict "each row is used" "$(comm -23 "$results/rows" "$results/wanted")"
finish
