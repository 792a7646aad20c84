# SPDX-License-Identifier: GPL-2.0-only
# usage: awk -f compare.awk SITES EXPECT
# Compares a snapshot of allocsite's sites with asite_load's expect, row by row:
# live bytes, live objects, total objects, requested bytes, summed over the call
# sites of a function for each kind, size and cache. Every difference is a line;
# so is a row of asite_load that nothing expects. The status is 1 if there is one.

function complain(what, got, want)
{
	print what ": got " got ", expected " want
	bad = 1
}

FNR == 1 {
	file++
}

# Rows of sites: live_bytes live_objects total_objects requested kind size cache site
file == 1 && $1 ~ /^-/ {
	complain($8 " " $5 " " $6 " live bytes", $1, "no negative number")
}

file == 1 && $1 ~ /^[0-9]+$/ {
	func_name = $8
	sub(/\+0x.*/, "", func_name)
	key = func_name " " $5 " " $6 " " ($5 == "kmem_cache" ? $7 : "-")
	live_bytes[key] += $1
	live_objects[key] += $2
	total_objects[key] += $3
	requested_bytes[key] += $4
	if ($9 == "[asite_load]")
		ours[key] = 1
	rows++
}

# Rows of expect: function kind size cache live_objects total_objects requested_bytes
file == 2 && $1 !~ /^#/ && NF == 7 {
	key = $1 " " $2 " " $3 " " $4
	wanted[key] = 1
	if (live_objects[key] + 0 != $5)
		complain(key " live objects", live_objects[key] + 0, $5)
	if (live_bytes[key] + 0 != $5 * $3)
		complain(key " live bytes", live_bytes[key] + 0, $5 * $3)
	if (total_objects[key] + 0 != $6)
		complain(key " total objects", total_objects[key] + 0, $6)
	if (requested_bytes[key] + 0 != $7)
		complain(key " requested bytes", requested_bytes[key] + 0, $7)
	expected++
}

END {
	for (key in ours)
		if (!(key in wanted))
			complain(key " objects", total_objects[key], "no such row")
	if (!rows)
		complain("rows of sites", 0, "some")
	if (expected < 20)
		complain("rows of expect", expected + 0, "at least 20")
	exit bad
}
