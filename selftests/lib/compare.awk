# SPDX-License-Identifier: GPL-2.0-only
# usage: awk [-v kinds=KIND,...] -f compare.awk SITES EXPECT
# Compares a snapshot of allocsite's sites with asite_load's expect, row by row:
# live bytes, live objects, total objects, requested bytes, summed over the call
# sites of a function for each kind, size and cache. Every difference is a line;
# so is a row of asite_load that nothing expects. The status is 1 if there is one.
# "# total" must be the sum of the rows that are no backing, "# kind" and "# backing" those of theirs.
# kinds: what allocsite was told to follow (slab,page,vmalloc,percpu); other rows are left out.

function complain(what, got, want)
{
	print what ": got " got ", expected " want
	bad = 1
}

# Is a row of this kind followed?
function followed(kind)
{
	if (kind ~ /^(kmalloc|kmalloc_large|kmem_cache)$/)
		kind = "slab"
	return kinds == "" || index("," kinds ",", "," kind ",")
}

function compare(what, got, want)
{
	if (got + 0 != want)
		complain(key " " what, got + 0, want)
}

# sum_up(KIND): a row of sites, in the sums that the head of sites has too.
function sum_up(kind,	i)
{
	group = kind ~ /^(kmalloc|kmalloc_large|kmem_cache)$/ ? "slab" : kind
	sum_bytes[group] += $1
	sum_objects[group] += $2
	if (kind !~ /^(slab|large|vmalloc|percpu)_pages$|^slab_ext$/)
		for (i = 1; i <= 4; i++)
			sum[i] += $i
}

FNR == 1 {
	file++
}

file == 1 && /^# total / {
	for (i = 1; i <= 4; i++)
		head_total[i] = $(i + 2)
}

file == 1 && /^# (kind|backing) / {
	head_bytes[$3] = $4
	head_objects[$3] = $5
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
	sum_up($5)
	rows++
}

# Rows of expect: function kind size cache live_objects total_objects requested_bytes live_bytes
# More than one for one key add up.
file == 2 && $1 !~ /^#/ && NF == 8 && followed($2) {
	key = $1 " " $2 " " $3 " " $4
	wanted[key] = 1
	want_objects[key] += $5
	want_total[key] += $6
	want_requested[key] += $7
	want_bytes[key] += $8
	expected++
}

END {
	for (key in wanted) {
		compare("live objects", live_objects[key], want_objects[key])
		compare("live bytes", live_bytes[key], want_bytes[key])
		compare("total objects", total_objects[key], want_total[key])
		compare("requested bytes", requested_bytes[key], want_requested[key])
	}
	# What overflows is in the sums of its kind, but does not say which.
	for (i = 1; i <= 4 && !("overflow" in sum_bytes); i++)
		if (head_total[i] != sum[i] + 0)
			complain("column " i " of # total", head_total[i], sum[i] + 0)
	for (group in head_bytes)
		if (!("overflow" in sum_bytes) && (head_bytes[group] != sum_bytes[group] + 0 ||
						   head_objects[group] != sum_objects[group] + 0))
			complain("bytes of " group, head_bytes[group], sum_bytes[group] + 0)
	for (key in ours)
		if (!(key in wanted))
			complain(key " objects", total_objects[key], "no such row")
	if (!rows)
		complain("rows of sites", 0, "some")
	if (expected < 20)
		complain("rows of expect", expected + 0, "at least 20")
	exit bad
}
