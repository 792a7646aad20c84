# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Process 1 of the guest: mounts, runs the command, sends its status, powers off.
# Run in the Debian root by the static busybox, whose own mount and the like cost TCG the least.
# It comes from /run/vm, the run directory of vm.sh, read-only, which holds beside it:
#   command   shell text that replaces itself by the command; absent: an interactive shell
#   shares    directories of the host, one a line, each at /<tag>: "TAG ro|rw"
# They come by 9p or, with vm.shares=tar, as archives on disks with the tag as serial number.
# Virtio ports: vm.out carries the command's output, vm.TAG an archive of a writable directory
# where there is no 9p, and then vm.status one line "status N tainted M", M being the kernel's
# taint bits after the command.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root TERM="${TERM:-linux}" LANG=C.UTF-8 SHELL=/bin/sh
umask 022

# Its own words go to the kernel's log, which is what a lost guest leaves.
word()
{
	printf 'vm: %s\n' "$*" >/dev/kmsg
}

give_up()
{
	word "guest-init: $*"
	sync
	poweroff_now
}

poweroff_now()
{
	echo o >/proc/sysrq-trigger
	# The power goes off from a worker.
	while :; do sleep 1; done
}

mount_all()
{
	mount -o remount,rw /
	mkdir -p /dev/pts /dev/shm
	mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
	mount -t tmpfs -o mode=1777 shm /dev/shm
	mount -t tmpfs -o mode=1777 tmp /tmp
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t tracefs tracefs /sys/kernel/tracing
	mount -t securityfs securityfs /sys/kernel/security
	mount -t bpf bpf /sys/fs/bpf
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
	[ -e /dev/stdin ] || ln -s /proc/self/fd/0 /dev/stdin
	[ -e /dev/stdout ] || ln -s /proc/self/fd/1 /dev/stdout
	[ -e /dev/stderr ] || ln -s /proc/self/fd/2 /dev/stderr
	ln -sf /proc/self/mounts /etc/mtab
	while read -r tag mode; do
		bring_in "$tag" "$mode" || give_up "cannot mount /$tag"
	done </run/vm/shares
}

# bring_in TAG MODE
bring_in()
{
	if [ "$shares" != tar ]; then
		mount -t 9p -o "trans=virtio,version=9p2000.L,$2,msize=262144" "$1" "/$1"
		return
	fi
	disk=$(grep -lx "$1" /sys/block/*/serial) && disk=${disk%/serial} &&
		tar -C "/$1" -xf "/dev/${disk##*/}" || return
	[ "$2" = rw ] || { mount -o bind "/$1" "/$1" && mount -o remount,bind,ro "/$1"; }
}

# send_back: what was written to directories that came as archives.
send_back()
{
	[ "$shares" = tar ] || return 0
	while read -r tag mode; do
		[ "$mode" = rw ] || continue
		to=$(port "vm.$tag") && tar -C "/$tag" -cf - . >"$to" ||
			give_up "cannot send /$tag back"
	done </run/vm/shares
}

# port NAME: the device of a virtio port.
port()
{
	for name in /sys/class/virtio-ports/*/name; do
		[ "$(cat "$name")" = "$1" ] || continue
		dev=${name%/name}
		printf '/dev/%s\n' "${dev##*/}"
		return 0
	done
	return 1
}

# The command writes to a pipe, so that it may open /dev/stderr again; a port has one opener.
run_command()
{
	out=$(port vm.out) || give_up "no port for the output"
	mkfifo /run/vm-out
	cat /run/vm-out >"$out" &
	reader=$!
	(cd /root && exec /bin/sh /run/vm/command) </dev/null >/run/vm-out 2>&1
	status=$?
	# What the command left in the background may hold the pipe: it has 2 s.
	tries=0
	while kill -0 "$reader" 2>/dev/null && [ "$tries" -lt 40 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
}

run_shell()
{
	cd /root || :
	stty -F /dev/hvc0 sane
	setsid -c /bin/sh -l </dev/hvc0 >/dev/hvc0 2>&1
	status=$?
}

# argument NAME: the value of a kernel argument.
argument()
{
	tr ' ' '\n' </proc/cmdline | sed -n "s/^$1=//p"
}

shares=$(argument vm.shares)
mount_all
ip link set lo up
hostname -F /etc/hostname
argument vm.accel >/run/vm-accel

if [ -e /run/vm/command ]; then
	run_command
else
	run_shell
fi

send_back
read -r tainted </proc/sys/kernel/tainted
to=$(port vm.status) || give_up "no port for the status"
printf 'status %d tainted %d\n' "$status" "$tainted" >"$to"
sync
poweroff_now
