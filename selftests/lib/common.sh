# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh source-path=SCRIPTDIR disable=SC2034 # variables are for the tests
# What every functional test uses: requirements, modules, snapshots, comparisons, the log canary.
# Sourced first thing; checks the "# requires:" line of the script that runs.
# Exit words: 0 pass, 1 fail, 4 skip. State is restored by the EXIT trap.
#
# Environment: ASITE_MODULE_DIR (where *.ko are), ASITE_TMP (scratch).

test_dir=$(cd "$(dirname "$0")" && pwd)
lib_dir=$test_dir/lib
[ -d "$lib_dir" ] || lib_dir=$test_dir/../lib
# A test in a tree lies in functional/; an installed kselftest is flat.
self_dir=$(cd "$lib_dir/.." && pwd)
test_name=$(basename "$0" .sh)

debugfs=/sys/kernel/debug
asite=$debugfs/allocsite
load=$debugfs/asite_load
count=$debugfs/asite_count

skip()
{
	echo "skip: $*"
	exit 4
}

fail()
{
	echo "FAIL: $*"
	exit 1
}

# -- general ----------------------------------------------------------------

# loop_until SECONDS COMMAND...: polls; the status is that of the last try.
loop_until()
{
	_tries=$(($1 * 4))
	shift
	until "$@"; do
		[ "$_tries" -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.25
	done
}

# expect_equal WHAT GOT WANTED
expect_equal()
{
	[ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

# expect_at_least WHAT GOT WANTED
expect_at_least()
{
	[ "$2" -ge "$3" ] || fail "$1: got $2, expected at least $3"
}

# expect_log WHAT ERE: a kernel log line since the test began.
expect_log()
{
	new_log | grep -Eq "$2" || fail "$1: no log line like '$2' in: $(new_log | tail -n 3)"
}

. "$lib_dir/modules.sh"
. "$lib_dir/reports.sh"
. "$lib_dir/canary.sh"

# -- begin and end ----------------------------------------------------------

# More to restore: a test appends commands, separated by ";".
at_exit=:

finish()
{
	_status=$?
	trap - EXIT
	trap '' INT TERM
	eval "$at_exit"
	restore_modules
	check_log || [ "$_status" -ne 0 ] || _status=1
	if [ "$_status" -eq 1 ]; then
		new_log | sed -n 's/^allocsite: /log: &/p' | tail -n 5
	fi
	rm -rf "$tmp"
	exit "$_status"
}

check_requirements
tmp=$(mktemp -d "${ASITE_TMP:-/tmp}/asite.XXXXXX") || fail "no scratch directory"
trap finish EXIT
trap 'exit 1' INT TERM
echo "$log_mark" >/dev/kmsg 2>/dev/null || skip "needs root (cannot write /dev/kmsg)"
