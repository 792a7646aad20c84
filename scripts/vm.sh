#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boots a stock kernel in QEMU and runs a command in it as root; see vm/README.md.
set -u
vm_dir=$(cd "$(dirname "$0")/vm" && pwd) || exit 1
# shellcheck source=/dev/null
. "$vm_dir/lib.sh"

usage()
{
	cat <<USAGE
usage: vm.sh RELEASE [option...] [-- COMMAND [ARG...]]
  --smp N            processors (1)
  --mem SIZE         memory (2G)
  --icount           one processor whose clock counts instructions (always TCG)
  --share DIR        DIR at /share, read and write
  --build DIR        external module sources: built first, the .ko files at /build
  --append ARGS      kernel arguments added
  --plugin FILE[,ARG...]  a TCG plugin for QEMU, with its arguments (TCG only)
  --no-allocsite     do not build the project, no /allocsite
  --expect-splat RE  the kernel must report a line like RE; that report is no failure
  --timeout SECONDS  from power on (900)
  --log FILE         keep the kernel's log in FILE
  --refresh          make the root anew, from the suite's packages of today
  --build-only       build, do not boot
Without COMMAND: a shell on this terminal. Known releases: $(known_releases)
Reference kernels, built here once from Debian's source: $(known_references)
The status is COMMAND's (200 and above: 199), or 200 harness, 201 lost, 202 timeout,
203 splat, each with a line on stderr; 2 for a wrong use.
USAGE
}

number()
{
	case $2 in
	'' | *[!0-9]* | 0*) usage_error "$1 wants a number above zero, not '$2'" ;;
	esac
}

directory()
{
	[ -d "$2" ] || usage_error "$1: no directory '$2'"
	(cd "$2" && pwd -P)
}

release=
smp=1
mem=2G
icount=
share=
build=
append=
plugin=
allocsite=1
expect=
timeout=900
log=
refresh=
build_only=
while [ $# -gt 0 ]; do
	case $1 in
	--smp | --mem | --share | --build | --append | --plugin | --expect-splat | \
		--timeout | --log)
		[ $# -ge 2 ] || usage_error "$1 wants a value"
		;;
	esac
	case $1 in
	--smp) number "$1" "$2"; smp=$2; shift ;;
	--mem) mem=$2; shift ;;
	--icount) icount=1 ;;
	--share) share=$(directory "$1" "$2") || exit; shift ;;
	--build) build=$(directory "$1" "$2") || exit; shift ;;
	--append) append="$append $2"; shift ;;
	--plugin) plugin=$2; shift ;;
	--no-allocsite) allocsite= ;;
	--expect-splat) expect=$2; shift ;;
	--timeout) number "$1" "$2"; timeout=$2; shift ;;
	--log) log=$2; shift ;;
	--refresh) refresh=--refresh ;;
	--build-only) build_only=1 ;;
	-h | --help) usage; exit 0 ;;
	--) break ;;
	-*) usage_error "unknown option '$1' (--help lists them)" ;;
	*)
		[ -z "$release" ] || usage_error "'$1' after $release: a command comes after --"
		release=$1
		;;
	esac
	shift
done
[ -n "$release" ] || { usage >&2; exit "$VM_USAGE"; }
[ -n "$(row "$release")$(reference "$release")" ] ||
	usage_error "unknown release '$release'; known: $(known_releases) $(known_references)"
[ -z "$icount" ] || [ "$smp" -eq 1 ] ||
	usage_error "--icount counts on one processor: it does not go with --smp $smp"
[ -z "$icount" ] || [ "${VM_ACCEL-}" != kvm ] ||
	usage_error "--icount is TCG's: it does not go with VM_ACCEL=kvm"
[ -z "$plugin" ] || [ -f "${plugin%%,*}" ] || usage_error "--plugin: no file '${plugin%%,*}'"
[ -z "$plugin" ] || [ "${VM_ACCEL-}" != kvm ] ||
	usage_error "--plugin is TCG's: it does not go with VM_ACCEL=kvm"
if [ $# -eq 0 ]; then
	[ -n "$build_only" ] || [ -t 0 ] ||
		usage_error "no COMMAND, and stdin is no terminal for a shell"
else
	shift
	[ $# -gt 0 ] || usage_error "no COMMAND after --"
fi
[ "$(id -u)" = 0 ] || harness_error "the roots and their builds need root's rights"
unshare -m --propagation private true 2>/dev/null ||
	harness_error "mounting is not permitted here: run as root with CAP_SYS_ADMIN (docker: --privileged; a chroot: bind it on itself first)"
need qemu-system-x86_64 qemu-system-x86
need flock util-linux
need setpriv util-linux

# The run directory: locked while this run lives; those without a living owner go.
mkdir -p "$VM_CACHE/run" || harness_error "cannot write $VM_CACHE"
# One at a time: a directory that is made but not locked yet is not a dead run's.
exec 7>"$VM_CACHE/run.lock"
flock 7
for old in "$VM_CACHE"/run/*/; do
	[ -e "$old/lock" ] && flock -n "$old/lock" true && rm -rf "$old"
done
run=$(mktemp -d "$VM_CACHE/run/$$.XXXXXX") || harness_error "cannot write $VM_CACHE/run"
exec 9>"$run/lock"
flock 9
exec 7>&-
trap 'rm -rf "$run"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$run/share"
: >"$run/dirs"

root_dir=$(root_of "$release" $refresh) || exit
initrd=$("$vm_dir/initrd.sh" "$root_dir") || exit
if [ -n "$allocsite" ]; then
	mkdir "$run/allocsite"
	"$vm_dir/build.sh" tree "$root_dir" "$vm_dir/../.." "$run/allocsite" || exit
	echo "allocsite ro $run/allocsite" >>"$run/dirs"
fi
if [ -n "$build" ]; then
	mkdir "$run/build"
	"$vm_dir/build.sh" module "$root_dir" "$build" "$run/build" || exit
	echo "build ro $run/build" >>"$run/dirs"
fi
[ -z "$build_only" ] || exit 0
[ -z "$share" ] || echo "share rw $share" >>"$run/dirs"
cut -d ' ' -f 1,2 "$run/dirs" >"$run/share/shares"
cp "$vm_dir/guest-init.sh" "$run/share/"
if [ $# -gt 0 ]; then
	{
		printf 'exec '
		for word in "$@"; do quote "$word"; done
		echo
	} >"$run/share/command"
fi

has_module "$root_dir" 9p || "$vm_dir/shares.sh" pack "$run" || exit
if [ -n "$icount" ]; then
	accel=icount
elif [ -n "$plugin" ]; then
	accel=tcg
else
	accel=$("$vm_dir/accel.sh" "$root_dir" "$initrd") || exit
fi
say "$release is $(cat "$root_dir/kver"), accelerator $accel, $smp CPU"

export VM_ACCEL_USED="$accel" VM_SMP="$smp" VM_MEM="$mem" VM_APPEND="$append" VM_TIMEOUT_S="$timeout"
export VM_PLUGIN="$plugin"
exec 5<&0
setpriv --pdeathsig TERM "$vm_dir/qemu.sh" "$root_dir" "$initrd" "$run" <&5 &
guest=$!
trap 'kill "$guest" 2>/dev/null; wait "$guest"; exit 130' INT
trap 'kill "$guest" 2>/dev/null; wait "$guest"; exit 143' TERM HUP
wait "$guest"
ended=$?
[ -z "$log" ] || cp "$run/console" "$log" || say "cannot write $log"
"$vm_dir/shares.sh" back "$run" || exit
"$vm_dir/verdict.sh" "$run" "$ended" "$timeout" "$expect"
