#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Answers the questions of features.tbl for one kernel and writes
# include/generated/allocsite-features.h.
# usage: gen-features.sh KDIR    (environment: MAKE, MAKEFLAGS, JOBS)
#
# Compiled questions are one .c file each, built by one "make -k" of that
# kernel; a question is true when its object exists. Row 0 must compile and
# a control row must not, or nothing is believed. Answers are kept under a key
# of kernel release, configuration, exports, compiler and this script's text.
set -u

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
table=$top/scripts/features.tbl
out=$top/include/generated
work=$out/features

die()
{
	printf 'features: %s\n' "$*" >&2
	exit 1
}

[ $# -eq 1 ] || die "usage: gen-features.sh KDIR"
kdir=$1
conf=$kdir/include/config/auto.conf
[ -f "$kdir/Makefile" ] && [ -f "$conf" ] ||
	die "no kernel build tree at $kdir: install that kernel's headers or pass KDIR=..."
symvers=$kdir/Module.symvers
[ -f "$symvers" ] || symvers=$kdir/vmlinux.symvers
[ -f "$symvers" ] || die "$kdir has no Module.symvers: cannot tell what the kernel exports"
release=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"$/\1/p' "$kdir/include/generated/utsrelease.h" 2>/dev/null)
[ -n "$release" ] || die "$kdir was not prepared: no include/generated/utsrelease.h"

# rows: the table's rows with comments and blanks around fields removed.
rows()
{
	sed -e '/^#/d' -e '/^[[:space:]]*$/d' \
		-e 's/[[:space:]]*|[[:space:]]*/|/g' -e 's/[[:space:]]*$//' "$table"
}

# The compiler is named by the kernel unless the caller names one.
compiler=$(${CC:-$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\([^ "]*\).*/\1/p' "$conf")} \
	--version 2>/dev/null | head -n 1)
key=$( { printf '%s\n%s\n%s\n' "$release" "$compiler" "${LLVM:-}"
	cat "$table" "$0" "$conf" "$symvers"
	rows | tr '| ' '\n\n' | sed -n "s,^compat/,$top/include/&,p" | xargs -r cat; } | sha256sum | cut -c1-16)
cached=$out/features-$key.h
log=$out/features-$key.log

# install_header: put the answers in place, without touching an equal file.
install_header()
{
	cmp -s "$cached" "$out/allocsite-features.h" ||
		cp "$cached" "$out/allocsite-features.h" || exit 1
	exit 0
}

mkdir -p "$out" || exit 1
[ -f "$cached" ] && install_header

# write_probe NAME KIND HEADERS QUESTION: one question as a translation unit.
write_probe()
{
	{
		printf '#include <linux/module.h>\n#include <linux/slab.h>\n'
		for header in $3; do
			printf '#include <%s>\n' "$header"
		done
		case $2 in
		header) printf '#include <%s>\n' "$4" ;;
		symbol) printf 'const void *asite_probe(void);\nconst void *asite_probe(void)\n{\n\treturn &%s;\n}\n' "$4" ;;
		member) printf '_Static_assert(sizeof(((%s *)0)->%s), "member");\n' \
			"${4%% . *}" "${4##* . }" ;;
		signature) printf '_Static_assert(__builtin_types_compatible_p(typeof(%s), %s), "form");\n' \
			"${4%% : *}" "${4#* : }" ;;
		*) die "row $1: unknown kind $2" ;;
		esac
	} >"$work/$1.c"
	printf 'obj-m += %s.o\n' "$1" >>"$work/Kbuild"
}

# answer NAME KIND QUESTION: 1 or 0.
answer()
{
	case $2 in
	export) awk -v s="$3" '$2 == s { f = 1 } END { print f + 0 }' "$symvers" ;;
	config) grep -c "^$3=[ym]\$" "$conf" ;;
	*) if [ -f "$work/$1.o" ]; then echo 1; else echo 0; fi ;;
	esac
}

rm -rf "$work"
mkdir -p "$work" || exit 1
# Rows may name this project's compat headers.
printf 'ccflags-y := -I%s/include\n' "$top" >"$work/Kbuild"
write_probe ROW0 symbol linux/slab.h kfree
write_probe CONTROL symbol linux/slab.h asite_no_such_symbol
rows | while IFS='|' read -r name kind headers question; do
	case $kind in
	export | config | require) ;;
	*) write_probe "$name" "$kind" "$headers" "$question" ;;
	esac
done || exit 1

# W and C ask for diagnostics of our own code, not of the questions.
case ${MAKEFLAGS:-} in
*jobserver* | *-j*) jobs= ;;
*) jobs=-j${JOBS:-$(nproc)} ;;
esac
printf '  FEATURES %s\n' "$release"
# shellcheck disable=SC2086 # MAKE and jobs are words
${MAKE:-make} -k $jobs -C "$kdir" M="$work" W= C= modules >"$log" 2>&1

if [ ! -f "$work/ROW0.o" ]; then
	tail -n 20 "$log" >&2
	die "row 0 does not compile: the kernel tree or compiler is broken, see $log"
fi
[ ! -f "$work/CONTROL.o" ] ||
	die "the control row compiled: answers cannot be trusted, see $log"

{
	printf '/* SPDX-License-Identifier: GPL-2.0-only */\n'
	printf '/* Made by scripts/gen-features.sh for %s. */\n' "$release"
	printf '#ifndef ASITE_GENERATED_FEATURES_H\n#define ASITE_GENERATED_FEATURES_H\n\n'
	rows | while IFS='|' read -r name kind headers question; do
		if [ "$kind" = require ]; then
			printf '#if !(ASITE_HAVE_%s)\n' "$(echo "$question" | sed 's/ / || ASITE_HAVE_/g')"
			printf '#error "allocsite: no known form of %s in this kernel; see scripts/features.tbl"\n' "$headers"
			printf '#endif\n#define ASITE_HAVE_%s 1\n' "$name"
		else
			printf '#define ASITE_HAVE_%s %s\n' "$name" "$(answer "$name" "$kind" "$question")"
		fi
	done
	printf '\n#endif\n'
} >"$cached.tmp" && mv "$cached.tmp" "$cached" || exit 1
rm -rf "$work"
install_header
