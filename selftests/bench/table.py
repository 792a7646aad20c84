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
    contenders = [c for c in dict.fromkeys(k[1] for k in rows) if not c.startswith("none")]
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


def memory(data):
    """All that memory.sh found, an item in each row."""
    rows = [(r["kernel"], r["contender"], r["load"], f"{int(r['median']):,}")
            for r in data.rows.values() if r["kind"] == "memory"]
    if rows:
        print("### Memory\n")
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
