#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Fragments memory with pages that can be moved, and holds them until stdin ends.

usage: fragment.py PAGES TMPFS_FILE DISK_FILE

A page of the process, a page of a file in tmpfs and a page of a file on a disk in
turn, PAGES of each; then every other page of each is given back. Says "ready"
when done. The files are left behind.
"""

import ctypes
import mmap
import os
import sys

PAGE = 4096
FALLOC_FL_KEEP_SIZE = 1
FALLOC_FL_PUNCH_HOLE = 2


def punch(libc, fd, page):
    """Frees one page of a file in tmpfs."""
    if libc.fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE,
                      ctypes.c_long(page * PAGE), ctypes.c_long(PAGE)):
        raise OSError(ctypes.get_errno(), "fallocate")


def fill(pages, memory, shm, disk):
    """One page of each in turn, so that they lie side by side."""
    data = b"x" * PAGE
    for i in range(pages):
        memory[i * PAGE] = 1
        os.pwrite(shm, data, i * PAGE)
        os.pwrite(disk, data, i * PAGE)
    os.fsync(disk)


def thin(pages, memory, shm, disk):
    """Gives every other page back."""
    libc = ctypes.CDLL(None, use_errno=True)
    for i in range(0, pages, 2):
        memory.madvise(mmap.MADV_DONTNEED, i * PAGE, PAGE)
        punch(libc, shm, i)
        os.posix_fadvise(disk, i * PAGE, PAGE, os.POSIX_FADV_DONTNEED)


def main():
    """Fills, thins out, waits."""
    pages = int(sys.argv[1])
    memory = mmap.mmap(-1, pages * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    shm = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    disk = os.open(sys.argv[3], os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    fill(pages, memory, shm, disk)
    thin(pages, memory, shm, disk)
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
