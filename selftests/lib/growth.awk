# SPDX-License-Identifier: GPL-2.0-only
# usage: awk [-v sort_by=bytes|objects] [-v backing=1] -f growth.awk FIRST SECOND
# What grew between two snapshots of sites, by site, size and cache; largest first.
# Columns: bytes objects kind size cache site. Rows that did not grow are left out, and pages that
# only back what other rows have, unless backing=1.

FNR == 1 {
	file++
}

$1 ~ /^[0-9]+$/ {
	site = $0
	# The first word is the kind; a sampled report has more numbers before it.
	while (site ~ /^ *[0-9]/)
		sub(/^ *[^ ]+ +/, "", site)
	gsub(/ +/, " ", site)
	if (!backing && site ~ /^(slab_pages|large_pages|vmalloc_pages|percpu_pages|slab_ext) /)
		next
	sign = file == 1 ? -1 : 1
	bytes[site] += sign * $1
	objects[site] += sign * $2
}

END {
	print "# bytes objects kind size cache site"
	fflush()
	column = sort_by == "objects" ? 2 : 1
	command = "sort -k " column "," column "nr"
	for (site in bytes)
		if (bytes[site] > 0)
			printf "%12d %8d %s\n", bytes[site], objects[site], site | command
	close(command)
}
