#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The directories of a guest whose kernel has no 9p: each goes in as a disk that holds a tar
# archive; one the guest may write to comes back as an archive through a virtio port.
# usage: shares.sh pack RUN_DIR     makes RUN_DIR/TAG.tar of each directory, and vmrun.tar
#        shares.sh back RUN_DIR     unpacks what came back, RUN_DIR/TAG.back
# Files of a guest that was lost or stopped do not come back; what it removed stays.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 2 ] || usage_error "usage: shares.sh pack|back RUN_DIR"
run=$2

pack()
{
	tar -C "$run/share" --numeric-owner -cf "$run/vmrun.tar" . || harness_error "cannot pack $run/share"
	while read -r tag mode path; do
		tar -C "$path" --numeric-owner -cf "$run/$tag.tar" . || harness_error "cannot pack $path"
	done <"$run/dirs"
}

back()
{
	# The guest sends its status after the last archive.
	[ -s "$run/status" ] || return 0
	while read -r tag mode path; do
		[ "$mode" = rw ] && [ -e "$run/$tag.tar" ] || continue
		tar -C "$path" --numeric-owner -xf "$run/$tag.back" ||
			harness_error "cannot unpack into $path what the guest wrote to /$tag"
	done <"$run/dirs"
}

case $1 in
pack | back) "$1" ;;
*) usage_error "usage: shares.sh pack|back RUN_DIR" ;;
esac
