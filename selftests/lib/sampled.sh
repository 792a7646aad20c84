# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# Comparing a sampled report with asite_load's expect. Sourced after common.sh.

# sampled_match: within 5 standard errors; the differences are in $tmp/differences.
sampled_match()
{
	cat $load/expect >"$tmp/expect"
	snapshot "$tmp/sites"
	awk -v kinds="$(kinds_followed)" -f "$lib_dir/sampled.awk" "$tmp/sites" "$tmp/expect" \
		>"$tmp/differences" 2>"$tmp/compared"
}

# check_sampled WHEN [SECONDS]: the same, a failure of the test if not so in time.
check_sampled()
{
	if loop_until "${2:-0}" sampled_match; then
		echo "$1: $(cat "$tmp/compared")"
		return 0
	fi
	head -n 20 "$tmp/differences"
	sed -n 's/^# loss/loss:/p' "$tmp/sites"
	fail "$1: $(wc -l <"$tmp/differences") differences between expect and the sample"
}

# sampled_sum FUNCTION COLUMN FILE: as site_sum, of a sampled report.
# Columns: 1 live bytes, 2 live objects, 3 total objects, 8 live and 9 total in the sample.
sampled_sum()
{
	awk -v func_name="$1" -v column="$2" '
		$1 ~ /^[0-9]+$/ { f = $13; sub(/\+0x.*/, "", f) }
		$1 ~ /^[0-9]+$/ && f == func_name { sum += $column }
		END { printf "%d\n", sum }' "$3"
}
