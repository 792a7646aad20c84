#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An empty BPF program at the exit of kernel functions, until SIGTERM.

usage: fexit.py FUNCTION...

Says "attached" when all are, and at the end how often each ran. For kernels whose
bpftrace knows no fexit. Formats: linux/btf.h, and union bpf_attr of linux/bpf.h.
"""

import ctypes
import resource
import signal
import struct
import sys

SYS_BPF = 321
BPF_PROG_LOAD = 5
BPF_RAW_TRACEPOINT_OPEN = 17
BPF_PROG_TYPE_TRACING = 26
BPF_TRACE_FEXIT = 25
BTF_KIND_FUNC = 12

# Bytes that follow a type of a kind: always, and for each of its members.
BTF_TAIL = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8),
            14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12)}

# r0 = 0; exit
PROGRAM = struct.pack("<BBhi", 0xb7, 0, 0, 0) + struct.pack("<BBhi", 0x95, 0, 0, 0)

libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    """The system call; a file descriptor."""
    fd = libc.syscall(SYS_BPF, command, attr, len(attr))
    if fd < 0:
        raise OSError(ctypes.get_errno(), f"bpf command {command}")
    return fd


def function_ids(wanted):
    """The kernel's BTF type numbers of functions, by name."""
    with open("/sys/kernel/btf/vmlinux", "rb") as file:
        btf = file.read()
    header, types, types_len, strings, _ = struct.unpack_from("<IIIII", btf, 4)
    at, end, number, found = header + types, header + types + types_len, 1, {}
    while at < end:
        name, info, _ = struct.unpack_from("<III", btf, at)
        kind = info >> 24 & 0x1f
        if kind == BTF_KIND_FUNC:
            start = header + strings + name
            text = btf[start:btf.index(b"\0", start)].decode()
            if text in wanted:
                found[text] = number
        always, member = BTF_TAIL.get(kind, (0, 0))
        at += 12 + always + member * (info & 0xffff)
        number += 1
    return found


def attach(number):
    """Loads the program for a function and attaches it; descriptors of both."""
    program = ctypes.create_string_buffer(PROGRAM)
    licence = ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("<IIQQIIQII16sIIIIQIIQIII", BPF_PROG_TYPE_TRACING, len(PROGRAM) // 8,
                       ctypes.addressof(program), ctypes.addressof(licence), 0, 0, 0, 0, 0,
                       b"asite_fexit", 0, BPF_TRACE_FEXIT, 0, 0, 0, 0, 0, 0, 0, number, 0)
    loaded = bpf(BPF_PROG_LOAD, attr)
    return loaded, bpf(BPF_RAW_TRACEPOINT_OPEN, struct.pack("<QII", 0, loaded, 0))


def runs(loaded):
    """How often a program ran, where /proc/sys/kernel/bpf_stats_enabled was set."""
    with open(f"/proc/self/fdinfo/{loaded}", encoding="ascii") as file:
        return next(line.split()[1] for line in file if line.startswith("run_cnt:"))


def main(names):
    """Attaches to all, then waits."""
    # To 5.10 programs are charged to it.
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ids = function_ids(set(names))
    for name in names:
        if name not in ids:
            sys.exit(f"fexit.py: the kernel's BTF knows no function {name}")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    attached = {name: attach(ids[name]) for name in names}
    print("attached", flush=True)
    signal.sigwait({signal.SIGTERM})
    for name, (loaded, _) in attached.items():
        print(f"{name}: ran {runs(loaded)} times", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
