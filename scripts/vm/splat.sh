#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Searches a guest's kernel log for what a healthy kernel never prints.
# usage: splat.sh LOG [EXPECTED]     0: clean; 1: prints each bad line (log line number first)
# EXPECTED (an awk regular expression) names the head line of a report that a test provokes: that
# report, to its end trace or for 100 lines, is no splat, and its absence is one.
set -u
[ $# -ge 1 ] || { echo "usage: splat.sh LOG [EXPECTED]" >&2; exit 2; }

EXPECTED=${2-} awk '
	BEGIN {
		expected = ENVIRON["EXPECTED"]
		bad = "BUG:|WARNING: |Oops|Call Trace:|general protection|kernel BUG at|Kernel panic" \
			"|INFO: task .* blocked|rcu.*(stall|self-detected)|soft lockup|hard LOCKUP" \
			"|unregister_netdevice: waiting|inconsistent lock state|circular locking" \
			"|recursive locking|suspicious RCU usage|sleeping function called" \
			"|scheduling while atomic|refcount_t: |list_(add|del) corruption" \
			"|KASAN:|KCSAN:|UBSAN:|KFENCE: .*(in|at) |unchecked MSR|Unable to handle" \
			"|ODEBUG:|bad page|Bad page|kmemleak: [1-9]|Objects remaining" \
			"|BUG [^ ]+ \\((Not t|T)ainted|trying to register non-static key"
		# A remark about the processor, on every boot that has it.
		# What names a stall or a lockup without having one: arguments, a setting.
		harmless = "Spectre V2 : WARNING|[Cc]ommand line: |RCU CPU stall warnings timeout set"
	}
	# Only what the kernel printed: its lines begin with a time.
	!/^\[ *[0-9]+\.[0-9]+\]/ { next }
	expected != "" && $0 ~ expected { seen = 1; covered = 100 }
	$0 ~ bad && $0 !~ harmless && covered <= 0 { print NR ": " $0; found = 1 }
	/---\[ end trace|<\/TASK>/ { covered = 0 }
	{ covered-- }
	END {
		if (expected != "" && !seen) {
			print "expected and not seen: " expected
			found = 1
		}
		exit found
	}' "$1"
