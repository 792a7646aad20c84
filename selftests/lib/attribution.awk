# SPDX-License-Identifier: GPL-2.0-only
# usage: awk -f attribution.awk BEFORE SITES EXPECT
# Compares a snapshot of allocsite's sites with asite_wrap's expect: what each function holds, by
# kind, size and cache (size "*": any; of what may be there, all is or nothing). Every difference is
# a line; so are objects of these functions that nothing expects. Then, for whom looks for what is
# missing, the rows of others that grew between the snapshots BEFORE and SITES. The status is 1 if
# there is a difference.

function complain(what, got, want)
{
	print what ": got " got ", expected " want
	bad = 1
}

FNR == 1 {
	file++
}

# Rows of sites: live_bytes live_objects total_objects requested kind size cache site
file <= 2 && $1 ~ /^[0-9]+$/ {
	sign = file == 1 ? -1 : 1
	func_name = $8
	sub(/\+0x.*/, "", func_name)
	cache = $5 == "kmem_cache" ? $7 : "-"
	key = func_name " " $5 " " $6 " " cache
	if ($9 == "[asite_wrap]") {
		if (file == 2) {
			live_bytes[key] += $1
			live_objects[key] += $2
			any_objects[func_name " " $5 " * " cache] += $2
			of_function[key] = func_name " " $5 " * " cache
			rows++
		}
	} else {
		others_bytes[key] += sign * $1
		others_objects[key] += sign * $2
	}
}

# Rows of expect: function kind size cache live_bytes live_objects must|may
file == 3 && $1 !~ /^#/ && NF == 7 {
	key = $1 " " $2 " " $3 " " $4
	# Two claims of one function may meet in one size class.
	wanted_bytes[key] += 0
	wanted_objects[key] += 0
	if ($7 == "may") {
		more_bytes[key] += $5
		more_objects[key] += $6
	} else {
		wanted_bytes[key] += $5
		wanted_objects[key] += $6
	}
	functions[$1] = 1
}

END {
	for (key in wanted_objects) {
		if (key ~ / \* /) {
			# What the other claims of the function do not name.
			rest = any_objects[key]
			for (other in of_function)
				if (of_function[other] == key && other in wanted_objects)
					rest -= live_objects[other]
			if (rest != wanted_objects[key])
				complain(key " live objects", rest, wanted_objects[key])
			continue
		}
		if (key in more_objects && live_objects[key] == wanted_objects[key] + more_objects[key]) {
			wanted_objects[key] += more_objects[key]
			wanted_bytes[key] += more_bytes[key]
		}
		if (live_objects[key] + 0 != wanted_objects[key])
			complain(key " live objects", live_objects[key] + 0, wanted_objects[key])
		if (live_bytes[key] + 0 != wanted_bytes[key])
			complain(key " live bytes", live_bytes[key] + 0, wanted_bytes[key])
	}
	for (key in of_function)
		if (key ~ /^wrap_/ && live_objects[key] && !(key in wanted_objects) &&
		    !(of_function[key] in wanted_objects))
			complain(key " live objects", live_objects[key], "no such row")
	for (name in functions)
		nr++
	if (nr < 30)
		complain("functions of expect", nr + 0, "at least 30")
	if (bad)
		for (key in others_objects)
			if (others_objects[key] > 0)
				print "grew elsewhere: " key ": " others_objects[key] " objects, " \
					others_bytes[key] " bytes"
	exit bad
}
