#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds module sources against a release's kernel, in the release's own root.
# usage: build.sh tree ROOT_DIR SOURCE TO   the project: its files are synced to the cache, made
#                                           there (incremental), the result copied to TO
#        build.sh module ROOT_DIR SOURCE TO any external module; only its .ko files go to TO
# Prints nothing on stdout. The log goes to stderr when it fails or with V=1, else its warnings do;
# it is left in TO.log. ASITE_SELFTESTS=1 is given to make; MAKE_ARGS adds words.
# VM_BUILD_CLEAN=1: the project is made from nothing, so that its log has every warning.
set -u
vm_dir=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

[ $# -eq 4 ] || usage_error "usage: build.sh tree|module ROOT_DIR SOURCE TO"
kind=$1
dir=$2
source=$(cd "$3" && pwd -P) || harness_error "no directory $3"
to=$4
root=$dir/root
kver=$(cat "$dir/kver") || exit "$VM_HARNESS"

# in_root WORK AT COMMAND...: COMMAND in the root, WORK at the path AT; the mounts go with it.
in_root()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare -m --propagation private sh -c '
		root=$1 work=$2 at=$3; shift 3
		mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc" || exit
		mount --bind /dev "$root/dev" && mount -t tmpfs tmp "$root/tmp" &&
			mount --bind "$work" "$root$at" || exit
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
			chroot "$root" "$@"' in_root "$root" "$@" </dev/null 8>&-
}

# report LOG STATUS: what of the log is worth showing.
report()
{
	if [ "$2" -ne 0 ] || [ "${V-0}" = 1 ]; then
		cat "$1" >&2
	elif grep -E 'warning:|WARNING:' "$1" >&2; then
		say "warnings; the whole log is $1"
	fi
	[ "$2" -eq 0 ] || harness_error "build against $kver failed; log: $1"
}

# list_source: the files of the project, by name, without what a build makes.
list_source()
(
	cd "$source" || exit
	set --
	for name in module include scripts selftests Makefile Kbuild README.md LICENSE; do
		[ -e "$name" ] && set -- "$@" "$name"
	done
	[ $# -gt 0 ] || exit 0
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files -co --exclude-standard -- "$@"
	else
		find "$@" -type f -print
	fi | grep -Ev '(^|/)(\.[^/]*\.(cmd|d)|modules\.order|Module\.symvers)$|\.(o|a|ko|mod|mod\.c|symtypes)$|^include/generated/' |
		sort -u | while IFS= read -r name; do
			if [ -f "$name" ]; then printf '%s\n' "$name"; fi
		done
)

# fingerprint: one line per file, mode and contents.
fingerprint()
{
	(cd "$source" || exit; tr '\n' '\0' <"$1" | xargs -0r stat -c '%a %n'
		tr '\n' '\0' <"$1" | xargs -0r sha256sum) | sort
}

# sync_tree WORK: only changed files are written, with the time of now: make then sees each change
# and nothing else, whatever times a checkout gave the files.
sync_tree()
{
	work=$1
	list_source >"$work/files.new" || harness_error "cannot read $source"
	# A file that an editor takes away meanwhile has no line, and is not copied.
	fingerprint "$work/files.new" >"$work/prints.new" 2>/dev/null
	touch "$work/files" "$work/prints"
	comm -23 "$work/files" "$work/files.new" >"$work/gone"
	(cd "$work/tree" && tr '\n' '\0' <"$work/gone" | xargs -0r rm -f --)
	comm -13 "$work/prints" "$work/prints.new" | sed 's/^[^ ]*  *//' | sort -u >"$work/changed"
	rm -f "$work/prints"
	if [ -s "$work/changed" ]; then
		tar -C "$source" -cf - --no-recursion -T "$work/changed" |
			tar -C "$work/tree" -xmf - --no-same-owner || harness_error "cannot copy $source"
	fi
	mv "$work/files.new" "$work/files"
	mv "$work/prints.new" "$work/prints"
}

build_tree()
{
	# --refresh may bring other headers under the same names: objects of the old ones are not reused.
	work=$VM_CACHE/build/$(basename "$dir")/$(hash_of "$dir/packages")
	# What is built otherwise is built elsewhere, or each would undo the other's objects.
	work=$work-$(printf '%s' "$source${MAKE_ARGS:+ $MAKE_ARGS}" | sha256sum | cut -c1-12)
	mkdir -p "$work/tree" || harness_error "cannot write $work"
	exec 8>"$work/lock"
	flock 8
	if [ "${VM_BUILD_CLEAN-}" = 1 ]; then
		# The list first: it must never name what is not there.
		rm -f "$work/files" "$work/prints"
		rm -rf "$work/tree"
		mkdir "$work/tree" || harness_error "cannot write $work"
	fi
	sync_tree "$work"
	status=0
	if [ -f "$work/tree/Makefile" ]; then
		# shellcheck disable=SC2086 # MAKE_ARGS is a list of words
		in_root "$work/tree" /allocsite make -j2 -C /allocsite "KDIR=/lib/modules/$kver/build" \
			ASITE_SELFTESTS=1 ${MAKE_ARGS-} >"$work/build.log" 2>&1 || status=$?
		cp "$work/build.log" "$to.log" || harness_error "cannot write $to.log"
		report "$work/build.log" "$status"
	else
		say "no Makefile in $source: /allocsite holds the sources, nothing built"
	fi
	# A copy for this guest: a later build must not change files under a running test.
	cp -a "$work/tree/." "$to/" || harness_error "cannot copy the built tree to $to"
	exec 8>&-
}

build_module()
{
	work=$(mktemp -d "$to.XXXXXX") || harness_error "cannot write $to"
	cp -a "$source/." "$work/"
	status=0
	in_root "$work" /build make -j2 -C "/lib/modules/$kver/build" M=/build modules \
		>"$to.log" 2>&1 || status=$?
	report "$to.log" "$status"
	find "$work" -name '*.ko' -exec cp {} "$to/" \;
	[ -n "$(ls "$to")" ] || harness_error "$source made no .ko file (has it obj-m?)"
	rm -rf "$work"
}

case $kind in
tree) build_tree ;;
module) build_module ;;
*) usage_error "usage: build.sh tree|module ROOT_DIR SOURCE TO" ;;
esac
