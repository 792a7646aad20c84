#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The result file (tab-separated, stdout) of what guests left.

usage: report.py RAW...
"""
import datetime
import sys

import results

HEAD = """\
# method: QEMU TCG, -icount shift=0, 1 CPU: a tick and a nanosecond are one guest instruction, not a cycle
#   micro: pairs with interrupts off where the allocator allows it, the loop included, each pass warmed up
#   macro: operations of user space, by CLOCK_MONOTONIC; idle: 1/100 s without work in all passes, where the clock jumps
#   least, median, most: of the passes, for all pairs; first: number of the loop's first pass since boot
#   per_pair: the median; added: to the median of none, for each pair; for a reference kernel none is that of SERIES-untagged
#   ratio: added / what code tagging, on, adds in the same series and load
# note: with allocsite on, an object that meets another one in the live table costs some 200 more; which objects do
#   depends on where a boot puts its slabs; the least of the passes has the fewest
# accelerator: TCG (icount)"""


def read_raw(path):
    """A boot: its kernel and its lines as lists of words."""
    with open(path, encoding="utf-8") as lines:
        text = [line.rstrip("\n") for line in lines]
    if not text or not text[0].startswith("boot "):
        sys.exit(f"report: {path}: no line \"boot\" at its head")
    return text[0][len("boot "):].strip(), text[1:]


def to_row(kernel, words):
    """A micro, macro or memory line as a row; None for the others."""
    row = dict.fromkeys(results.COLUMNS, "-")
    row["kernel"] = kernel
    row["kind"], row["contender"], row["load"] = words[:3]
    if words[0] == "memory":
        row["median"] = words[3]
        return row
    row["pairs"], row["passes"], row["first"] = words[3:6]
    row["least"], row["median"], row["most"] = words[6:9]
    if words[0] == "macro":
        row["first"], row["idle"] = "-", words[9]
    return row


def compare(row, none):
    """Fill in what the row adds to the row none."""
    pairs = int(row["pairs"])
    row["per_pair"] = f"{int(row['median']) / pairs:.4f}"
    if none is None:
        return
    for column, name in (("median", "added"), ("least", "added_least"), ("most", "added_most")):
        row[name] = f"{(int(row[column]) - int(none['median'])) / pairs:.4f}"


def rate(row, rows):
    """Fill in the ratio to code tagging of the same series and load."""
    if not results.is_reference(row["kernel"]) or row["added"] == "-":
        return
    tagged = rows.get((results.series(row["kernel"]) + "-tagged", "tagged_on", row["load"]))
    # Nothing to divide by: less than a hundredth, or not in every pass.
    if tagged and tagged["added"] != "-" and float(tagged["added_least"]) > 0.01:
        row["ratio"] = f"{float(row['added']) / float(tagged['added']):.4f}"


def main():
    """Print head, rows and what is absent."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rows, notes, absent = {}, [], []
    for path in sys.argv[1:]:
        kernel, lines = read_raw(path)
        for line in lines:
            words = line.split(" ")
            if words[0] in ("micro", "macro", "memory"):
                row = to_row(kernel, words)
                rows[row["kernel"], row["contender"], row["load"]] = row
            elif words[0] == "absent":
                absent.append(f"# not measured: {kernel}\t{words[1]}\t{' '.join(words[2:])}")
            elif words[0] in ("kernel", "arguments"):
                notes.append(f"# {words[0]} of {kernel}: {' '.join(words[1:])}")
            elif words[0] == "hooks" and "\t" in line:
                event = line.split(" ", 2)[2].split("\t")
                if event[0] != "#":
                    notes.append(f"# hook of {kernel}: {words[1]} {event[0]} by {event[1]}")
    for row in rows.values():
        if row["kind"] != "memory":
            compare(row, rows.get((results.base_of(row["kernel"]), "none", row["load"])))
    for row in rows.values():
        rate(row, rows)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(HEAD, f"# date: {now}", *notes, *absent, sep="\n")
    print(*results.COLUMNS, sep="\t")
    for row in rows.values():
        print(*(row[column] for column in results.COLUMNS), sep="\t")


main()
