# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A real workload for a guest with a Debian user space: workload DIR N does one round.
# Every step is left out, with a word, if its program is missing.

_has()
{
	command -v "$1" >/dev/null && return 0
	echo "workload: no $1"
	return 1
}

# A package is built, installed and removed.
_work_package()
{
	_has dpkg-deb || return 0
	_tree=$1/package
	mkdir -p "$_tree/DEBIAN" "$_tree/usr/share/asite-demo"
	cat >"$_tree/DEBIAN/control" <<-CONTROL
	Package: asite-demo
	Version: 1.$2
	Architecture: all
	Maintainer: nobody <nobody@localhost>
	Description: a package of the demo
	CONTROL
	for _i in $(seq 40); do
		seq "$((_i * 10))" >"$_tree/usr/share/asite-demo/file$_i"
	done
	dpkg-deb --root-owner-group --build "$_tree" "$1/asite-demo.deb" >/dev/null &&
		dpkg -i "$1/asite-demo.deb" >/dev/null 2>&1 &&
		dpkg -r asite-demo >/dev/null 2>&1 || echo "workload: dpkg failed"
	rm -rf "$_tree" "$1/asite-demo.deb"
}

# Some files are compiled and linked.
_work_compile()
{
	_has gcc || return 0
	mkdir -p "$1/src"
	for _i in 1 2 3 4; do
		cat >"$1/src/f$_i.c" <<-SOURCE
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		int f$_i(int n) { char *p = malloc(n + 1); memset(p, $_i, n); n = p[0]; free(p); return n; }
		SOURCE
	done
	echo 'int f1(int); int f2(int); int main(void) { return f1(9) + f2(9) != 3; }' >"$1/src/main.c"
	(cd "$1/src" && gcc -O1 -o demo ./*.c && ./demo) || echo "workload: gcc failed"
	rm -rf "$1/src"
}

# A tree is packed, unpacked, searched and removed, on the file system of DIR.
_work_files()
{
	_has tar || return 0
	mkdir -p "$1/tree"
	tar -C /usr/share -cf "$1/tree.tar" doc 2>/dev/null
	tar -C "$1/tree" -xf "$1/tree.tar"
	find "$1/tree" -type f -name '*c*' -exec head -c 1 {} + >/dev/null
	rm -rf "$1/tree" "$1/tree.tar"
}

_work_network()
{
	ip link set lo up 2>/dev/null
	_has nc || return 0
	for _i in 1 2 3 4 5; do
		timeout 10 nc -l 127.0.0.1 7411 >/dev/null 2>&1 &
		sleep 0.2
		head -c 1000000 /dev/zero | timeout 10 nc -N 127.0.0.1 7411 >/dev/null 2>&1
		wait
	done
}

_work_processes()
{
	for _i in $(seq 100); do
		/bin/true &
		[ $((_i % 10)) -ne 0 ] || wait
	done
	wait
}

workload()
{
	mkdir -p "$1/ext4" /tmp/asite-work
	_work_processes &
	_work_package "$1/ext4" "$2"
	_work_compile "$1/ext4"
	wait
	_work_network
	_work_files "$1/ext4"
	_work_files /tmp/asite-work
	rm -rf "$1" /tmp/asite-work
}
