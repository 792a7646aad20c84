#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints one-line apt sources of a Debian suite, on the mirrors this machine's apt uses.
# usage: mirrors.sh SUITE POCKETS     (POCKETS: updates,security,backports or -)
# Reads /etc/apt (or VM_APT_DIR); no host name is known here.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 2 ] || usage_error "usage: mirrors.sh SUITE POCKETS"
apt_dir=${VM_APT_DIR:-/etc/apt}

# list_entries: "OPTIONS|URI|SUITE" per enabled binary entry, both formats.
list_entries()
{
	for file in "$apt_dir/sources.list" "$apt_dir"/sources.list.d/*.list; do
		[ -r "$file" ] && sed 's/#.*//' "$file" | awk '
			$1 == "deb" {
				options = ""; i = 2
				if ($2 ~ /^\[/) {
					for (; i <= NF; i++) {
						options = options " " $i
						if ($i ~ /\]$/) break
					}
					i++
				}
				gsub(/[][]/, "", options)
				print options "|" $i "|" $(i + 1)
			}'
	done
	for file in "$apt_dir"/sources.list.d/*.sources; do
		# The blank line at the end closes the last stanza.
		[ -r "$file" ] && { cat "$file"; echo; } | awk '
			function flush(  u, s, i, j, nu, ns) {
				if (types ~ /(^| )deb( |$)/ && enabled != "no") {
					nu = split(uris, u, " "); ns = split(suites, s, " ")
					for (i = 1; i <= nu; i++)
						for (j = 1; j <= ns; j++)
							print options "|" u[i] "|" s[j]
				}
				types = uris = suites = options = enabled = field = ""
			}
			/^#/ { next }
			/^[ \t]*$/ { flush(); next }
			/^[^ \t]/ {
				field = tolower($0); sub(/:.*/, "", field)
				value = $0; sub(/^[^:]*:[ \t]*/, "", value)
				if (field == "enabled") enabled = tolower(value)
				if (field == "trusted") options = options " trusted=" value
				if (field == "signed-by" && value ~ /^\//) {
					gsub(/[ \t]+/, ",", value)
					options = options " signed-by=" value
				}
			}
			/^[ \t]/ { value = $0; sub(/^[ \t]+/, "", value) }
			field == "types" { types = types " " value }
			field == "uris" { uris = uris " " value }
			field == "suites" { suites = suites " " value }'
	done
}

# Debian's own suites only; "archive" and "security" go by the suite's ending.
entries=$(list_entries | awk -F'|' '
	$2 ~ /^cdrom:/ { next }
	$3 ~ /^(bullseye|bookworm|trixie|forky|sid|unstable|((old)*stable|testing))(-[a-z-]+)?$/ ')
main=$(printf '%s\n' "$entries" | awk -F'|' '$3 != "" && $3 !~ /-security$/ { print; exit }')
security=$(printf '%s\n' "$entries" | awk -F'|' '$3 ~ /-security$/ { print; exit }')
[ -n "$main" ] ||
	harness_error "no Debian archive among the apt sources in $apt_dir: add one (suite $1)"
if [ -z "$security" ]; then
	# An archive at .../debian has its security suites at .../debian-security.
	security=$(printf '%s\n' "$main" | awk -F'|' -v OFS='|' '{ sub(/\/+$/, "", $2); $2 = $2 "-security"; print }')
fi

# print_source ENTRY SUITE
print_source()
{
	printf '%s\n' "$1" | awk -F'|' -v suite="$2" '{
		sub(/^ +/, "", $1)
		print "deb " ($1 == "" ? "" : "[" $1 "] ") $2 " " suite " main" }'
}

print_source "$main" "$1"
for pocket in $(printf '%s' "$2" | tr ',' ' '); do
	case $pocket in
	-) ;;
	security) print_source "$security" "$1-security" ;;
	*) print_source "$main" "$1-$pocket" ;;
	esac
done
