# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# KTAP version 1 output: plan, result lines, diagnostics, totals. Sourced by run.sh.

ktap_number=0
ktap_passed=0
ktap_failed=0
ktap_skipped=0

ktap_begin()
{
	echo "KTAP version 1"
	echo "1..$1"
}

# Each line of stdin as a diagnostic. kselftest writes a nested report behind "# ": what a test
# prints of another report must not be read as one.
ktap_diagnose()
{
	sed -E -e 's/^(KTAP version|TAP version|1\.\.|ok |not ok )/| \1/' -e 's/^/# /'
}

ktap_pass()
{
	ktap_number=$((ktap_number + 1))
	ktap_passed=$((ktap_passed + 1))
	echo "ok $ktap_number $1"
}

ktap_fail()
{
	ktap_number=$((ktap_number + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_number $1${2:+ # $2}"
}

ktap_skip()
{
	ktap_number=$((ktap_number + 1))
	ktap_skipped=$((ktap_skipped + 1))
	echo "ok $ktap_number $1 # SKIP $2"
}

# The totals; the status is 0, 1 or 4 (all skipped).
ktap_end()
{
	echo "# Totals: pass:$ktap_passed fail:$ktap_failed xfail:0 xpass:0 skip:$ktap_skipped error:0"
	[ "$ktap_failed" -eq 0 ] || return 1
	[ "$ktap_passed" -gt 0 ] || return 4
}
