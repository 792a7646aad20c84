# SPDX-License-Identifier: GPL-2.0-only
# The counting of summary.sh. Only leaves of nested lists are counted, once. As failed count:
#   "not ok"; a planned result that never came; "Bail out!"; a log without results;
#   a "not ok" that closes a list whose results all passed (it crashed after them);
#   a step that ended with a status although none of its results failed;
#   a skip without a reason, or not in allowed-skips.
# Per depth d of nesting: plan[d], seen[d], and at[d], the failures counted when the
# last result of that depth was read (so failed - at[d] is what its nested lists added).

BEGIN {
	while ((getline line <allowed) > 0)
		if (line !~ /^#/ && split(line, field, /[ \t]*\|[ \t]*/) > 1)
			permit[field[1]] = field[2]
}

function fail(number, why)
{
	failed += number
	if (show)
		print step ": " why
}

function is_permitted(id, reason,    pattern)
{
	if (!strict && reason ~ /^no tool /)
		return 1
	for (pattern in permit)
		if (pattern == id || (pattern ~ /\*$/ &&
		    index(id, substr(pattern, 1, length(pattern) - 1)) == 1))
			return 1
	return 0
}

function skip(name, reason)
{
	if (reason == "")
		fail(1, name ": skipped without a reason")
	else if (!is_permitted(step ":" name, reason))
		fail(1, name ": skip that allowed-skips does not list: " reason)
	else
		skipped++
}

# reason_of TEXT: what follows "# SKIP" there.
function reason_of(text)
{
	sub(/.*#[ \t]*[Ss][Kk][Ii][Pp][ \t:]*/, "", text)
	return text
}

function count_leaf(text,    name)
{
	if (text ~ /^not ok/) {
		fail(1, text)
	} else if (text ~ /#[ \t]*[Ss][Kk][Ii][Pp]/) {
		name = text
		sub(/[ \t]*#[ \t]*[Ss][Kk][Ii][Pp].*/, "", name)
		sub(/^ok [0-9]+( -)? */, "", name)
		skip(name, reason_of(text))
	} else {
		passed++
	}
}

function open_lists(depth)
{
	for (; deepest < depth; at[deepest] = failed)
		deepest++
}

function close_lists(depth,    missing)
{
	for (; deepest > depth; deepest--) {
		missing = plan[deepest] - seen[deepest]
		if (missing > 0)
			fail(missing, missing " planned results never came")
		delete plan[deepest]
		delete seen[deepest]
	}
}

$1 == "log" && /^log/ {
	step = $2
	status = $3
	deepest = -1
	open_lists(0)
	failed_before = failed
	all_before = passed + failed + skipped
	next
}

/^end$/ {
	close_lists(-1)
	if (passed + failed + skipped == all_before)
		fail(1, "no results")
	if (status != 0 && failed == failed_before)
		fail(1, "ended with status " status)
	next
}

# Nested lists are indented, or behind "# " (kselftest's runner).
{
	text = substr($0, 2)
	depth = 0
	while (match(text, /^(# |  |\t)/)) {
		depth++
		text = substr(text, RLENGTH + 1)
	}
}

text ~ /^Bail out!/ {
	fail(1, text)
}

text ~ /^1\.\.[0-9]+/ {
	close_lists(depth)
	open_lists(depth)
	plan[depth] = substr(text, 4) + 0
	if (text ~ /^1\.\.0.*#[ \t]*[Ss][Kk][Ii][Pp]/)
		skip("all", reason_of(text))
}

text ~ /^(not )?ok [0-9]+/ {
	is_parent = deepest > depth
	close_lists(depth)
	open_lists(depth)
	if (!is_parent)
		count_leaf(text)
	else if (text ~ /^not ok/ && failed == at[depth])
		fail(1, text)
	at[depth] = failed
	seen[depth]++
}

END {
	if (!show)
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit !(passed > 0 && failed == 0)
}
