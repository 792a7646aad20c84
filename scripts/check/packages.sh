# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Debian packages whose contents checkers need, unpacked in the cache and never installed.
# Sourced after lib.sh, which sets cache.
# shellcheck disable=SC2154

# candidate PACKAGE: the version apt would install.
candidate()
{
	apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([^(].*\)/\1/p'
}

# depends PACKAGE REGEX: its dependencies that match.
depends()
{
	apt-cache depends "$1" 2>/dev/null | sed -n 's/^ *Depends: //p' | grep -E "$2"
}

# unpack PACKAGE DIRECTORY: the package's files under DIRECTORY. Lists may be older than the pool.
unpack()
{
	unpack_once "$@" || { apt-get update -q >&2 && unpack_once "$@"; }
}

unpack_once()
{
	(
		download=$(mktemp -d) || exit 1
		trap 'rm -rf "$download"' EXIT
		cd "$download" && apt-get download -qq -o APT::Sandbox::User=root "$1" >&2 &&
			dpkg-deb -x ./*.deb "$2"
	)
}

# into_cache NAME FUNCTION: the directory $cache/NAME, made by FUNCTION DIRECTORY at first use.
# Made beside it and renamed, so that an interrupted one is not taken for whole.
into_cache()
{
	if [ ! -d "$cache/$1" ]; then
		mkdir -p "$(dirname "$cache/$1")" || return 1
		fresh=$(mktemp -d "$cache/$1.XXXXXX") || return 1
		if ! "$2" "$fresh" || ! mv -T "$fresh" "$cache/$1"; then
			rm -rf "$fresh"
			[ -d "$cache/$1" ] || return 1
		fi
	fi
	printf '%s\n' "$cache/$1"
}

# unpack_checkpatch DIRECTORY: checkpatch.pl and the word lists it reads. The package is the
# whole source; only these stay.
unpack_checkpatch()
{
	unpack linux-source-6.1 "$1/package" || return 1
	tar -C "$1" --strip-components=1 -xJf "$1"/package/usr/src/linux-source-6.1.tar.xz \
		--wildcards 'linux-source-6.1/scripts/checkpatch.pl' \
		'linux-source-6.1/scripts/spelling.txt' \
		'linux-source-6.1/scripts/const_structs.checkpatch' || return 1
	rm -rf "$1/package"
}

# checkpatch_dir: the directory with checkpatch.pl.
checkpatch_dir()
{
	version=$(candidate linux-source-6.1)
	[ -n "$version" ] || { apt-get update -q >&2; version=$(candidate linux-source-6.1); }
	[ -n "$version" ] || return 1
	dir=$(into_cache "check/checkpatch-$version" unpack_checkpatch) && printf '%s/scripts\n' "$dir"
}

# unpack_headers DIRECTORY: the headers of the current kernel, their paths turned to DIRECTORY's
# place in the cache.
unpack_headers()
{
	for package in "$headers" $(depends "$headers" '^linux-(headers|kbuild)-'); do
		unpack "$package" "$1" || return 1
	done
	sed -i "s,/usr/src/,$cache/check/$headers/usr/src/," "$1/usr/src/$headers/Makefile"
}

# headers_dir: a build tree (KDIR) of the suite's current kernel, for building on this machine.
headers_dir()
{
	headers=$(depends linux-headers-amd64 '^linux-headers-')
	[ -n "$headers" ] || { apt-get update -q >&2; headers=$(depends linux-headers-amd64 '^linux-headers-'); }
	[ -n "$headers" ] || return 1
	dir=$(into_cache "check/$headers" unpack_headers) && printf '%s/usr/src/%s\n' "$dir" "$headers"
}
