# SPDX-License-Identifier: GPL-2.0-only
# usage: awk [-v z=Z] [-v kinds=KIND,...] -f sampled.awk SITES EXPECT
# Compares a sampled report (sites, version 2) with asite_load's expect, as compare.awk does an exact
# one: live objects and total objects of each function, kind, size and cache within Z standard errors
# of what is expected (5), their sums over all rows too. The error is that of the expected number,
# sqrt(n (1 - p)) / p with p = 1 - exp(-size / N): a row of which nothing is in the sample has none of
# its own. Few objects do not follow the normal law: five more or less in the sample are let pass,
# where it is likely at all that one is not in it. Only slab memory is sampled: rows of pages, vmalloc
# and per-CPU memory are exact, to the byte. Says how many rows were compared and the largest distance.
# kinds: as of compare.awk.

function complain(what, got, want, error)
{
	printf "%s: got %d, expected %d with an error of %.1f\n", what, got, want, error
	bad = 1
}

function check(what, got, want, variance, slack,	error, off)
{
	error = sqrt(variance)
	off = got > want ? got - want : want - got
	# 1: they are rounded.
	if (off > z * error + slack + 1)
		complain(what, got, want, error)
	if (error > 1 && off / error > farthest)
		farthest = off / error
}

# few(N, WEIGHT): what five objects of the sample stand for, unless all of N are sure to be in it.
function few(n, weight)
{
	return n * (1 - 1 / weight) > 0.0001 ? 5 * weight : 0
}

# exact(WHAT, GOT, WANTED)
function exact(what, got, want)
{
	if (got + 0 != want)
		complain(what, got + 0, want, 0)
}

function is_slab(kind)
{
	return kind ~ /^(kmalloc|kmalloc_large|kmem_cache)$/
}

BEGIN {
	if (!z)
		z = 5
}

FNR == 1 {
	file++
}

file == 1 && /^# sampled: 1 in / {
	every = $5
}

# live_bytes live_objects total_objects requested, 3 errors, 2 counts, kind size cache site
file == 1 && $1 ~ /^[0-9]+$/ {
	func_name = $13
	sub(/\+0x.*/, "", func_name)
	key = func_name " " $10 " " $11 " " ($10 == "kmem_cache" ? $12 : "-")
	bytes[key] += $1
	live[key] += $2
	total[key] += $3
	if ($14 == "[asite_load]")
		ours[key] = 1
	rows++
}

# function kind size cache live_objects total_objects requested_bytes live_bytes; for pages and areas
# more than one for one key add up.
file == 2 && $1 !~ /^#/ && NF == 8 && !is_slab($2) {
	if (kinds == "" || index("," kinds ",", "," $2 ",")) {
		key = $1 " " $2 " " $3 " -"
		wanted[key] = 1
		whole[key] = 1
		want_live[key] += $5
		want_total[key] += $6
		want_bytes[key] += $8
		expected++
	}
	next
}

file == 2 && $1 !~ /^#/ && NF == 8 {
	key = $1 " " $2 " " $3 " " $4
	wanted[key] = 1
	weight = 1 / (1 - exp(-$3 / every))
	check(key " live objects", live[key] + 0, $5, $5 * weight * (weight - 1), few($5, weight))
	check(key " total objects", total[key] + 0, $6, $6 * weight * (weight - 1), few($6, weight))
	live_bytes += live[key] * $3
	total_bytes += total[key] * $3
	live_wanted += $5 * $3
	total_wanted += $6 * $3
	live_variance += $5 * weight * (weight - 1) * $3 * $3
	total_variance += $6 * weight * (weight - 1) * $3 * $3
	rounding += $3 / 2
	expected++
}

END {
	# Rows are rounded to objects, some of them large.
	check("live bytes of all rows", live_bytes, live_wanted, live_variance, rounding)
	check("allocated bytes of all rows", total_bytes, total_wanted, total_variance, rounding)
	for (key in whole) {
		exact(key " live objects", live[key], want_live[key])
		exact(key " total objects", total[key], want_total[key])
		exact(key " live bytes", bytes[key], want_bytes[key])
	}
	for (key in ours)
		if (!(key in wanted))
			complain(key " objects", total[key], 0, 0)
	if (!every || !rows || expected < 20) {
		printf "sampled 1 in %d, %d rows, %d expected\n", every, rows, expected
		bad = 1
	}
	printf "compared %d rows, at most %.1f errors off; live bytes %d of %d, allocated %d of %d, error %d\n", \
		expected, farthest, live_bytes, live_wanted, total_bytes, total_wanted, sqrt(total_variance) \
		>"/dev/stderr"
	exit bad
}
