# SPDX-License-Identifier: GPL-2.0-only
"""The benchmark's result file, read and asked; report.py writes it."""

COLUMNS = ("kernel contender kind load pairs passes first least median most idle "
           "per_pair added added_least added_most ratio").split()

# Loops whose cost is decided by where earlier users left things, so that it differs between two
# measurements of the same: the free ranges of the vmalloc area; whether the page allocator's list
# of order 3 is empty; the holes in per-CPU chunks, which bpftrace's maps change.
STATEFUL = ("vmalloc_4096", "page_order_3", "page_order_9", "percpu_8")
# Loops that hold many objects at a time.
MANY = ("kmalloc_64_live_1000", "kmalloc_64_random_1000", "kmalloc_64_random_100000")


def series(kernel):
    """"6.12" of "6.12-tagged page_owner=on"."""
    return kernel.split()[0].split("-")[0]


def release(kernel):
    """"6.12-tagged" of "6.12-tagged page_owner=on"."""
    return kernel.split()[0]


def is_reference(kernel):
    """Is it a kernel built for comparison, not the distribution's?"""
    return release(kernel).endswith("tagged")


def base_of(kernel):
    """The kernel whose "none" this one's contenders are compared with."""
    return series(kernel) + "-untagged" if is_reference(kernel) else release(kernel)


class Results:
    """Rows of a result file, by kernel, contender and load."""

    def __init__(self, path):
        self.comments, self.rows, self.absent = [], {}, {}
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                self._take(line.rstrip("\n"))

    def _take(self, line):
        if line.startswith("# not measured: "):
            kernel, contender, reason = line[len("# not measured: "):].split("\t")
            self.absent[kernel, contender] = reason
        elif line.startswith("#"):
            self.comments.append(line)
        elif not line.startswith("kernel\t"):
            row = dict(zip(COLUMNS, line.split("\t")))
            self.rows[row["kernel"], row["contender"], row["load"]] = row

    def kernels(self):
        """All kernels, as in the file."""
        return list(dict.fromkeys(row["kernel"] for row in self.rows.values()))

    def loads(self, kind):
        """All loads of a kind, as in the file."""
        return list(dict.fromkeys(r["load"] for r in self.rows.values() if r["kind"] == kind))

    def number(self, kernel, contender, load, column):
        """A figure, or None where there is none."""
        row = self.rows.get((kernel, contender, load))
        if row is None or row[column] == "-":
            return None
        return float(row[column])

    def is_unsteady(self, kernel, load):
        """Do passes without a module differ, at the beginning, at the end, or between?"""
        ticks = set()
        for still in ("none", "none_again"):
            row = self.rows.get((kernel, still, load))
            ticks |= {row["least"], row["most"]} if row else set()
        return len(ticks) > 1

    def find(self, name, contender, load):
        """The row of a contender in one of a series' reference kernels."""
        for (kernel, who, what), row in self.rows.items():
            if who == contender and what == load and is_reference(kernel) \
                    and series(kernel) == name:
                return row
        return None
