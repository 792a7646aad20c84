#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Eviction is in the module with EVICT=1 and not without: every object of a build without it has the
# code that it has when each line that names eviction is deleted before. (selftests/unit/
# depot_objects.sh says the same of the depot alone, faster.) With it nothing is printed with W=1
# and sparse (C=2).
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh
. scripts/check/packages.sh

if ! kdir=$(headers_dir); then
	not_ok "headers at hand" "the kernel's header packages could not be unpacked"
	finish
fi
have_tool "sparse" sparse || finish
have_tool "disassembly" objdump || finish

# copy_to DIRECTORY: the module's sources, and the answers to features.tbl of earlier builds.
copy_to()
{
	mkdir -p "$1" "$cache/check/features"
	project_files Makefile Kbuild module include scripts | tar -cf - -T - | tar -C "$1" -xf -
	cp -a "$cache/check/features" "$1/include/generated"
}

# build NAME WORD...: make with these words; its complaints are left in NAME.said.
build()
{
	name=$1
	shift
	make -s -C "$results/$name" --no-print-directory -j"$(nproc)" KDIR="$kdir" "$@" modules \
		>"$results/$name.log" 2>&1 || echo "make ended with $?" >>"$results/$name.log"
	grep -vE '^Skipping BTF generation for |^  FEATURES ' "$results/$name.log" >"$results/$name.said"
	verdict "$name: builds, without output" "$(head -n 20 "$results/$name.said")"
}

# delete_lines DIRECTORY: every line that names eviction, and the files that are it.
delete_lines()
{
	rm "$1"/module/*evict*.c "$1"/include/allocsite/*evict*.h
	sed -i 's/asite_depot_place_free(entry)/!entry/' "$1/module/depot.c"
	sed -i -e '\,evict,Id' "$1"/module/*.c "$1"/module/Kbuild "$1"/include/allocsite/*.h
}

# code DIRECTORY OBJECT: its instructions, without the file's name.
code()
{
	objdump -dr --no-show-raw-insn "$1/module/$2" | sed '/file format/d'
}

copy_to "$results/plain"
copy_to "$results/deleted"
copy_to "$results/evict"
delete_lines "$results/deleted"
build plain
build deleted
build evict EVICT=1 W=1 C=2 CHECK=sparse

verdict "no symbol without it" "$(nm "$results/plain/module/allocsite.ko" | grep -i evict)"
nm "$results/evict/module/allocsite.ko" | grep -q asite_stacks_evict_soon && absent= || absent="none"
verdict "symbols with it" "$absent"
differ=$(for object in "$results"/deleted/module/*.o; do
	object=${object##*/}
	case $object in allocsite*) continue ;; esac
	code "$results/deleted" "$object" >"$results/a"
	code "$results/plain" "$object" >"$results/b"
	[ -s "$results/a" ] && cmp -s "$results/a" "$results/b" || echo "$object"
done)
verdict "without it each object's code is that of sources without it" "$differ"
finish
