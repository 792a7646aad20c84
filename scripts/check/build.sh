#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Everything builds for the suite's kernel with W=1 and sparse (C=2), and nothing is printed.
# Built in a copy of the tree in the cache: whatever lies in the tree stays as it is.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh
. scripts/check/packages.sh

if ! kdir=$(headers_dir); then
	not_ok "headers at hand" "the kernel's header packages could not be unpacked"
	finish
fi
have_tool "sparse" sparse || finish

copy=$results/tree
mkdir "$copy"
project_files Makefile Kbuild module include scripts selftests | tar -cf - -T - | tar -C "$copy" -xf -
# Answers to features.tbl are kept from build to build.
answers=$cache/check/features
mkdir -p "$answers" "$copy/include" && cp -a "$answers" "$copy/include/generated"

make -s -C "$copy" --no-print-directory -j"$(nproc)" KDIR="$kdir" ASITE_SELFTESTS=1 W=1 C=2 \
	CHECK=sparse modules >"$results/build" 2>&1
status=$?
cp -a "$copy"/include/generated/features-* "$answers/" 2>/dev/null
# What kbuild says where no vmlinux is installed, and gen-features.sh's own line.
complaints=$(grep -vE '^Skipping BTF generation for |^  FEATURES ' "$results/build" | sed "s|$copy/||g")
[ "$status" -eq 0 ] || complaints="$complaints
make ended with $status"
verdict "W=1 C=2 build without output" "$complaints"

for module in module/allocsite.ko selftests/testbuild/allocsite_test.ko; do
	[ -f "$copy/$module" ] && absent= || absent="not built"
	verdict "$module" "$absent"
done
finish
