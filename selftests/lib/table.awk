# SPDX-License-Identifier: GPL-2.0-only
# usage: awk [-v top=N] -f table.awk SITES     a snapshot of sites, or what growth.awk prints
# The first N rows for people: bytes with a unit, objects, size of one, cache, site. Memory that
# backs what other rows have is left out.

function human(n)
{
	if (n >= 1048576)
		return sprintf("%.1f MiB", n / 1048576)
	if (n >= 1024)
		return sprintf("%.1f KiB", n / 1024)
	return n " B"
}

BEGIN {
	if (!top)
		top = 20
	printf "%4s  %12s %10s %9s  %-20s %s\n", "", "bytes", "objects", "each", "cache", "call site"
}

/^# bytes objects kind/ {
	growth = 1
}

$1 ~ /^[0-9]+$/ && rows < top {
	skip = growth ? 5 : 7
	cache = $skip
	size = $(skip - 1) == 0 ? "-" : $(skip - 1)
	kind = $(skip - 2)
	if (kind ~ /^(slab_pages|large_pages|vmalloc_pages|percpu_pages|slab_ext)$/)
		next
	rows++
	site = $0
	for (i = 1; i <= skip; i++)
		sub(/^ *[^ ]+ +/, "", site)
	printf "%3d.  %12s %10d %9s  %-20s %s\n", rows, human($1), $2, size, \
		cache == "-" ? kind : cache, site
}
