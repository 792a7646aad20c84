#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does a result file meet what was promised? Prints each verdict; status 1 if one fails.

usage: verdict.py RESULT.tsv
"""
import sys

import results

SLAB = ("kmalloc_64", "kmalloc_8_to_240", "cache_192")
# What probe=auto may add at most, of what code tagging adds, by series.
LIMITS = {"6.12": 0.75, "7.3": 0.5}
# The same of sampling, where the module has it.
SAMPLING = {"6.12": 0.45}
# The same of pages, and of what.
PAGES = ("page_order_0",)
LIMIT_PAGES = 0.55
# The same of whole stacks; and of pages, of what page_owner adds.
LIMIT_STACKS = 3.5
LIMIT_STACKS_PAGES = 1 / 15
# Instructions that auto may add to kmalloc(64) + kfree on stock 6.1.
LIMIT_61 = 85
# By how much stock kernels may differ from the reference; 6.1 has none and is held to 6.12's.
STOCK = 0.15
REFERENCE = {"6.1": "6.12"}
failed = False


def say(good, text):
    """One verdict."""
    global failed  # pylint: disable=global-statement
    failed |= not good
    print(f"bench: {'pass' if good else 'FAIL'}: {text}", file=sys.stderr)


def judge_off(data, kernel):
    """Off is no module, in every pass, to the instruction, wherever no module is."""
    none = "none"
    # The allocator of 7.3 is not in the same state each time 1,000 objects come.
    unsteady = [load for load in results.MANY if data.is_unsteady(kernel, load)]
    if unsteady:
        print(f"bench: not judged: {kernel}: off with many objects, passes without a module are not "
              f"the same: {' '.join(unsteady)}", file=sys.stderr)
    for still in ("none", "off", "off_again", "none_again"):
        reason = data.absent.get((kernel, still))
        if reason:
            say(False, f"{kernel}: {still} was not measured: {reason}")
            continue
        bad, count = [], 0
        for load in data.loads("micro"):
            row, base = data.rows.get((kernel, still, load)), data.rows.get((kernel, none, load))
            if row is None or base is None or load in results.STATEFUL or load in unsteady:
                continue
            count += 1
            if not row["least"] == row["most"] == base["least"]:
                low, high = (int(row[c]) - int(base["least"]) for c in ("least", "most"))
                bad.append(f"{load} by {low} to {high} instructions in {row['pairs']} pairs")
        if count == 0:
            say(False, f"{kernel}: {still} was not measured")
        else:
            what = "; ".join(bad) or f"not by one instruction in {count} loops"
            say(not bad, f"{kernel}: {still} differs from no module: {what}")


def judge_ratio(data, name, contender, limit, loads=SLAB):
    """Accounting costs less than code tagging."""
    for load in loads:
        row = data.find(name, contender, load)
        if row is None or row["ratio"] == "-":
            say(False, f"{name}: no ratio of {contender} in {load}")
            continue
        ratio = float(row["ratio"])
        say(ratio <= limit, f"{name}: {contender} adds {float(row['added']):.1f} to {load}, "
            f"{ratio:.3f} of code tagging's (limit {limit})")


def judge_stacks(data, name):
    """Whole stacks: of slab objects beside code tagging, of pages beside page_owner."""
    if data.find(name, "stacks", SLAB[0]):
        judge_ratio(data, name, "stacks", LIMIT_STACKS)
    for load in PAGES:
        mine, owner = data.find(name, "stacks_pages", load), data.find(name, "page_owner", load)
        if mine is None:
            continue
        if owner is None or owner["added"] == "-":
            say(False, f"{name}: no page_owner to compare stacks with in {load}")
            continue
        ratio = float(mine["added"]) / float(owner["added"])
        say(ratio <= LIMIT_STACKS_PAGES, f"{name}: stacks_pages adds {float(mine['added']):.1f} to "
            f"{load}, {ratio:.3f} of page_owner's (limit {LIMIT_STACKS_PAGES:.3f})")


def note_many(data, name):
    """Not promised in instructions: what depends on how full the live table is."""
    for load in results.MANY:
        row = data.find(name, "auto", load)
        if row is not None and row["ratio"] != "-":
            print(f"bench: note: {name}: auto adds {float(row['added']):.1f} to {load} "
                  f"({float(row['added_least']):.1f} to {float(row['added_most']):.1f}), "
                  f"{float(row['ratio']):.3f} of code tagging's", file=sys.stderr)


def judge_stock(data, kernel):
    """A stock kernel pays what the reference kernel pays."""
    name = REFERENCE.get(kernel, kernel)
    for load in SLAB:
        row, added = data.find(name, "auto", load), data.number(kernel, "auto", load, "added")
        if row is None or added is None:
            if row is None:
                print(f"bench: not judged: {kernel}: no {name}-untagged in this run",
                      file=sys.stderr)
                return
            say(False, f"{kernel}: auto was not measured in {load}")
            continue
        apart = added / float(row["added"]) - 1
        say(abs(apart) <= STOCK, f"{kernel}: auto adds {added:.1f} to {load}, {apart:+.1%} of "
            f"{name}-untagged's (limit {STOCK:.0%})")


def main():
    """All verdicts that the file's kernels allow."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = results.Results(sys.argv[1])
    kernels = data.kernels()
    if not kernels:
        sys.exit("bench: nothing was measured")
    for kernel in kernels:
        if (kernel, "none", "kmalloc_64") in data.rows:
            judge_off(data, kernel)
    for name in LIMITS:
        if f"{name}-untagged" in kernels and f"{name}-tagged" in kernels:
            judge_ratio(data, name, "auto", LIMITS[name])
            if (f"{name}-untagged", "none", PAGES[0]) in data.rows:
                judge_ratio(data, name, "auto", LIMIT_PAGES, PAGES)
            if name in SAMPLING and data.find(name, "sampling", SLAB[0]):
                judge_ratio(data, name, "sampling", SAMPLING[name])
            judge_stacks(data, name)
            note_many(data, name)
        else:
            print(f"bench: not judged: ratio on {name}: its pair is not in this run",
                  file=sys.stderr)
    for kernel in kernels:
        if not results.is_reference(kernel):
            judge_stock(data, kernel)
    added = data.number("6.1", "auto", "kmalloc_64", "added")
    if added is not None:
        say(added <= LIMIT_61, f"6.1: auto adds {added:.1f} to kmalloc_64 (limit {LIMIT_61})")
    sys.exit(failed)


main()
