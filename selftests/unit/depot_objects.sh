#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Without EVICT=1 nothing of eviction is in the stack depot's object code. Prints KTAP.
# The core is compiled as it is, from a copy in which every line that names eviction is deleted,
# and with eviction; the disassemblies are compared.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asite-depot.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# As the kernel is compiled, as far as matters.
flags="-std=gnu11 -O2 -fno-strict-aliasing -mgeneral-regs-only -ffunction-sections -I$here/shim"

cp -r "$root/include" "$root/module" "$work/"
for file in module/depot.c include/allocsite/depot.h; do
	grep -v evict "$root/$file" >"$work/$file"
done
rm "$work/include/allocsite/depot_evict.h" "$work/module/depot_evict.c"

# compile TREE OBJECT OPTION...: the core and a function that is nothing but the hot path.
compile()
{
	tree=$1
	object=$2
	shift 2
	# shellcheck disable=SC2086 # a list of options
	gcc $flags -I"$tree/include" "$@" -x c -c -o "$work/$object" - <<END
#include "$tree/module/depot.c"
#if ASITE_EVICT
#include "$tree/module/depot_evict.c"
#endif
long hit(struct asite_depot *d, struct asite_depot_stack *stack, unsigned int nr, u64 hash);
long hit(struct asite_depot *d, struct asite_depot_stack *stack, unsigned int nr, u64 hash)
{
	return asite_depot_find(d, stack, nr, hash);
}
END
}

# code OBJECT [OPTION]: its instructions, without the file's name.
code()
{
	objdump -dr --no-show-raw-insn ${2:+"$2"} "$work/$1" | sed '/file format/d'
}

number=0
failed=0
# verdict NAME: of the command before.
verdict()
{
	[ $? -eq 0 ] && result=ok || { result="not ok"; failed=1; }
	number=$((number + 1))
	echo "$result $number $1"
}

echo "KTAP version 1"
echo "1..5"
compile "$root" plain.o && compile "$root" evict.o -DASITE_EVICT=1 &&
	compile "$work" without.o '-Dasite_depot_place_free(entry)=(!(entry))'
verdict "compiles"

! nm "$work/plain.o" | grep -i evict
verdict "no symbol without it"

nm "$work/evict.o" | grep -q asite_depot_evict_take
verdict "symbols with it"

code plain.o >"$work/plain"
code without.o >"$work/without"
[ -s "$work/plain" ] && diff "$work/plain" "$work/without" >"$work/diff"
verdict "without it the code is that of sources without it"
sed 's/^/# /' "$work/diff" | head -n 20

code plain.o --section=.text.hit >"$work/plain"
code evict.o --section=.text.hit >"$work/evict"
[ -s "$work/plain" ] && diff "$work/plain" "$work/evict" >"$work/diff"
verdict "the hot path is the same with it"
sed 's/^/# /' "$work/diff" | head -n 20
exit "$failed"
