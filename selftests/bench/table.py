#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markdown tables of a result file.

usage: table.py RESULT.tsv [MODEL.tsv]
MODEL.tsv, where it is there: modelled cycles for each pair, tab-separated, with columns series,
loop, contender, added_cycles, ratio_cycles (others are ignored).
"""
import os
import sys

import results


def table(head, rows):
    """Markdown, the first column on the left."""
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def figure(text):
    """An addition, short."""
    value = float(text)
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}"


def spread(row):
    """"79" or, where the passes differ by a tenth, "79 (76 to 84)"."""
    text = figure(row["added"])
    low, high = figure(row["added_least"]), figure(row["added_most"])
    if row["kind"] == "macro" or float(row["added_most"]) - float(row["added_least"]) >= 0.1:
        text += f" ({low} to {high})"
    return text


def group(data, kind, kernels, title):
    """Loads down, contenders across: what each adds, and the ratio to code tagging below."""
    rows = {k: r for k, r in data.rows.items() if r["kind"] == kind and r["kernel"] in kernels}
    # Loads of user space drift: what none_again "adds" is what a difference must exceed.
    hidden = ("none",) if kind == "macro" else ("none", "none_again")
    contenders = [c for c in dict.fromkeys(k[1] for k in rows) if c not in hidden]
    loads = list(dict.fromkeys(k[2] for k in rows))
    if not contenders:
        return
    print(f"### {title}\n")
    lines = []
    for load in loads:
        found = {c: r for (_, c, what), r in rows.items() if what == load}
        line = [load, figure(found["none"]["per_pair"]) if "none" in found else "-"]
        for contender in contenders:
            row = found.get(contender)
            cell = "-" if row is None or row["added"] == "-" else spread(row)
            if row is not None and row["ratio"] != "-" and abs(float(row["ratio"])) >= 0.005:
                cell += f"<br>×{float(row['ratio']):.2f}"
            line.append(cell)
        lines.append(line)
    table(["load", "none"] + contenders, lines)


def rate(items, top, bottom, scale=1.0):
    """A quotient of two items as text, "-" where one is missing."""
    if top not in items or not items.get(bottom):
        return "-"
    return f"{items[top] / items[bottom] * scale:,.1f}"


def derive(kernel, tool, items):
    """Bytes for each live slab object, page and site, and the report for 1,000 rows."""
    base = dict(items["base"])
    mine = dict(base, **items[tool])
    mine["pages"] = base["mem_total_kib"] / 4
    if tool == "tagged":
        mine["object_kib"] = mine["slab_kib_of_held"] - base["slab_kib_of_held"]
        mine["tag_bytes"] = mine.get("section_bytes", 0) + 16 * base["cpus"] * mine["tags"]
        per = rate(mine, "object_kib", "held_objects", 1024), rate(mine, "tag_bytes", "tags")
    elif tool == "asite":
        # Of the table's size, and, with 100,000 in 131,072 words, of those in it.
        word = mine["bytes_per_live_word_x100"] / 100
        fixed, used = mine["bytes_per_max_site_x100"] / 100, rate(mine, "bytes_for_these_sites",
                                                                  "sites_more")
        per = (f"{word:.0f} a word; {word * 131072 / base['held_objects']:.1f} at "
               f"{base['held_objects'] / 131072:.0%} full", f"{fixed:.0f} a slot, +{used} used")
    else:
        per = "-", "-"
    return [kernel, tool, per[0], "-" if tool == "asite" else rate(mine, "page_ext_bytes", "pages"),
            per[1], rate(mine, "report_bytes", "report_rows", 1000),
            rate(mine, "report_ns", "report_rows", 1000)]


def memory(data):
    """What each tool keeps, then all that memory.sh found."""
    rows, items = [], {}
    for row in data.rows.values():
        if row["kind"] == "memory":
            rows.append([row["kernel"], row["contender"], row["load"], f"{int(row['median']):,}"])
            items.setdefault(row["kernel"], {}).setdefault(row["contender"], {})[row["load"]] = \
                int(row["median"])
    if not rows:
        return
    print("### Memory\n\nBytes; the report read once by cat, instructions.\n")
    table(["kernel", "tool", "per live slab object", "per page of RAM", "per site",
           "1,000 rows, bytes", "1,000 rows, instructions"],
          [derive(kernel, tool, found) for kernel, found in items.items()
           for tool in found if tool != "base" and "base" in found])
    table(["kernel", "tool", "item", "value"], rows)


def absent(data):
    """What was not measured, and why."""
    if data.absent:
        print("### Not measured\n")
        for (kernel, contender), reason in data.absent.items():
            print(f"* {kernel}: {contender}: {reason}")
        print()


def modelled(path):
    """Cycles by the model: what a contender adds, and of what code tagging adds."""
    with open(path, encoding="utf-8") as lines:
        text = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
    rows = [dict(zip(text[0], words)) for words in text[1:]]
    for name in dict.fromkeys(row["series"] for row in rows):
        mine = [row for row in rows if row["series"] == name and row["contender"] != "none"]
        contenders = list(dict.fromkeys(row["contender"] for row in mine))
        found = {(row["loop"], row["contender"]):
                 f"{float(row['added_cycles']):.1f}<br>×{row['ratio_cycles']}" for row in mine}
        print(f"### {name}: modelled cycles added for each pair\n")
        table(["load"] + contenders, [[load] + [found.get((load, c), "-") for c in contenders]
                                      for load in dict.fromkeys(row["loop"] for row in mine)])


def main():
    """All tables."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    data = results.Results(sys.argv[1])
    print("Instructions added for each pair or operation to the kernel without any of it "
          "(median of the passes; in brackets the least and the most pass where they differ); "
          "×: divided by what code tagging adds when on, in the same series and load.\n")
    kernels = data.kernels()
    for name in dict.fromkeys(results.series(k) for k in kernels if results.is_reference(k)):
        pair = [k for k in kernels if results.series(k) == name and results.is_reference(k)]
        group(data, "micro", pair, f"{name}: pairs (reference kernels)")
        group(data, "macro", pair, f"{name}: loads of user space (reference kernels)")
    for kernel in kernels:
        if not results.is_reference(kernel):
            group(data, "micro", [kernel], f"{kernel}: pairs (the distribution's kernel)")
    memory(data)
    absent(data)
    if len(sys.argv) == 3 and os.path.exists(sys.argv[2]):
        modelled(sys.argv[2])
    print(*(line for line in data.comments if line.startswith("# date")), sep="\n")


main()
