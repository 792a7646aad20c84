#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The configuration of a reference kernel, from reference.config and as-debian.list.
# usage: reference-config.sh lines VARIANT DEBIAN          prints what to add to tinyconfig
#        reference-config.sh check VARIANT DEBIAN RESULT   status 1, naming each line on stderr, if
#            a wanted line is missing in RESULT, or an option of as-debian.list is not Debian's
# VARIANT is tagged or untagged; DEBIAN and RESULT are .config files.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

wrong="usage: reference-config.sh lines VARIANT DEBIAN | check VARIANT DEBIAN RESULT"
[ $# -ge 3 ] || usage_error "$wrong"
variant=$2
debian=$3
for file in "$debian" ${4+"$4"}; do
	[ -s "$file" ] || harness_error "no configuration at $file"
done
grep -qxF "[$variant]" "$vm_dir/reference.config" ||
	usage_error "unknown variant '$variant': reference.config has no [$variant]"

# fragment: the lines of reference.config for this variant, "NAME VALUE", n for "not set".
fragment()
{
	awk -v variant="$variant" '
		/^\[/ { other = ($0 != "[" variant "]"); next }
		other { next }
		/^CONFIG_/ { name = $0; sub(/=.*/, "", name); sub(/^[^=]*=/, ""); print name, $0 }
		/^# CONFIG_[A-Z0-9_a-z]* is not set$/ { print $2, "n" }' "$vm_dir/reference.config"
}

# selected FILE: the options of as-debian.list that FILE has a line for, "NAME VALUE".
selected()
{
	awk '
		FNR == NR {
			if (/^#/ || !NF) next
			pattern = $1 == "!" ? $2 : $1
			gsub(/\*/, "[A-Za-z0-9_]*", pattern)
			all = $1 == "!" ? not : only
			if ($1 == "!") not = not (not == "" ? "" : "|") pattern
			else only = only (only == "" ? "" : "|") pattern
			next
		}
		/^CONFIG_/ { name = $0; sub(/=.*/, "", name); sub(/^[^=]*=/, ""); value = $0 }
		/^# CONFIG_[A-Za-z0-9_]* is not set$/ { name = $2; value = "n" }
		name != "" && name ~ "^CONFIG_(" only ")$" && name !~ "^CONFIG_(" not ")$" { print name, value }
		{ name = "" }' "$vm_dir/as-debian.list" "$1"
}

# unset lines as kconfig writes them.
as_config()
{
	awk '{ name = $1; sub(/^[^ ]* /, "") } $0 == "n" { print "# " name " is not set"; next } { print name "=" $0 }'
}

# check_wanted RESULT: each wanted line is there.
check_wanted()
{
	fragment | awk '
		FNR == NR { name = $1; sub(/^[^ ]* /, ""); want[name] = $0; next }
		/^CONFIG_/ { name = $0; sub(/=.*/, "", name); sub(/^[^=]*=/, ""); have[name] = $0 }
		END {
			for (name in want) {
				got = name in have ? have[name] : "n"
				if (got != want[name])
					print "dropped: " name "=" want[name] " became " got
			}
		}' - "$1"
}

# check_debian RESULT: an option that only one of the two knows counts as not set there; one that
# is not set where the other does not know it is no difference.
check_debian()
{
	selected "$1" >"$tmp/ours"
	selected "$debian" >"$tmp/theirs"
	awk '
		{ name = $1; sub(/^[^ ]* /, "") }
		FNR == NR { ours[name] = $0; next }
		{ theirs[name] = $0; if (!(name in ours)) ours[name] = "n" }
		END {
			for (name in ours) {
				if (!(name in theirs)) theirs[name] = "n"
				if (ours[name] != theirs[name])
					print "not as Debian: " name " is " ours[name] ", Debian " theirs[name]
			}
		}' "$tmp/ours" "$tmp/theirs"
}

case $1-$# in
lines-3)
	# The fragment last: the last line of an option counts.
	{ selected "$debian"; fragment; } | as_config
	;;
check-4)
	tmp=$(mktemp -d) || exit "$VM_HARNESS"
	trap 'rm -rf "$tmp"' EXIT
	{ check_wanted "$4"; check_debian "$4"; } | sort >"$tmp/said"
	sed 's/^/vm: config: /' "$tmp/said" >&2
	[ ! -s "$tmp/said" ]
	;;
*) usage_error "$wrong" ;;
esac
