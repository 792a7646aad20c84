#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lists tail calls into wrappers (include/allocsite/wrapper_names.h) of a kernel image.

usage: tail-calls.py VMLINUZ SYSTEM_MAP

A tail call leaves no return address in the function that makes it, so an
allocation is charged to that function's caller. Printed, sorted: "function ->
wrapper", one line for each pair, and "# N ..." with their number; a pair that
occurs more than once is one line. Wrappers that jump to one another are counted
only: the walk passes them anyway.

How: the payload of VMLINUZ is unpacked; a jump (jmp rel32 or jcc rel32) in its
executable sections whose target is the first byte of a wrapper is a
candidate. That it is an instruction, and of which function, is then asked of
objdump and SYSTEM_MAP (symbols with their link-time addresses: a boot with
nokaslr). Jumps of a function to its own start are loops, not calls.

Not covered: modules, jumps through registers, code that is patched in at boot
(alternatives, static calls).
"""

import bisect
import os
import re
import struct
import subprocess
import sys
import tempfile

# The wrapper set, as the module has it: W(symbol, class).
NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../include/allocsite/wrapper_names.h")
WRAPPER = re.compile(r"\bW\((\w+), [A-Z_]+\)")

# What a bzImage may be packed with: first bytes, and the command that unpacks.
PACKERS = (
    (b"\x28\xb5\x2f\xfd", ["zstd", "-qdc"]),
    (b"\xfd7zXZ\x00", ["xz", "-qdc"]),
    (b"\x1f\x8b\x08", ["gzip", "-qdc"]),
    (b"\x02\x21\x4c\x18", ["lz4", "-qdc"]),
)


# Flags of ELF sections.
ALLOC, EXECUTABLE = 2, 4


def die(text):
    sys.exit("tail-calls: " + text)


def unpack(data, command):
    """The output of COMMAND for DATA; trailing bytes make it complain, no more."""
    try:
        done = subprocess.run(command, input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        die("needs the program " + command[0])
    return done.stdout


def payload(image):
    """The ELF image in a bzImage, as the kernel's extract-vmlinux finds it."""
    for magic, command in PACKERS:
        at = image.find(magic)
        while at >= 0:
            out = unpack(image[at:], command)
            if out.startswith(b"\x7fELF"):
                return out
            at = image.find(magic, at + 1)
    if image.startswith(b"\x7fELF"):
        return image
    return die("no kernel image found in it")


def sections(elf, flags):
    """(address, bytes) of each section with contents that has all of FLAGS."""
    shoff, = struct.unpack_from("<Q", elf, 40)
    entsize, count = struct.unpack_from("<HH", elf, 58)
    for i in range(count):
        header = struct.unpack_from("<IIQQQQ", elf, shoff + i * entsize)
        _, kind, has, address, offset, size = header
        if kind == 1 and has & flags == flags:  # PROGBITS
            yield address, elf[offset:offset + size]


def belong_together(elf, names):
    """Is the kernel's banner where the symbols say? Other symbols would find little, quietly."""
    for address, data in sections(elf, ALLOC):
        for start, aliases in names.items():
            if "linux_banner" in aliases and data[start - address:].startswith(b"Linux version "):
                return True
    return False


def base(name):
    """A symbol without what the compiler added."""
    return name.split(".")[0]


def read_wrappers():
    """The names of the set."""
    with open(NAMES, encoding="ascii") as lines:
        found = set(WRAPPER.findall(lines.read()))
    return found or die("no names in " + NAMES)


def read_symbols(path):
    """Address -> names, of text and of data."""
    text, data = {}, {}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            address, kind, name = line.split()[:3]
            names = text if kind in "tTwW" else data
            names.setdefault(int(address, 16), []).append(name)
    return text, data


# jmp rel32; jcc rel32 is two bytes more to its end.
JUMP = re.compile(b"\xe9|\x0f[\x80-\x8f]", re.DOTALL)


def candidates(address, code, targets):
    """(address of the jump, target) for bytes that would be a jump to one of TARGETS."""
    for match in JUMP.finditer(code):
        end = match.end() + 4
        if end > len(code):
            break
        offset, = struct.unpack_from("<i", code, match.end())
        target = address + end + offset
        if target in targets:
            yield address + match.start(), target


def instructions(vmlinux, start, stop):
    """Addresses at which objdump sees a jump between START and STOP."""
    done = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", f"--start-address={start:#x}",
         f"--stop-address={stop:#x}", vmlinux],
        stdout=subprocess.PIPE, check=True, text=True)
    return {int(m.group(1), 16)
            for m in re.finditer(r"^ *([0-9a-f]+):\s+(?:cs |bnd )*j", done.stdout, re.MULTILINE)}


def tail_calls(elf, names, targets):
    """{(function, wrapper)} of the image; NAMES and TARGETS are address -> name(s)."""
    starts = sorted(names)
    found = set()
    jumps = {}
    with tempfile.NamedTemporaryFile(suffix=".vmlinux") as vmlinux:
        vmlinux.write(elf)
        vmlinux.flush()
        for address, code in sections(elf, ALLOC | EXECUTABLE):
            for at, target in candidates(address, code, targets):
                place = bisect.bisect_right(starts, at) - 1
                if place < 0 or place + 1 == len(starts):
                    continue
                start = starts[place]
                if start == target:
                    continue
                if start not in jumps:
                    jumps[start] = instructions(vmlinux.name, start, starts[place + 1])
                if at in jumps[start]:
                    found.add((names[start][0], targets[target]))
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], "rb") as image:
        elf = payload(image.read())
    names, data = read_symbols(sys.argv[2])
    if not belong_together(elf, data):
        die(f"{sys.argv[2]} holds the symbols of another kernel, or randomised ones")
    wrappers = read_wrappers()
    targets = {address: name for address, aliases in names.items()
               for name in aliases if base(name) in wrappers and not name.endswith(".cold")}
    found = sorted(tail_calls(elf, names, targets))
    shown = [(function, to) for function, to in found if base(function) not in wrappers]
    for function, to in shown:
        print(f"{function} -> {to}")
    print(f"# {len(shown)} tail calls into {len(set(targets.values()))} wrappers;"
          f" {len(found) - len(shown)} more between wrappers")


if __name__ == "__main__":
    main()
