#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Do two runs give the same counts? Status 1 if one that should be equal is not.

usage: compare.py FIRST.tsv SECOND.tsv

Micro loops must be equal to the instruction in least, median and most, but for: loops in
results.STATEFUL; with allocsite on, loops of many objects at a time, where objects meet each other
in the live table as their addresses, which a boot chooses, have it; without it too, where passes
without a module differ in a run already (7.3's sheaves). These are listed with how far they are
apart. Loads of user space are listed only.
"""
import sys

import results

# Contenders that do not look up objects by address.
STEADY = ("none", "off", "off_again", "none_again", "tagged_off", "tagged_on",
          "tagged_compressed")
# Ring buffer, stacks, random choice.
CHANCE = ("trace_events", "page_owner", "sampling")


def must_equal(runs, kernel, contender, load):
    """Is it a count that chance has no part in?"""
    if load in results.STATEFUL:
        return False
    if load not in results.MANY:
        return contender not in CHANCE
    unsteady = any(run.is_unsteady(results.base_of(kernel), load) for run in runs)
    return contender in STEADY and not unsteady


def main():
    """List what differs."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, second = (results.Results(path) for path in sys.argv[1:])
    equal, bad, free = 0, [], []
    for key, row in first.rows.items():
        other = second.rows.get(key)
        if row["kind"] == "memory" or other is None:
            continue
        if all(row[c] == other[c] for c in ("pairs", "least", "median", "most")):
            equal += 1
            continue
        apart = int(other["median"]) / int(row["median"]) - 1
        line = "\t".join(key) + f"\t{row['median']}\t{other['median']}\t{apart:+.3%}"
        strict = row["kind"] == "micro" and must_equal((first, second), *key)
        (bad if strict else free).append(line)
    print(f"equal to the instruction: {equal}")
    print(f"different, as may be: {len(free)}", *free, sep="\n  ")
    print(f"different, and should not be: {len(bad)}", *bad, sep="\n  ")
    sys.exit(bool(bad) or not equal)


main()
