#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares allocsite's counts with code tagging's, tag by tag; see README.md for the method.

usage: compare.py RELEASE RAW_DIR TSV [RULES]

RAW_DIR is what guest.sh wrote. stdout: KTAP, a test for each workload; stderr: a summary for
people; TSV: a line for each group. The status is 1 if a difference is not explained.
"""
import os
import re
import sys
from collections import defaultdict, namedtuple

PAGE = 4096
PERCPU_UNIT = 4
# asite_oracle's entries of what is no tag: none while profiling is on; none, as it is off.
NO_TAG, WHILE_OFF, FIRST_TAG = range(3)
# Of these, what is taken from theirs for each object: a call, or one for each page.
FOLLOWED = {"parts": (1, False), "rounded": (1, True), "first_chunk": (-1, False)}
# Rules that are always applied, as what they say is known of each object.
UNITS = ("area", "vector", *FOLLOWED)
# Tags that move between the last freeze and reading /proc/allocinfo: a program is run to read it.
MOVED_MOST = 60
EVENTS = ("slab", "no_ext", "page", "page_bulk", "percpu")

# Pages of other kinds of memory whose tag is that of the memory they are behind: compared in sum.
BEHIND = {"[large_pages]": "kmalloc_large", "[vmalloc_pages]": "vmalloc"}
SLAB_KINDS = ("kmalloc", "kmalloc_large", "kmem_cache", "slab_ext", "overflow")
# What asite_oracle follows, in its order.
EXTRA = ("uncounted", "parts", "rounded", "first_chunk")

Rule = namedtuple("Rule", "id kernel source sign match reason")
# low, high: least and most that ours can be above theirs, as (objects, bytes).
Round = namedtuple("Round", "low high")


class Tag:
    """A tag of code tagging, as asite_oracle saw it: index in its table, counters of two freezes."""

    def __init__(self, fields):
        self.index, self.state, self.text = int(fields[0]), fields[1], fields[-1]
        numbers = [int(word) for word in fields[2:-1]]
        self.events = dict(zip(EVENTS, numbers))
        # (calls, bytes) at each freeze: charged, and of each of EXTRA.
        numbers = iter(numbers[len(EVENTS):])
        pairs = list(zip(numbers, numbers))
        each = 1 + len(EXTRA)
        self.frozen = [pairs[0], pairs[each]]
        self.extra = {name: [pairs[1 + n], pairs[each + 1 + n]] for n, name in enumerate(EXTRA)}


class Group:
    """Sites and tags that belong together: the smallest set that shares neither with the rest."""

    def __init__(self):
        self.sites, self.tags, self.untagged, self.rounds = [], [], set(), []
        self.base = (0, 0)
        self.verdict = ""
        # Rules by which ours was put into their units.
        self.units = set()

    def kinds(self):
        return sorted({kind_of(site) for site in self.sites}) or ["none"]

    def name(self, tags):
        texts = sorted({tags[index].text for index in self.tags + list(self.untagged)})
        if not self.tags:
            texts = [f"{' '.join(texts)} {site} {cache}" for site, cache in self.sites]
        return "; ".join(texts[:3]) + (f"; and {len(texts) - 3} more" if len(texts) > 3 else "")


# -- reading ----------------------------------------------------------------


def read_rows(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.strip() and line[0] != "#" and not re.match(r"\w+ \w+ - version: |allocinfo - version", line):
                yield line.rstrip("\n")


def kind_of(site):
    """page, vmalloc and so on; else slab."""
    return site[1][1:-1] if site[1].startswith("[") else "slab"


class Sites(dict):
    """(site, cache, or a kind that is not slab in brackets) -> live objects, live bytes.

    kinds: the same, summed for each kind.
    """

    def __init__(self, path):
        super().__init__()
        self.kinds = defaultdict(lambda: [0, 0])
        for row in read_rows(path):
            words = row.split(None, 7)
            kind = words[4]
            cache = words[6].removesuffix("(destroyed)") if kind in SLAB_KINDS else f"[{kind}]"
            for counts in (self.setdefault((words[7].strip(), cache), [0, 0]), self.kinds[kind]):
                counts[0] += int(words[1])
                counts[1] += int(words[0])


def read_losses(path):
    """What the head of sites says is wrong with it; a large object reported twice is no loss."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.strip() for line in file if re.match(r"# (loss|not_seen|cut short)", line)]


def read_tags(path):
    return {tag.index: tag for tag in (Tag(row.split("\t")) for row in read_rows(path))}


def read_pairs(path):
    """(site, cache) -> index of a tag -> objects."""
    pairs = defaultdict(lambda: defaultdict(int))
    for row in read_rows(path):
        objects, tag, cache, site = row.split("\t")
        pairs[site, cache][int(tag)] += int(objects)
    return pairs


def read_allocinfo(path):
    """Text of a tag -> calls, bytes, summed: a line in a header is a tag in each file."""
    rows = defaultdict(lambda: [0, 0])
    for row in read_rows(path):
        size, calls, text = row.split(None, 2)
        # Remarks of 7.3 ("accurate:no") follow the text.
        text = re.sub(r" accurate:no\s*$", "", text).strip()
        rows[text][0] += int(calls)
        rows[text][1] += int(size)
    return rows


def read_values(path):
    return dict(row.split() for row in read_rows(path))


def read_rules(path, release):
    kernel = release.split("-")[0]
    rules = []
    for row in read_rows(path):
        fields = [field.strip() for field in row.split("|")]
        if len(fields) != len(Rule._fields):
            sys.exit(f"compare: {path}: not {len(Rule._fields)} columns: {row}")
        if kernel in fields[1].split():
            rules.append(Rule(*fields))
    return rules


class Workload:
    """All that was read at rest after one workload; units: id of each rule that is always applied."""

    def __init__(self, raw, name, rules):
        self.name, self.sites, self.tags, self.losses = name, [], [], []
        self.units = {rule.match: rule.id for rule in rules if rule.match in UNITS}
        number = 1
        while os.path.exists(f"{raw}/{name}.{number}.sites"):
            self.sites.append(Sites(f"{raw}/{name}.{number}.sites"))
            self.tags.append(read_tags(f"{raw}/{name}.{number}.tags"))
            self.losses += read_losses(f"{raw}/{name}.{number}.sites")
            number += 1
        self.pairs = read_pairs(f"{raw}/{name}.pairs")
        self.allocinfo = read_allocinfo(f"{raw}/{name}.allocinfo")
        self.recorder = read_values(f"{raw}/{name}.control")
        self.cpus = int(self.recorder["cpus"])
        self.vector = int(self.recorder["percpu_vector"])

    def live(self, site):
        """The most that was live of a site in any round."""
        return max(sites.get(site, (0, 0))[0] for sites in self.sites)


# -- groups -----------------------------------------------------------------


def find(parent, node):
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def make_groups(work):
    """Groups of sites that ours has and of tags, and sites that no event was seen at.

    What is no tag joins nothing: a site that has no other stands alone, and theirs is 0.
    """
    parent, lonely = {}, []
    known = {site for sites in work.sites for site in sites if site[1] not in BEHIND}
    for index, tag in work.tags[-1].items():
        if any(tag.events.values()) and index >= FIRST_TAG:
            parent[index] = index
    for site in known:
        # What code tagging's unload leaves has no pair of its own: the text is of before.
        if site not in work.pairs:
            lonely.append(site)
            continue
        parent[site] = site
        for index in (index for index in work.pairs[site] if index >= FIRST_TAG):
            parent.setdefault(index, index)
            parent[find(parent, index)] = find(parent, site)
    groups = defaultdict(Group)
    for node in parent:
        group = groups[find(parent, node)]
        if isinstance(node, tuple):
            group.sites.append(node)
            group.untagged |= work.pairs[node].keys() & {NO_TAG, WHILE_OFF}
        else:
            group.tags.append(node)
    return list(groups.values()), lonely


def in_their_units(work, group, site, counts):
    """Objects and bytes of a site as code tagging counts them; exact for each object."""
    objects, size = counts
    kind = kind_of(site)
    if kind == "vmalloc" and "area" in work.units:
        group.units |= {work.units["area"]} if size else set()
        return size // PAGE, size
    if kind == "percpu" and "vector" in work.units:
        group.units |= {work.units["vector"]} if size else set()
        return objects, size + size // work.cpus // PERCPU_UNIT * work.vector
    return objects, size


def extra_of(work, group, tags, freeze):
    """Calls and bytes to take from theirs, as followed object by object."""
    taken = [0, 0]
    for name, (sign, pages) in FOLLOWED.items():
        calls = sum(tag.extra[name][freeze][0] for tag in tags)
        size = sum(tag.extra[name][freeze][1] for tag in tags)
        if calls and name in work.units:
            group.units.add(work.units[name])
            taken[0] += sign * (size // PAGE if pages else calls)
            taken[1] += sign * size
    return taken


def differences(work, group, without=(), uncounted=()):
    """Ours less theirs in each round, at least and at most: theirs may have moved meanwhile.

    without: caches to leave out; uncounted: tags of which what code tagging does not count is
    added to theirs.
    """
    rounds = []
    for sites, tags in zip(work.sites, work.tags):
        mine = [in_their_units(work, group, site, sites[site]) for site in group.sites
                if site in sites and site[1] not in without]
        ours = [sum(counts[i] for counts in mine) for i in (0, 1)]
        here = [tags[index] for index in group.tags if index in tags]
        more = [tags[index] for index in uncounted if index in tags]
        theirs = [[sum(tag.frozen[freeze][i] for tag in here) + sum(tag.extra["uncounted"][freeze][i] for tag in more)
                   for i in (0, 1)] for freeze in (0, 1)]
        for freeze in (0, 1):
            for i, value in enumerate(extra_of(work, group, here, freeze)):
                theirs[freeze][i] -= value
        rounds.append(Round(*(tuple(ours[i] - pick(theirs[0][i], theirs[1][i]) for i in (0, 1))
                              for pick in (max, min))))
    return rounds


def still(rounds):
    """The rounds in which theirs stood still around our snapshot; all, if there is none."""
    return [r for r in rounds if r.low == r.high] or rounds


def within(rounds, base, add=(0, 0)):
    """0 <= ours - theirs + add <= base, for objects and bytes, in one of the rounds at rest."""
    return any(all(r.low[i] + add[i] <= base[i] and r.high[i] + add[i] >= 0 for i in (0, 1))
               for r in still(rounds))


def base_of(rounds):
    """What ours had more than theirs before the workloads: allocated between the two beginnings."""
    return tuple(max(0, value) for value in still(rounds)[-1].high)


def base_of_group(work, group, rounds):
    """The same; of sites that no tag was seen at, not above what came while profiling was off."""
    base = base_of(rounds)
    if group.tags:
        return base
    seen = sum(work.pairs[site].get(WHILE_OFF, 0) for site in group.sites)
    return (min(base[0], seen), base[1]) if seen else (0, 0)


# -- rules ------------------------------------------------------------------
# Each is asked of a group that is not equal: None if it has nothing to say of it, else whether the
# difference is what it says, to the object and byte.


def explains_cache(work, baseline, group, names):
    """Objects of these caches are not counted by code tagging: without them all is well."""
    names = names.split(",")
    if not any(site[1] in names and work.live(site) for site in group.sites):
        return None
    return within(differences(work, group, without=names),
                  base_of(differences(baseline, group, without=names)))


def explains_no_ext(work, baseline, group, function):
    """Ours has more by the objects, all of one function, that lie where there are no extensions."""
    tags = [work.tags[-1][index] for index in group.tags]
    if not any(tag.extra["uncounted"][1][0] and tag.text.endswith(f" func:{function}") for tag in tags):
        return None
    return within(differences(work, group, uncounted=group.tags),
                  base_of(differences(baseline, group, uncounted=group.tags)))


def explains_untagged(work, baseline, group, function):
    """Ours has more by the objects, all of one function, that were made under no tag."""
    if NO_TAG not in group.untagged or not any(site[0].startswith(f"{function}+") for site in group.sites):
        return None
    return within(differences(work, group, uncounted=[NO_TAG]), base_of_group(
        work, group, differences(baseline, group, uncounted=[NO_TAG])))


EXPLAIN = {"cache": explains_cache, "no_ext": explains_no_ext, "untagged": explains_untagged}


def sign_of(rounds):
    return "+" if all(r.high[0] > 0 or r.high[1] > 0 for r in still(rounds)) else "-"


def judge(work, baseline, group, rules):
    """equal, within (the baseline), a rule's id, or why it fails."""
    if within(group.rounds, (0, 0)):
        return "equal"
    # Nothing was charged of it that a rule could take away.
    if not group.tags and NO_TAG not in group.untagged:
        return "off" if within(group.rounds, group.base) else "FAIL"
    answers = {}
    for rule in rules:
        kind, _, argument = rule.match.partition(" ")
        if kind in EXPLAIN and rule.sign == sign_of(group.rounds):
            answers[rule.id] = EXPLAIN[kind](work, baseline, group, argument)
    said = [rule for rule, answer in answers.items() if answer]
    if len(said) == 1:
        return said[0]
    if said:
        return "FAIL ambiguous: " + " ".join(said)
    # A group that a rule speaks of is not excused by a baseline that has the same objects in it.
    if False not in answers.values() and within(group.rounds, group.base):
        return "within"
    return "FAIL"


def behind(work, kind):
    """In each round: bytes of pages behind a kind of memory, less those of that memory."""
    over = []
    for sites, tags in zip(work.sites, work.tags):
        rounded = sum(tag.extra["rounded"][1][1] for tag in tags.values())
        over.append(sites.kinds[kind[1:-1]][1] - sites.kinds[BEHIND[kind]][1] -
                    (rounded if kind == "[vmalloc_pages]" else 0))
    return over


def check_behind(work, baseline):
    """The memory itself is compared with code tagging, whose tags say nothing of what is behind.

    What was allocated between the hooks of the two may have one of both; it may be freed.
    """
    complaints = []
    for kind in BEHIND:
        over, base = behind(work, kind), behind(baseline, kind)[-1]
        if not any(min(0, base) <= value <= max(0, base) for value in over):
            complaints.append(f"bytes of {kind} less those of {BEHIND[kind]}: {min(over)} to {max(over)}, "
                              f"expected {base}")
    return complaints


def check_shared(work, rules):
    """A return address is one call: if it has several tags, all but one must be lines of helpers.

    Else it is no call site but a place in an allocator, where code tagging tells callers apart.
    """
    helpers = {rule.match.partition(" ")[2]: rule.id for rule in rules if rule.match.startswith("helper ")}
    complaints, hit = [], []
    for (site, cache), objects in work.pairs.items():
        texts = {work.tags[-1][index].text for index in objects if index >= FIRST_TAG}
        if len(texts) < 2 or cache in BEHIND:
            continue
        functions = [text.rpartition(" func:")[2] for text in texts]
        hit += [helpers[function] for function in functions if function in helpers]
        if sum(function not in helpers for function in functions) > 1:
            complaints.append(f"several tags at site {site} ({cache}): {'; '.join(sorted(texts)[:3])}")
    return complaints, hit


# -- a workload -------------------------------------------------------------


def check_allocinfo(work):
    """Every tag that is charged anything was seen at some event, else slab may hide there."""
    seen = defaultdict(lambda: [0, 0])
    for tag in work.tags[-1].values():
        if tag.state == "live":
            for i in (0, 1):
                seen[tag.text][i] += tag.frozen[1][i]
    unseen = [text for text, charged in work.allocinfo.items() if any(charged) and text not in seen]
    moved = [text for text, charged in work.allocinfo.items() if text in seen and charged != seen[text]]
    return unseen, moved, len(seen)


def explain_unseen(text, rules):
    for rule in rules:
        kind, _, argument = rule.match.partition(" ")
        if kind == "unseen" and re.search(f"{argument}$", text):
            return rule.id
    return None


def describe(group, tags):
    r = still(group.rounds)[-1]
    return (f"{group.name(tags)}: ours - theirs is {r.low[0]} to {r.high[0]} objects, "
            f"{r.low[1]} to {r.high[1]} bytes, expected 0 to {group.base[0]} and 0 to "
            f"{group.base[1]}; sites: " + ", ".join(f"{s[0]} {s[1]}" for s in group.sites[:3]))


def check(work, baseline, rules):
    """The groups with their verdicts, complaints, and figures for the summary."""
    groups, lonely = make_groups(work)
    others = []
    complaints = [f"asite_oracle lost {work.recorder['lost']} events"
                  for _ in range(work.recorder["lost"] != "0")]
    complaints += sorted(set(work.losses))
    complaints += [f"no tag was seen at site {site} ({cache}) with {work.live((site, cache))} objects"
                   for site, cache in lonely if work.live((site, cache))]
    for group in groups:
        group.rounds = differences(work, group)
        group.base = base_of_group(work, group, differences(baseline, group))
        group.verdict = judge(work, baseline, group, rules)
        if group.verdict == "equal" and group.units:
            group.verdict = "+".join(sorted(group.units))
        elif not group.verdict.startswith("FAIL") and group.units:
            others += sorted(group.units)
        if group.verdict.startswith("FAIL"):
            complaints.append(group.verdict[5:] + describe(group, work.tags[-1]))
    complaints += [f"{work.recorder['percpu_odd']} per-CPU objects have another vector"
                   for _ in range(work.recorder["percpu_odd"] != "0")]
    shared, hit = check_shared(work, rules)
    others += hit
    complaints += shared + check_behind(work, baseline)
    unseen, moved, seen = check_allocinfo(work)
    rule_of = {text: explain_unseen(text, rules) for text in unseen}
    complaints += [f"a tag that no event was seen of is charged: {text}"
                   for text in unseen if not rule_of[text]]
    if len(moved) > MOVED_MOST:
        complaints.append(f"{len(moved)} of {seen} tags are not as /proc/allocinfo says")
    return groups, complaints, len(moved), others + [rule for rule in rule_of.values() if rule]


def kind_totals(groups):
    """Sites, and groups that have such, of each kind; and all groups without a site."""
    sites, having = defaultdict(int), defaultdict(int)
    for group in groups:
        for site in group.sites:
            sites[kind_of(site)] += 1
        for kind in group.kinds():
            having[kind] += 1
    return ", ".join(f"{kind} {sites[kind]} in {having[kind]}" for kind in sorted(having))


def summary(work, groups, moved):
    verdicts = defaultdict(int)
    for group in groups:
        verdicts[group.verdict.split()[0]] += 1
    rules = ", ".join(f"{n} by {rule}" for rule, n in sorted(verdicts.items())
                      if rule not in ("equal", "within", "off", "FAIL")) or "0"
    moving = sum(1 for group in groups if all(r.low != r.high for r in group.rounds))
    several = sum(1 for group in groups if len(group.tags) > 1)
    live = sum(work.live(site) for group in groups for site in group.sites)
    return (f"{sum(len(g.sites) for g in groups)} sites with {live} live objects, "
            f"{sum(len(g.tags) for g in groups)} tags, {len(groups)} groups: {verdicts['equal']} equal, {verdicts['within']} within the baseline, "
            f"{verdicts['off']} more of before profiling, "
            f"explained: {rules}, unexplained: {verdicts['FAIL']}; sites in groups by kind: {kind_totals(groups)}; "
            f"groups of several tags: {several}, never still: {moving}; /proc/allocinfo moved since: {moved}")


def write_tsv(file, work, groups):
    for group in groups:
        r = still(group.rounds)[-1]
        ours = sum(work.live(site) for site in group.sites)
        file.write("\t".join(map(str, (work.name, group.verdict, ",".join(group.kinds()), len(group.sites), len(group.tags), ours,
                                       r.high[0], r.high[1], group.base[0], group.base[1],
                                       group.name(work.tags[-1])))) + "\n")


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    release, raw, tsv = sys.argv[1:4]
    path = sys.argv[4] if len(sys.argv) == 5 else os.path.join(os.path.dirname(__file__), "rules.tbl")
    rules = read_rules(path, release)
    with open(f"{raw}/ORDER", encoding="utf-8") as file:
        names = file.read().split()
    baseline = Workload(raw, names[0], rules)
    hit, failed = defaultdict(int), 0
    print("KTAP version 1", f"1..{len(names)}", sep="\n")
    with open(tsv, "w", encoding="utf-8") as out:
        out.write("workload\tverdict\tkinds\tsites\ttags\tlive_objects\tobjects_over\tbytes_over\t"
                  "baseline_objects\tbaseline_bytes\ttag\n")
        for number, name in enumerate(names, 1):
            work = Workload(raw, name, rules)
            groups, complaints, moved, others = check(work, baseline, rules)
            write_tsv(out, work, groups)
            for verdict in [group.verdict for group in groups] + others:
                for rule in verdict.split("+"):
                    hit[rule] += 1
            line = summary(work, groups, moved)
            for text in complaints:
                print(f"# FAIL: {name}: {text}")
            print(f"# {line}")
            print(f"{'not ok' if complaints else 'ok'} {number} {release} {name}")
            print(f"{name}: {line}", *(f"  {text}" for text in complaints), sep="\n", file=sys.stderr)
            failed |= bool(complaints)
    unexercised = [rule.id for rule in rules if not hit[rule.id]]
    print(f"# unexercised rules: {' '.join(unexercised) or 'none'}")
    print(f"unexercised rules: {' '.join(unexercised) or 'none'}", file=sys.stderr)
    sys.exit(failed)


if __name__ == "__main__":
    main()
