#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Joins the records of plugin/cachemodel.so with the passes that a guest measured.

usage: model.py TSV MARKDOWN DIRECTORY...
A directory is a boot: its name is the release, raw is what guest.sh wrote, records what the plugin
wrote. Each figure is the median of a loop's passes, per pair; lines and pages, which are distinct ones,
per object that is live at a time. What a contender adds is counted from "none" of the same series'
untagged kernel; ratios are to what tagged_on adds to the same loop.
"""
import os
import statistics
import sys

COLUMNS = ("instructions loads stores locked l1d_misses l2_misses dtlb_misses stlb_misses "
           "lines lines_written pages").split()
DISTINCT = ("lines", "lines_written", "pages")
# Cycles for each; plugin/README.md says where from. A miss of the second level is one of the first too.
WEIGHTS = {"instructions": 0.5, "locked": 18, "l1d_misses": 14, "l2_misses": 46,
           "dtlb_misses": 9, "stlb_misses": 26}
# The same with one assumption changed: how much do ratios depend on it?
OTHERS = {
    "IPC 1": {"instructions": 1.0},
    "IPC 4": {"instructions": 0.25},
    "misses x 1/2": {"l1d_misses": 7, "l2_misses": 23, "dtlb_misses": 4.5, "stlb_misses": 13},
    "misses x 2": {"l1d_misses": 28, "l2_misses": 92, "dtlb_misses": 18, "stlb_misses": 52},
    "L3 misses": {"l2_misses": 206},
    "locked 5": {"locked": 5},
}


def die(text):
    sys.exit("model: " + text)


def read_records(path):
    with open(path, encoding="ascii") as lines:
        return [[int(word) for word in line.split()[1:]] for line in lines if line[0].isdigit()]


def live_of(loop):
    """Objects live at a time: kmalloc_64_random_1000 and its like end with it."""
    words = loop.split("_")
    return int(words[-1]) if words[-2:-1] in (["live"], ["random"]) else 1


def read_boot(directory):
    """Yields (contender, loop, {column: median per pair}) for each "micro" line."""
    records = read_records(os.path.join(directory, "records"))
    with open(os.path.join(directory, "raw"), encoding="utf-8") as lines:
        for words in (line.split() for line in lines):
            if words[0] == "absent":
                print("model: not measured: " + " ".join(words[1:]), file=sys.stderr)
            if words[0] != "micro":
                continue
            pairs, passes, first, least, _, most = (int(word) for word in words[3:9])
            rows = records[first - 1:first - 1 + passes]
            check_rows(directory, words, rows, passes, least, most)
            medians = dict(zip(COLUMNS, map(statistics.median, zip(*rows))))
            yield words[1], words[2], {name: count / (live_of(words[2]) if name in DISTINCT else pairs)
                                       for name, count in medians.items()}


def check_rows(directory, words, rows, passes, least, most):
    """The guest's ticks are instructions too: a wrong join shows."""
    counts = sorted(row[0] for row in rows)
    if len(rows) != passes or not 0 <= counts[0] - least <= 50 or not 0 <= counts[-1] - most <= 50:
        die(f"{directory}: records of {words[1]} {words[2]} are not those of its passes: "
            f"{counts} instructions, {least} to {most} ticks")


def cycles(counts, changed=()):
    weights = dict(WEIGHTS, **dict(changed))
    return sum(counts[name] * weight for name, weight in weights.items())


def series_of(release):
    return release.split("-")[0]


def read_all(directories):
    """{(series, loop): {contender: counts}}, in the order that they were measured."""
    table = {}
    for directory in directories:
        release = os.path.basename(os.path.normpath(directory))
        for contender, loop, counts in read_boot(directory):
            table.setdefault((series_of(release), loop), {})[contender] = counts
    return table


def added(contenders, name):
    return {key: value - contenders["none"][key] for key, value in contenders[name].items()}


def ratio(contenders, name, changed=()):
    """To what code tagging adds; None where either was not measured."""
    if "tagged_on" not in contenders or name not in contenders:
        return None
    theirs = cycles(added(contenders, "tagged_on"), changed)
    return cycles(added(contenders, name), changed) / theirs if theirs > 0 else None


def text(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def write_tsv(path, table):
    with open(path, "w", encoding="ascii") as out:
        out.write("# modelled, per pair; weights in cycles: " + str(WEIGHTS) + "\n")
        out.write("\t".join(["series", "loop", "contender"] + COLUMNS + ["cycles"] +
                            ["added_" + name for name in COLUMNS] +
                            ["added_cycles", "ratio_instructions", "ratio_cycles"]) + "\n")
        for (series, loop), contenders in table.items():
            for name, counts in contenders.items():
                more = added(contenders, name)
                fields = [series, loop, name]
                fields += [text(value, 4) for value in (*counts.values(), cycles(counts),
                                                        *more.values(), cycles(more))]
                only = {key: 0 for key in WEIGHTS if key != "instructions"}
                fields += [text(ratio(contenders, name, only), 3), text(ratio(contenders, name), 3)]
                out.write("\t".join(fields) + "\n")


def write_markdown(path, table):
    shown = "instructions locked l1d_misses l2_misses dtlb_misses lines pages".split()
    with open(path, "w", encoding="ascii") as out:
        out.write("| series | loop | contender | " + " | ".join(shown) +
                  " | cycles | ratio: instructions | ratio: cycles | with other weights |\n")
        out.write("|---" * (len(shown) + 7) + "|\n")
        for (series, loop), contenders in table.items():
            for name in ("auto", "sampling", "tagged_off", "tagged_on"):
                if name in contenders and loop != "empty":
                    out.write(markdown_row(series, loop, contenders, name, shown))


def markdown_row(series, loop, contenders, name, shown):
    more = added(contenders, name)
    only = {key: 0 for key in WEIGHTS if key != "instructions"}
    others = [ratio(contenders, name, changed) for changed in OTHERS.values()]
    span = "-" if None in others else f"{min(others):.2f} to {max(others):.2f}"
    fields = [series, loop, name] + [text(more[key]) for key in shown] + [
        text(cycles(more), 1), text(ratio(contenders, name, only)), text(ratio(contenders, name)),
        span]
    return "| " + " | ".join(fields) + " |\n"


def main(tsv, markdown, *directories):
    table = read_all(directories)
    for (series, loop), contenders in table.items():
        if "none" not in contenders:
            die(f"{series}: no 'none' of {loop}: the untagged kernel was not measured")
    write_tsv(tsv, table)
    write_markdown(markdown, table)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
