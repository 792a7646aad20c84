# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables of common.sh
# Modules and requirements. Sourced by common.sh.

# -- modules ----------------------------------------------------------------

# Ours but allocsite itself, whose tests these are.
helper_modules="asite_afterleak asite_initleak asite_wrap leak_frag leak_helper leak_vmalloc asite_load"

# module_file NAME: the path of NAME.ko.
module_file()
{
	for dir in "${ASITE_MODULE_DIR:-}" "$self_dir/../module" "$self_dir/modules" \
		"$self_dir/testbuild" "$self_dir" /allocsite/module /allocsite/selftests/modules; do
		[ -n "$dir" ] && [ -f "$dir/$1.ko" ] || continue
		echo "$dir/$1.ko"
		return 0
	done
	modinfo -n "$1" 2>/dev/null
}

is_loaded()
{
	[ -d "/sys/module/$1" ]
}

# load_module NAME [PARAM=VALUE...]: fails the test if it does not load.
load_module()
{
	_name=$1
	shift
	_file=$(module_file "$_name") || fail "no $_name.ko"
	insmod "$_file" "$@" || fail "insmod $_name $*: $(dmesg | tail -n 3)"
}

unload_module()
{
	rmmod "$1" || fail "rmmod $1"
}

# Unloads what of ours is loaded; in the order that never loses a free.
restore_modules()
{
	for _name in $helper_modules allocsite allocsite_test asite_count; do
		is_loaded "$_name" || continue
		rmmod "$_name" || echo "restore: rmmod $_name failed"
	done
}

# -- requirements -----------------------------------------------------------

check_requirement()
{
	case $1 in
	root) [ "$(id -u)" -eq 0 ] || skip "needs root" ;;
	debugfs)
		grep -q " $debugfs debugfs " /proc/mounts ||
			mount -t debugfs debugfs $debugfs 2>/dev/null || skip "needs debugfs"
		;;
	tracefs)
		[ -e /sys/kernel/tracing/trace ] ||
			mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null ||
			skip "needs tracefs"
		;;
	module:*) [ -n "$(module_file "${1#*:}")" ] || skip "needs ${1#*:}.ko" ;;
	program:*) command -v "${1#*:}" >/dev/null || skip "needs the program ${1#*:}" ;;
	cpus:*) [ "$(nproc)" -ge "${1#*:}" ] || skip "needs ${1#*:} CPUs" ;;
	boot:*) grep -qw "${1#*:}" /proc/cmdline || skip "needs a boot with ${1#*:}" ;;
	param:*)
		modinfo -p "$(module_file allocsite_test)" 2>/dev/null | grep -q "^${1#*:}:" ||
			skip "needs the test build (allocsite_test.ko with ${1#*:})"
		;;
	*) fail "unknown requirement $1" ;;
	esac
}

check_requirements()
{
	for _word in $(sed -n 's/^# requires: *//p' "$0"); do
		check_requirement "$_word"
	done
	for _name in allocsite allocsite_test asite_count $helper_modules; do
		is_loaded "$_name" && fail "$_name is loaded already: unload it first"
	done
	return 0
}
