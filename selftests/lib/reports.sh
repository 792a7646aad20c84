# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# Reading allocsite's reports and asite_load's, and comparing them. Sourced by common.sh.

# -- allocsite --------------------------------------------------------------

# load_asite [PARAM=VALUE...]
load_asite()
{
	load_module allocsite "$@"
	[ -r $asite/sites ] || fail "loaded, but no $asite/sites"
}

control()
{
	echo "$1" >$asite/control || fail "control: '$1' refused"
}

# stat_value NAME: a row of stats, 0 when it is not there.
stat_value()
{
	awk -v name="$1" '$1 == name { v = $2 } END { print v + 0 }' $asite/stats
}

# head_value NAME FILE: the words after "# NAME" in a snapshot's header.
head_value()
{
	sed -n "s/^# $1 //p" "$2"
}

# site_sum FUNCTION COLUMN FILE: sum of a column over the rows of a function.
# Columns: 1 live bytes, 2 live objects, 3 total objects, 4 requested bytes.
site_sum()
{
	awk -v func_name="$1" -v column="$2" '
		$1 ~ /^[0-9]+$/ { f = $8; sub(/\+0x.*/, "", f) }
		$1 ~ /^[0-9]+$/ && f == func_name { sum += $column }
		END { printf "%d\n", sum }' "$3"
}

snapshot()
{
	cat $asite/sites >"$1" || fail "cannot read sites"
}

# kinds_followed: what allocsite was told to follow.
kinds_followed()
{
	cat /sys/module/allocsite/parameters/kinds 2>/dev/null || echo slab
}

# sites_match: what the load module expects now is what sites says. Quiet; the
# differences are in $tmp/differences.
sites_match()
{
	cat $load/expect >"$tmp/expect"
	snapshot "$tmp/sites"
	awk -v kinds="$(kinds_followed)" -f "$lib_dir/compare.awk" "$tmp/sites" "$tmp/expect" >"$tmp/differences"
}

# check_sites WHEN [SECONDS]: the same, a failure of the test if not so in time.
check_sites()
{
	loop_until "${2:-0}" sites_match && return 0
	head -n 20 "$tmp/differences"
	sed -n 's/^# loss/loss:/p' "$tmp/sites"
	fail "$1: $(wc -l <"$tmp/differences") differences between expect and sites"
}

load_control()
{
	echo "$1" >$load/control || fail "asite_load: '$1' refused"
}

load_value()
{
	awk -v name="$1" '$1 == name { print $2 }' $load/control
}
