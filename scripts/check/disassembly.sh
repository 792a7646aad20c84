#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Reads the disassembly of a built module: no branch through a register or memory and no bare
# return but the kernel's thunks, and trampolines that call the body of the function they name.
# QEMU shows none of it: it has no IBT, and a machine without mitigations runs either form.
# usage: disassembly.sh [KO...]     (module/allocsite.ko)
set -u
[ $# -gt 0 ] || set -- "$(dirname "$0")/../../module/allocsite.ko"
for file in "$@"; do
	shift
	set -- "$@" "$(realpath "$file")"
done
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh
have_tool "disassembly" objdump || finish

# listing KO: each instruction with its section, function, and relocation, tab-separated.
listing()
{
	objdump -dr --no-show-raw-insn "$1" | awk '
		function flush() { if (text != "") print section "\t" name "\t" text "\t" target; text = target = "" }
		/^Disassembly of section/ { flush(); section = $4; sub(/:$/, "", section); next }
		/^[0-9a-f]+ <.*>:$/ { flush(); name = $2; gsub(/[<>:]/, "", name); next }
		/^\t+[0-9a-f]+: R_X86_64_/ { target = $3; next }
		/^ *[0-9a-f]+:\t/ {
			flush()
			text = $0
			sub(/^ *[0-9a-f]+:\t/, "", text)
			gsub(/[\t ]+/, " ", text)
		}
		END { flush() }'
}

# thunks KO: the return thunk, if this kernel makes modules use one.
has_return_thunk()
{
	objdump -r "$1" | grep -q '__x86_return_thunk'
}

check_branches()
{
	# Prefixes stand before the word: notrack, bnd, cs.
	awk -F '\t' '
		$1 ~ /^\.(text|init\.text|exit\.text|noinstr\.text)/ &&
		$3 ~ /^((notrack|bnd|cs|ds) )*(call|jmp)q? \*/ { print $2 ": " $3 }' "$results/listing" >"$results/said"
	verdict "$1: no call or jump through a register or memory" "$(head -n 10 "$results/said")"

	if has_return_thunk "$2"; then
		awk -F '\t' '
			$1 ~ /^\.(text|init\.text|exit\.text|noinstr\.text)/ &&
			$3 ~ /^((notrack|bnd|cs|ds|rep|repz) )*retq?( |$)/ { print $2 ": " $3 }' \
			"$results/listing" >"$results/said"
		verdict "$1: no return but the return thunk" "$(head -n 10 "$results/said")"
	else
		skip "$1: no return but the return thunk" "this kernel has no return thunk"
	fi
}

# Each asite_tramp_FUNCTION and asite_sampled_tramp_FUNCTION calls FUNCTION behind its entry, and all by
# the same distance: 5 bytes, 9 where an ENDBR stands first (the relocation counts from 4 bytes further
# on); then a handler of its mode.
check_trampolines()
{
	awk -F '\t' '
		$2 ~ /^asite_(sampled_)?tramp_/ && $1 ~ /^\.text/ {
			seen[$2]
			mode = $2
			sub(/tramp_.*/, "", mode)
			if ($3 ~ /^callq? / && $4 !~ /asite_(sampled_)?on_/) {
				calls[$2]++
				function_name = $4
				distance = $4
				sub(/[+-]0x.*/, "", function_name)
				sub(/.*\+0x/, "", distance)
				if (mode "tramp_" function_name != $2)
					print $2 ": calls " $4
				else if (distance != 1 && distance != 5)
					print $2 ": calls " $4 ", which is not behind an entry"
				else if (first == "")
					first = distance
				else if (distance != first)
					print $2 ": calls " $4 ", others +0x" first
			}
			if ($3 ~ /^callq? / && $4 ~ "^" mode "on_") handled[$2]++
		}
		END {
			for (name in seen) {
				n++
				if (calls[name] != 1) print name ": " calls[name] + 0 " calls of a body"
				if (handled[name] != 1) print name ": " handled[name] + 0 " calls of a handler"
			}
			if (n < 16) print n + 0 " trampolines found, expected at least 16"
		}' "$results/listing" >"$results/said"
	verdict "$1: trampolines call the body of the function they name" "$(head -n 10 "$results/said")"
}

for ko in "$@"; do
	name=$(basename "$ko")
	if [ ! -f "$ko" ]; then
		not_ok "$name" "no such file: $ko"
		continue
	fi
	listing "$ko" >"$results/listing"
	check_branches "$name" "$ko"
	check_trampolines "$name"
done
finish
