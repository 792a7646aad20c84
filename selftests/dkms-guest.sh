#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of dkms.sh that runs in the guest, as root, with the built tree at /allocsite.
set -u
# shellcheck source-path=SCRIPTDIR
dir=$(dirname "$0")
. "$dir/lib/ktap.sh"

copy=/root/allocsite
log=/tmp/dkms-log
asite=/sys/kernel/debug/allocsite

# step NAME COMMAND...: one result; what the command said is shown where it fails.
failed=
step()
{
	name=$1
	shift
	begin=$(date +%s)
	if [ -n "$failed" ]; then
		echo "# not run: an earlier step failed"
		ktap_fail "$name"
	elif "$@" >"$log" 2>&1; then
		echo "# $name: $(($(date +%s) - begin)) s"
		ktap_pass "$name"
	else
		failed=1
		ktap_diagnose <"$log"
		ktap_fail "$name"
	fi
}

# The tree is read only here, and a user's copy has not been built.
install_it()
{
	cp -R /allocsite "$copy" && make -s -C "$copy" clean && make -C "$copy" dkms-install
}

installed()
{
	modinfo -F filename allocsite | grep updates/dkms
}

# has_live_data: rows with live bytes.
has_live_data()
{
	modprobe allocsite && sleep 1 && ls -R /proc/self >/dev/null &&
		awk '!/^#/ && NR > 1 && $1 > 0 { rows++ } END { exit !rows }' $asite/sites
}

uninstall_it()
{
	modprobe -r allocsite && make -C "$copy" dkms-uninstall
}

is_gone()
{
	! modinfo -F filename allocsite && ! ls -d /usr/src/allocsite-* /var/lib/dkms/allocsite/*/
}

ktap_begin 5
step dkms_install install_it
step dkms_installed installed
step dkms_live_data has_live_data
step dkms_uninstall uninstall_it
step dkms_gone is_gone
ktap_end
