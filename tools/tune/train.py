#!/usr/bin/env python3
"""Trains the model that ranks kernels, on tables of `gridwise sweep --time`.

    apt-get install python3-xgboost
    python3 tools/tune/train.py times.csv more.csv

In the repository's folder; writes instances/model/model.inc, from which the library is built. --out=FILE writes another file,
which `gridwise validate --model=FILE` tries. The same tables, program and version of XGBoost make the same file but for its date,
which --date gives.

A time's label is log2 of it by the least one of the problem's kernels, up to a bound: which of two bad kernels is worse
matters to no plan. Of a kernel that was not timed to the end a bound is known, which serves as the time: it is above the least.
Some problems' times go to tools/tune/tables/sample.csv, of which
//tools/tune:model_is_current_test makes the features again. Problems are dealt into five parts by their geometry, whatever the batch; each part is judged by trees of
the other four, and the number of trees is the one that does best. What these judgements come to, beside the estimates alone,
is written for each device, direction and type: the planner asks the model only where it is better.
"""

import argparse
import collections
import csv
import datetime
import hashlib
import io
import json
import subprocess
import sys

import numpy
import xgboost

FOLDS = 5
TREES = (50, 100, 200)  # a planner has microseconds
ASKED = 12  # kernels of a problem, those of least estimate: kAsked of instances/model/ranking.cc
FINALISTS = 4  # of them, which more than the first quarter of the trees are asked about: kFinalists there
SLOWEST = 1.5  # label of kernels that take 2.8 times as long as the best one, or longer
PARAMETERS = {
    "objective": "reg:squarederror",
    "tree_method": "hist",
    "max_depth": 7,
    "eta": 0.08,
    "min_child_weight": 4,
    "subsample": 0.7,
    "colsample_bytree": 0.5,
    "lambda": 2,
    "base_score": 0,
    "seed": 0,
    "nthread": 1,
}
KNOWN = 10  # columns in front of the features
SAMPLE = "tools/tune/tables/sample.csv"
SAMPLE_PROBLEMS = 40
BUILT_IN = "instances/model/model.inc"
SAMPLE_COLUMNS = ("problem", "device", "sizes", "row", "result", "estimate_us", "ms")


class Table:
    """The lines of `gridwise features`."""

    def __init__(self, text):
        rows = list(csv.reader(io.StringIO(text)))
        header, rows = rows[0], rows[1:]
        if not rows:
            raise SystemExit("train.py: the tables have no times")
        self.hash = hashlib.sha256(text.encode()).hexdigest()
        self.features = header[KNOWN:]
        column = {name: index for index, name in enumerate(header[:KNOWN])}
        self.x = numpy.array([[float(v) for v in row[KNOWN:]] for row in rows], dtype=numpy.float32)
        self.ms = numpy.array([float(row[column["ms"]]) for row in rows])
        self.estimate = numpy.array([float(row[column["estimate_us"]]) for row in rows]) * 1e-3
        self.families = sorted({row[column["family"]] for row in rows})
        fold = [int(hashlib.sha256(row[column["geometry"]].encode()).hexdigest(), 16) % FOLDS for row in rows]
        self.fold = numpy.array(fold)
        problems = collections.defaultdict(list)
        for index, row in enumerate(rows):
            key = tuple(row[column[name]] for name in ("device", "direction", "type", "problem"))
            problems[key].append(index)
        self.problems = {key: numpy.array(indices) for key, indices in problems.items() if len(indices) > 1}
        self.label = numpy.zeros(len(rows))
        self.used = numpy.zeros(len(rows), dtype=bool)
        self.not_asked = numpy.zeros(len(rows), dtype=bool)
        for indices in self.problems.values():
            slowdown = numpy.log2(self.ms[indices] / self.ms[indices].min())
            self.label[indices] = numpy.minimum(slowdown, SLOWEST)
            self.used[indices] = True
            self.not_asked[indices[numpy.argsort(self.estimate[indices], kind="stable")[ASKED:]]] = True

    def matrix(self, chosen):
        return xgboost.DMatrix(self.x[chosen], label=self.label[chosen], feature_names=self.features)

    def efficiency(self, ranks, key):
        """The best kernel's time by that of the one whose rank is least."""
        indices = self.problems[key]
        return self.ms[indices].min() / self.ms[indices[numpy.argmin(ranks[indices])]]


def train(table, chosen, trees):
    return xgboost.train(PARAMETERS, table.matrix(chosen), num_boost_round=trees)


def rank(booster, table, ours, trees):
    """The ranks of these kernels by so many trees, as ranking.cc has them."""
    matrix = table.matrix(ours)
    first = booster.predict(matrix, iteration_range=(0, (trees + 3) // 4))
    ranks = numpy.full(len(table.label), numpy.inf)
    ranks[ours] = first + 1000  # behind all finalists
    final = numpy.zeros(len(table.label))
    final[ours] = booster.predict(matrix, iteration_range=(0, trees))
    ranks[table.not_asked] = numpy.inf
    for indices in table.problems.values():
        if ours[indices[0]]:
            finalists = indices[numpy.argsort(ranks[indices], kind="stable")[:FINALISTS]]
            ranks[finalists] = final[finalists]
    return ranks[ours]


def judge(table):
    """The number of trees, and the ranks of every problem's kernels by trees that do not know the problem."""
    ranks = {trees: numpy.zeros(len(table.label)) for trees in TREES}
    for fold in range(FOLDS):
        ours, others = table.used & (table.fold == fold), table.used & (table.fold != fold)
        if not ours.any() or not others.any():
            continue
        booster = train(table, others, max(TREES))
        for trees in TREES:
            ranks[trees][ours] = rank(booster, table, ours, trees)

    def mean(trees):
        return numpy.mean([table.efficiency(ranks[trees], key) for key in table.problems])

    best = max(TREES, key=lambda trees: (round(mean(trees), 6), -trees))
    return best, ranks[best]


def groups(table, ranks):
    """A line for each device, direction and type."""
    found = collections.defaultdict(list)
    for key in table.problems:
        found[key[:3]].append(key)
    for group, keys in sorted(found.items()):
        estimates = numpy.mean([table.efficiency(table.estimate, key) for key in keys])
        model = numpy.mean([table.efficiency(ranks, key) for key in keys])
        yield "group %s %s %s %d %.4f %.4f" % (*group, len(keys), estimates, model)


def nodes(tree, index):
    """The nodes of a tree in preorder."""
    if "leaf" in tree:
        yield "%.5g" % tree["leaf"]
        return
    yield "%d<%.9g" % (index[tree["split"]], tree["split_condition"])
    children = {child["nodeid"]: child for child in tree["children"]}
    yield from nodes(children[tree["yes"]], index)
    yield from nodes(children[tree["no"]], index)


def write(table, date, sample):
    trees, ranks = judge(table)
    used = table.used
    booster = train(table, used, trees)
    index = {name: i for i, name in enumerate(table.features)}
    lines = [
        'R"model(',
        "# Made by tools/tune/train.py.",
        "date %s" % date,
        "trainer XGBoost %s, %d trees of depth %d" % (xgboost.__version__, trees, PARAMETERS["max_depth"]),
        "rows %d" % used.sum(),
        "training %s" % table.hash,
    ]
    if sample:
        lines.append("sample %s" % sample)
    lines += groups(table, ranks)
    lines += ["family %s" % family for family in table.families]
    low, high = table.x[used].min(axis=0), table.x[used].max(axis=0)
    lines += ["feature %s %.9g %.9g" % feature for feature in zip(table.features, low, high)]
    lines += ["tree " + " ".join(nodes(json.loads(tree), index)) for tree in booster.get_dump(dump_format="json")]
    return "\n".join(lines) + '\n)model"\n'


def write_sample(tables):
    """Some problems' lines of the tables, by chance that depends on nothing but their sizes."""
    lines = collections.defaultdict(list)
    for path in tables:
        with open(path, encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                if line["result"] in ("timed", "slower"):
                    lines[line["device"], line["sizes"]].append([line[name] for name in SAMPLE_COLUMNS])
    chosen = sorted(lines, key=lambda key: hashlib.sha256(" ".join(key).encode()).hexdigest())[:SAMPLE_PROBLEMS]
    with open(SAMPLE, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(SAMPLE_COLUMNS)
        for key in chosen:
            writer.writerows(lines[key])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="+", help="tables of `gridwise sweep --time`")
    parser.add_argument("--out", default=BUILT_IN)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--gridwise", default="./bazelw run --ui_event_filters=-info --noshow_progress //tools/gridwise --")
    arguments = parser.parse_args()

    def features(tables):
        command = arguments.gridwise.split() + ["features", *tables, "--csv=-"]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(result.returncode)
        return result.stdout

    sample = None
    if arguments.out == BUILT_IN:
        write_sample(arguments.tables)
        sample = hashlib.sha256(features([SAMPLE]).encode()).hexdigest()
    text = write(Table(features(arguments.tables)), arguments.date, sample)
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write(text)
    print("\n".join(line for line in text.splitlines() if line.split(" ")[0] in ("trainer", "rows", "training", "group")))


if __name__ == "__main__":
    main()
