# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# New lines of the kernel's log. Sourced by common.sh.

log_mark="allocsite-test: begin $test_name $$"
splat_re='BUG:|WARNING:|Oops|general protection|Call Trace:|stall|lockdep|hung task|refcount_t|list_(add|del) corruption|RIP:'

# Kernel log lines since the test began, without the time.
new_log()
{
	dmesg | sed 's/^\[[^]]*\] //' | awk -v mark="$log_mark" '
		seen { print }
		index($0, mark) { seen = 1 }'
}

# allow_log ERE: such lines are no failure of this test.
log_allowed=
allow_log()
{
	log_allowed=$1
}

check_log()
{
	new_log | grep -E "$splat_re" >"$tmp/splat" || return 0
	if [ -n "$log_allowed" ]; then
		grep -Ev "$log_allowed" "$tmp/splat" >"$tmp/splat.rest" || return 0
		mv "$tmp/splat.rest" "$tmp/splat"
	fi
	echo "FAIL: new lines in the kernel log:"
	head -n 10 "$tmp/splat"
	return 1
}
