#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lists tail calls into allocator entry points of a kernel image.

usage: tail-calls.py VMLINUZ SYSTEM_MAP

A tail call leaves no return address in the function that makes it, so an
allocation is charged to that function's caller. Printed, sorted: "function ->
allocator", one line for each pair, and "# N ..." with their number; a pair that
occurs more than once is one line.

How: the payload of VMLINUZ is unpacked; a jump (jmp rel32 or jcc rel32) in its
executable sections whose target is the first byte of an allocator is a
candidate. That it is an instruction, and of which function, is then asked of
objdump and SYSTEM_MAP (symbols with their link-time addresses: a boot with
nokaslr). Jumps of a function to its own start are loops, not calls.

Not covered: modules, jumps through registers, code that is patched in at boot
(alternatives, static calls).
"""

import bisect
import re
import struct
import subprocess
import sys
import tempfile

# Names without their _noprof. Whatever of it the kernel has is looked for.
ALLOCATORS = re.compile(r"""^(?:
    # slab, by size
    __kmalloc | __kmalloc_node | __kmalloc_track_caller | __kmalloc_node_track_caller |
    kmalloc_trace | kmalloc_node_trace | __kmalloc_cache | __kmalloc_cache_node |
    kmalloc_large | kmalloc_large_node | __kmalloc_large | __kmalloc_large_node |
    kmalloc_order | kmalloc_order_trace | __?kmalloc_nolock | __kmalloc_flags |
    krealloc | krealloc_node_align | kvmalloc_node | __kvmalloc_node |
    kvrealloc | kvrealloc_node_align |
    # slab, of a cache
    kmem_cache_alloc(?:_(?:lru|node|bulk|trace|node_trace|from_sheaf))? |
    # helpers that hand on their caller's address
    kmemdup(?:_nul|_array)? | kvmemdup | kstrdup(?:_const)? | kstrndup |
    memdup_user(?:_nul)? | vmemdup_user | devm_kmalloc | devm_kmemdup | devm_krealloc |
    # pages
    __alloc_pages(?:_nodemask)? | __?alloc_frozen_pages | alloc_pages(?:_current|_mpol|_nolock)? |
    __folio_alloc | folio_alloc | folio_alloc_mpol | vma_alloc_folio | alloc_pages_vma |
    (?:__)?alloc_pages_bulk\w* | __get_free_pages | get_free_pages | get_zeroed_page |
    alloc_pages_exact(?:_nid)? | alloc_contig_(?:range|pages|frozen_range|frozen_pages) |
    # vmalloc
    __vmalloc(?:_node|_node_range)? | vmalloc(?:_user|_node|_32|_32_user|_huge|_huge_node)? |
    vzalloc(?:_node)? | vrealloc(?:_node_align)? |
    # per-CPU memory
    __alloc_percpu(?:_gfp)? | __alloc_reserved_percpu | pcpu_alloc |
    # pools
    mempool_alloc(?:_pages|_slab|_preallocated|_bulk)? | mempool_kmalloc |
    dma_pool_alloc | dma_alloc_attrs
)(?:_noprof)?$""", re.VERBOSE)

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
    """{(function, allocator)} of the image; NAMES and TARGETS are address -> name(s)."""
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
    targets = {address: name for address, aliases in names.items()
               for name in aliases if ALLOCATORS.match(name)}
    found = sorted(tail_calls(elf, names, targets))
    for function, allocator in found:
        print(f"{function} -> {allocator}")
    print(f"# {len(found)} tail calls into {len(set(targets.values()))} allocator entry points")


if __name__ == "__main__":
    main()
