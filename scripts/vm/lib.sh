# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What every script of the VM harness needs: its words, its statuses, its cache.
# Sourced, never run, by scripts that set vm_dir to this directory. Sets VM_CACHE; writes nothing to stdout on its own.

# Statuses of the harness itself (a command keeps 0..199; signals end at 192).
VM_USAGE=2
VM_HARNESS=200
VM_LOST=201
VM_TIMEOUT=202
VM_SPLAT=203
export VM_USAGE VM_HARNESS VM_LOST VM_TIMEOUT VM_SPLAT

VM_CACHE=${ALLOCSITE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/allocsite}
case $VM_CACHE in
/*) ;;
*) VM_CACHE=$PWD/$VM_CACHE ;;
esac

say()
{
	printf 'vm: %s\n' "$*" >&2
}

usage_error()
{
	say "$*"
	exit "$VM_USAGE"
}

harness_error()
{
	say "harness: $*"
	exit "$VM_HARNESS"
}

# need TOOL PACKAGE: stop with the Debian package to install when TOOL is missing.
need()
{
	command -v "$1" >/dev/null 2>&1 ||
		harness_error "no $1 on this machine: install the package $2"
}

# quote WORD: WORD as one single-quoted shell word, newlines included.
quote()
{
	printf "'"
	printf '%s' "$1" | sed "s/'/'\\\\''/g"
	printf "' "
}

# hash_of FILE...: a short key of the contents of FILEs.
hash_of()
{
	cat "$@" | sha256sum | cut -c1-12
}

# has_module ROOT_DIR NAME: the kernel of this root has NAME, as a file or built in.
has_module()
{
	_modules=$1/root/lib/modules/$(cat "$1/kver")
	cat "$_modules/modules.dep" "$_modules/modules.builtin" | grep -q "/$2\.ko"
}

# row RELEASE: the row of releases.tbl, blanks squeezed; nothing when unknown.
row()
{
	# shellcheck disable=SC2154 # set by the script that sources this
	awk -v r="$1" '!/^#/ && $1 == r { $1 = $1; print }' "$vm_dir/releases.tbl"
}

known_releases()
{
	awk '!/^#/ && NF { printf "%s%s", sep, $1; sep = " " }' "$vm_dir/releases.tbl"
}

# reference RELEASE: the row of references.tbl, blanks squeezed; nothing for a stock kernel.
reference()
{
	# shellcheck disable=SC2154 # set by the script that sources this
	awk -v r="$1" '!/^#/ && $1 == r { $1 = $1; print }' "$vm_dir/references.tbl"
}

known_references()
{
	awk '!/^#/ && NF { printf "%s%s", sep, $1; sep = " " }' "$vm_dir/references.tbl"
}

# root_of RELEASE [--refresh]: makes the root of a stock or a reference kernel if need be, and
# prints the directory that holds it: what root.sh says is there.
root_of()
{
	if [ -n "$(reference "$1")" ]; then
		"$vm_dir/reference-root.sh" "$@"
	else
		"$vm_dir/root.sh" "$@"
	fi
}
