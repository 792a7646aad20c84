#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A plot of a result file (SVG, stdout), to be read without colour: bars with patterns, each with
its figure beside it, on a logarithmic scale.

usage: plot.py RESULT.tsv
"""
import math
import sys
from xml.sax.saxutils import escape

import results

LOADS = ("kmalloc_64", "kmalloc_64_deep", "cache_192", "kmalloc_64_random_1000", "kmalloc_64_random_100000",
         "page_order_0", "file", "fork_exec")
# Contenders from top to bottom, and their family.
CONTENDERS = {"tagged_off": "tag", "tagged_on": "tag", "tagged_compressed": "tag",
              "off": "asite", "sampling": "asite", "auto": "asite", "tracepoint": "asite",
              "ftrace": "asite", "kprobe": "asite", "stacks": "asite",
              "stacks_8": "asite", "stacks_16": "asite", "stacks_32": "asite",
              "stacks_pages": "asite", "pages": "asite", "stackdepot_8": "peer",
              "stackdepot_16": "peer", "stackdepot_32": "peer", "trace_events": "peer", "bpftrace": "peer", "page_owner": "peer"}
FAMILIES = {"tag": "code tagging", "asite": "allocsite", "peer": "other tools"}
PATTERNS = """\
<defs>
<pattern id="tag" width="4" height="4" patternUnits="userSpaceOnUse">
<rect width="4" height="4" fill="#555"/></pattern>
<pattern id="asite" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" fill="#fff"/><line x1="0" y1="0" x2="0" y2="6" stroke="#000" stroke-width="3"/>
</pattern>
<pattern id="peer" width="6" height="6" patternUnits="userSpaceOnUse">
<rect width="6" height="6" fill="#fff"/><circle cx="3" cy="3" r="1.2" fill="#000"/></pattern>
</defs>"""
LEFT, WIDTH, BAR, GAP, HEAD, PANEL = 120, 240, 12, 4, 28, 560


def text(x, y, words, anchor="start", weight="normal"):
    """A line of text."""
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-weight="{weight}">'
            f"{escape(words)}</text>")


def label(row):
    """What the bar is, in figures."""
    added = float(row["added"])
    words = f"{added:+,.0f}" if abs(added) >= 10 else f"{added:+.1f}" if added else "0"
    return words + (f"  (×{float(row['ratio']):.2f})" if row["ratio"] != "-" and added else "")


def bar(x, y, row, top):
    """A bar from 1 to top, logarithmic, with name and figure."""
    added = max(float(row["added"]), 0)
    length = WIDTH * math.log10(max(added, 1)) / math.log10(top)
    yield text(x + LEFT - 6, y + BAR - 2, row["contender"], "end")
    yield (f'<rect x="{x + LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" '
           f'fill="url(#{CONTENDERS[row["contender"]]})" stroke="#000" stroke-width="0.7"/>')
    yield text(x + LEFT + length + 5, y + BAR - 2, label(row))


def panel(x, y, title, rows):
    """All bars of a load."""
    top = max([10.0] + [float(row["added"]) for row in rows])
    yield text(x + LEFT, y + 14, title, weight="bold")
    for i, row in enumerate(rows):
        yield from bar(x, y + HEAD - 6 + i * (BAR + GAP), row, top)


def rows_of(data, name, load):
    """The rows of a load in a series' reference kernels."""
    rows = (data.find(name, contender, load) for contender in CONTENDERS)
    return [row for row in rows if row is not None and row["added"] != "-"]


def legend(y):
    """What the patterns mean."""
    for i, (family, words) in enumerate(FAMILIES.items()):
        x = 20 + i * 170
        yield (f'<rect x="{x}" y="{y}" width="24" height="{BAR}" fill="url(#{family})" '
               'stroke="#000" stroke-width="0.7"/>')
        yield text(x + 30, y + BAR - 2, words)


def main():
    """Series side by side, a panel for each load."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = results.Results(sys.argv[1])
    names = list(dict.fromkeys(results.series(k) for k in data.kernels()
                               if results.is_reference(k)))
    body, y = [], 76
    for load in LOADS:
        columns = [rows_of(data, name, load) for name in names]
        if not any(columns):
            continue
        for i, rows in enumerate(columns):
            body += panel(i * PANEL, y, f"{load}, {names[i]}", rows)
        y += HEAD + max(map(len, columns)) * (BAR + GAP) + 10
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(len(names), 1) * PANEL}" '
          f'height="{y + 10}" font-family="sans-serif" font-size="11">')
    print('<rect width="100%" height="100%" fill="#fff"/>', PATTERNS, sep="\n")
    print(text(20, 22, "Guest instructions added for each pair or operation", weight="bold"))
    print(text(20, 38, "QEMU TCG -icount: instructions, not cycles. Each panel has a logarithmic "
               "scale of its own; ×: of what code tagging adds when on."))
    print(*legend(50), *body, "</svg>", sep="\n")


main()
