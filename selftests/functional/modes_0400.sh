#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: report files are 0400, control 0600, the directory 0700; others than root read nothing
# requires: root debugfs module:allocsite
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

mode()
{
	stat -c %a "$1"
}

load_asite
for file in sites allocinfo stacks folded context stats hooks; do
	expect_equal "$file" "$(mode $asite/$file)" 400
done
expect_equal "control" "$(mode $asite/control)" 600
expect_equal "files" "$(ls $asite | sort | tr '\n' ' ')" "allocinfo context control folded hooks sites stacks stats "
if command -v setpriv >/dev/null; then
	chmod 755 $debugfs
	at_exit="$at_exit; chmod 700 $debugfs"
	setpriv --reuid=65534 --regid=65534 --clear-groups cat $asite/sites 2>/dev/null &&
		fail "nobody reads sites"
fi
if echo x 2>/dev/null >$asite/sites; then
	fail "sites takes a write"
fi
