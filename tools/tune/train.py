#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the model that ranks kernels, on tables of `gridwise sweep --time`.

    apt-get install python3-xgboost
    python3 tools/tune/train.py times.csv more.csv

In the repository's folder; writes gridwise/planner/model.inc, from which the library is built. --out=FILE writes another file,
which `gridwise validate --model=FILE` tries. The same tables, program and version of XGBoost make the same file but for its date,
which --date gives.

Trees correct the estimates: log2 of a kernel's time by the least one of its problem's kernels is log2 of its estimate by
the least estimate, and what they add. Only the order of a problem's kernels matters. So errors are squared after the
problem's mean error is taken off; near the best kernel they weigh most; and of a kernel that was not timed to the end, of
which a bound is known, or that is slower than SLOWEST, what is too much is no error. Some problems' times go to
tools/tune/tables/sample.csv, of which //tools/tune:model_is_current_test makes the features again. Problems are dealt
into five parts by their geometry, whatever the direction, type and batch; each part is judged by trees of the other four.
What these judgements come to, beside the estimates alone, is written for each device, direction and type: the planner asks
the model only where it is better.

Not all trees are asked about all kernels: with --cuts=PART:MARGIN:MOST,..., after each part of them, such as 1/6, kernels are left
out that are slower than the fastest by MARGIN, log2, or not among the MOST fastest.

With --regret, what choices lose is minimised as well: a problem's mean of its kernels' log2 times, each at most LARGE. The mean
is weighted by ranks, a factor of e per TEMPERATURE: the kernel that ranks first has most of the weight.

Times of a GPU are uncertain, and its estimates fitted to networks that the tables may know little of. So with --margin=M, log2, the
kernel of least estimate is put behind another only where the trees find that one faster by more than M. The model of sm_90a, which has no margin:

    python3 benchmarks/time_instances.py ...  # on the device
    python3 tools/tune/train.py tools/tune/tables/sm_90a.csv.xz tools/tune/tables/sm_90a_before.csv.xz \
        --out=gridwise/planner/sm_90a.inc --trees=400 --regret=1
"""

import argparse
import collections
import csv
import datetime
import fractions
import hashlib
import io
import json
import lzma
import math
import os
import subprocess
import sys
import tempfile

import numpy
import xgboost

FOLDS = 5
TREES = 200  # a planner has microseconds
ASKED = 12  # kernels of a problem, those of least estimate: kAsked of gridwise/planner/ranking.h
# After a part of the trees, kernels are left out that are slower than the fastest by a margin, log2, or not among a number of the
# fastest: as ranking.cc does. On problems of sm_90a that trees had not seen, with these cuts 22 % of the evaluations choose kernels of
# 0.98901 of the fastest one's speed, and all evaluations 0.98938.
CUTS = "1/16:0.5:8,1/8:0.3:6,1/5:0.2:5,1/3:0.1:3,1/2:0.05:2,2/3:0.025:2"
SLOWEST = 3  # log2: that kernels are slower matters to no plan
TEMPERATURE, LARGE = 0.05, 1  # log2, see --regret
PARAMETERS = {
    "tree_method": "hist",
    "max_depth": 8,
    "eta": 0.1,
    "min_child_weight": 8,
    "subsample": 0.7,
    "colsample_bytree": 0.5,
    "lambda": 2,
    "seed": 0,
    "nthread": 1,
}
KNOWN = 10  # columns before the features
SAMPLE_PROBLEMS = 40
BUILT_IN = "gridwise/planner/model.inc"
SAMPLES = {BUILT_IN: "tools/tune/tables/sample.csv", "gridwise/planner/sm_90a.inc": "tools/tune/tables/sample_sm_90a.csv"}
SAMPLE_COLUMNS = ("problem", "device", "sizes", "instance", "splits", "result", "estimate_us", "ms")


def fold(geometry):
    """The part that a problem is dealt into: "fwd f16 g1 n1 c64 ..." goes with other directions and types of it."""
    sizes = geometry.split(" ", 2)[2]
    return int(hashlib.sha256(sizes.encode()).hexdigest(), 16) % FOLDS


def parse_cuts(text, trees):
    """(trees, margin, most) of each of "PART:MARGIN:MOST,..."."""
    cuts = [cut.split(":") for cut in text.split(",")]
    return [(math.ceil(fractions.Fraction(part) * trees), float(margin), int(most)) for part, margin, most in cuts]


class Table:
    """The lines of `gridwise features`."""

    def __init__(self, text, trees=TREES, margin=0.0, regret=0.0, cuts=CUTS):
        instances = list(csv.reader(io.StringIO(text)))
        header, instances = instances[0], instances[1:]
        if not instances:
            raise SystemExit("train.py: the tables have no times")
        self.hash = hashlib.sha256(text.encode()).hexdigest()
        self.features = header[KNOWN:]
        column = {name: index for index, name in enumerate(header[:KNOWN])}
        self.x = numpy.array([[float(v) for v in instance[KNOWN:]] for instance in instances], dtype=numpy.float32)
        self.ms = numpy.array([float(instance[column["ms"]]) for instance in instances])
        self.estimate = numpy.array([float(instance[column["estimate_us"]]) for instance in instances]) * 1e-3
        self.families = sorted({instance[column["family"]] for instance in instances})
        self.fold = numpy.array([fold(instance[column["geometry"]]) for instance in instances])
        self.base = self.x[:, self.features.index("log2_of_least")]
        bound = numpy.array([instance[column["at_least"]] == "1" for instance in instances])
        problems = collections.defaultdict(list)
        for index, instance in enumerate(instances):
            key = tuple(instance[column[name]] for name in ("device", "direction", "type", "problem"))
            problems[key].append(index)
        self.problems = {key: numpy.array(indices) for key, indices in problems.items() if len(indices) > 1}
        self.label = numpy.zeros(len(instances))
        self.used = numpy.zeros(len(instances), dtype=bool)
        self.not_asked = numpy.zeros(len(instances), dtype=bool)
        self.problem = numpy.zeros(len(instances), dtype=int)  # its number
        self.trees, self.margin, self.regret = trees, margin, regret
        self.cuts = parse_cuts(cuts, trees)
        self.lead = numpy.zeros(len(instances))  # of the kernel with the least estimate, in ranks
        for number, indices in enumerate(self.problems.values()):
            slowdown = numpy.log2(self.ms[indices] / self.ms[indices].min())
            self.label[indices] = numpy.minimum(slowdown, SLOWEST)
            self.problem[indices] = number
            self.used[indices] = True
            order = indices[numpy.argsort(self.estimate[indices], kind="stable")]
            self.not_asked[order[ASKED:]] = True
            self.lead[order[0]] = margin
        self.is_bound = bound | (self.label == SLOWEST)
        self.weight = 0.3 / (0.1 + self.label)

    def matrix(self, chosen):
        return xgboost.DMatrix(self.x[chosen], base_margin=self.base[chosen], feature_names=self.features)

    def efficiency(self, ranks, key):
        """The best kernel's time by that of the one whose rank is least."""
        indices = self.problems[key]
        return self.ms[indices].min() / self.ms[indices[numpy.argmin(ranks[indices])]]


def regret_gradients(label, not_asked, problem, predicted):
    """Gradients of what choices lose. Kernels that are not asked about are not chosen."""
    score = numpy.where(not_asked, -numpy.inf, -predicted / TEMPERATURE)
    most = numpy.full(problem.max() + 1, -numpy.inf)
    numpy.maximum.at(most, problem, score)
    share = numpy.exp(score - most[problem])
    share /= numpy.bincount(problem, share)[problem]
    lost = numpy.minimum(label, LARGE)
    lost = lost - numpy.bincount(problem, share * lost)[problem]
    return -share * lost / TEMPERATURE, share * (1 - share) / (2 * TEMPERATURE)


def objective(table, chosen):
    """Errors' gradients, as XGBoost asks for them."""
    label, is_bound, weight = table.label[chosen], table.is_bound[chosen], table.weight[chosen]
    problem = table.problem[chosen]
    sure = numpy.where(is_bound, 0, weight)
    sums = numpy.bincount(problem, sure)
    sums[sums == 0] = 1

    def gradients(predicted, _):
        error = predicted - label
        error -= (numpy.bincount(problem, sure * error) / sums)[problem]
        is_none = is_bound & (error > 0)
        of_errors = weight * numpy.where(is_none, 0, error), weight * numpy.where(is_none, 0.1, 1)
        if table.regret == 0:
            return of_errors
        of_regret = regret_gradients(label, table.not_asked[chosen], problem, predicted)
        return tuple(a + table.regret * b for a, b in zip(of_errors, of_regret))

    return gradients


def train(table, chosen):
    return xgboost.train(PARAMETERS, table.matrix(chosen), table.trees, obj=objective(table, chosen))


def rank(booster, table, ours):
    """The ranks of these kernels, as ranking.cc has them."""
    matrix = table.matrix(ours)
    ranks = numpy.full(len(table.label), numpy.inf)
    left = [indices[~table.not_asked[indices]] for indices in table.problems.values() if ours[indices[0]]]
    behind = 1000.0 * (len(table.cuts) + 1)  # kernels that are left out come after all that are not
    for trees, margin, most in [*table.cuts, (table.trees, numpy.inf, 1)]:
        slowdown = numpy.zeros(len(table.label))
        slowdown[ours] = booster.predict(matrix, iteration_range=(0, trees)) - table.lead[ours]
        behind -= 1000.0
        for number, indices in enumerate(left):
            order = indices[numpy.argsort(slowdown[indices], kind="stable")]
            ranks[order] = slowdown[order] + behind
            left[number] = order[:most][slowdown[order[:most]] <= slowdown[order[0]] + margin]
    return ranks[ours]


def judge(table):
    """The ranks of every problem's kernels by trees that do not know the problem."""
    ranks = numpy.zeros(len(table.label))
    for number in range(FOLDS):
        ours, others = table.used & (table.fold == number), table.used & (table.fold != number)
        if ours.any() and others.any():
            ranks[ours] = rank(train(table, others), table, ours)
    return ranks


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
    ranks = judge(table)
    used = table.used
    booster = train(table, used)
    index = {name: i for i, name in enumerate(table.features)}
    lines = [
        'R"model(',
        "# Made by tools/tune/train.py.",
        "date %s" % date,
        "trainer XGBoost %s, %d trees of depth %d" % (xgboost.__version__, table.trees, PARAMETERS["max_depth"]),
        "instances %d" % used.sum(),
        "training %s" % table.hash,
    ]
    if sample:
        lines.append("sample %s" % sample)
    if table.margin:
        lines.append("margin %g" % table.margin)
    lines += ["cut %d %g %d" % cut for cut in table.cuts]
    lines += groups(table, ranks)
    lines += ["family %s" % family for family in table.families]
    low, high = table.x[used].min(axis=0), table.x[used].max(axis=0)
    lines += ["feature %s %.9g %.9g" % feature for feature in zip(table.features, low, high)]
    lines += ["tree " + " ".join(nodes(json.loads(tree), index)) for tree in booster.get_dump(dump_format="json")]
    return "\n".join(lines) + '\n)model"\n'


def write_sample(tables, out):
    """Some problems' lines of the tables, by chance that depends on nothing but their sizes."""
    lines = collections.defaultdict(list)
    for path in tables:
        with open(path, encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                if line["result"] in ("timed", "slower"):
                    lines[line["device"], line["sizes"]].append([line.get(name, "") for name in SAMPLE_COLUMNS])
    chosen = sorted(lines, key=lambda key: hashlib.sha256(" ".join(key).encode()).hexdigest())[:SAMPLE_PROBLEMS]
    with open(out, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(SAMPLE_COLUMNS)
        for key in chosen:
            writer.writerows(lines[key])


def unpacked(path, folder):
    """A table that is packed (.xz), as a file in the folder."""
    if not path.endswith(".xz"):
        return path
    to = os.path.join(folder, os.path.basename(path)[: -len(".xz")])
    with lzma.open(path) as packed, open(to, "wb") as file:
        file.write(packed.read())
    return to


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="+", help="tables of `gridwise sweep --time`")
    parser.add_argument("--out", default=BUILT_IN)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--gridwise", default="./bazelw run --ui_event_filters=-info --noshow_progress //tools/gridwise --")
    parser.add_argument("--margin", type=float, default=0.0, help="log2 that trees must find another kernel faster by")
    parser.add_argument("--trees", type=int, default=TREES)
    parser.add_argument("--regret", type=float, default=0.0, help="weight of what choices lose, beside that of errors")
    parser.add_argument("--cuts", default=CUTS, help="PART:MARGIN:MOST of each cut")
    parser.add_argument("--depth", type=int, default=PARAMETERS["max_depth"])
    arguments = parser.parse_args()
    PARAMETERS["max_depth"] = arguments.depth

    def features(tables):
        command = arguments.gridwise.split() + ["features", *tables, "--csv=-"]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(result.returncode)
        return result.stdout

    sample = None
    with tempfile.TemporaryDirectory() as folder:
        tables = [unpacked(path, folder) for path in arguments.tables]
        if arguments.out in SAMPLES:
            write_sample(tables, SAMPLES[arguments.out])
            sample = hashlib.sha256(features([SAMPLES[arguments.out]]).encode()).hexdigest()
        table = Table(features(tables), arguments.trees, arguments.margin, arguments.regret, arguments.cuts)
    text = write(table, arguments.date, sample)
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write(text)
    print("\n".join(line for line in text.splitlines() if line.split(" ")[0] in ("trainer", "instances", "training", "group")))


if __name__ == "__main__":
    main()
