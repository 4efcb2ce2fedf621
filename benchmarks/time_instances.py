# SPDX-License-Identifier: MIT
"""Times instances of many problems on an NVIDIA GPU. Writes a table that tools/tune reads.

    bazel build --config=sm_90a //gridwise/c:libgridwise.so
    python3 benchmarks/time_instances.py --library=bazel-bin/gridwise/c/libgridwise.so --out=times.csv problems.csv ...

Needs PyTorch. For each problem, times the --most instances of least estimate, at most --factor times the least one. A time is the median of
several launches, each measured by events, after 256 MB have been written, as in compare_cudnn.py. The instances take turns, and the
median of their turns counts. Results are not compared. With --splits, also times other numbers of splits of the first instances, and
writes them to a second table.
"""

import argparse
import csv
import re
import statistics
import time

import compare_cudnn
import torch
from compare_cudnn import gridwise_problem, median_ms, open_library, sizes_of

COLUMNS = ("problem", "device", "sizes", "instance", "splits", "result", "estimate_us", "ms")
SHARES = (0.25, 0.35, 0.5, 0.7, 0.85, 1.2, 1.4, 2, 2.8)  # multiples of the planner's number of splits


class Plan:
    """A loaded plan whose tensors are parts of two buffers."""

    def __init__(self, problem, instance, splits, pool, out):
        self.plan = problem.plans(instance=instance, splits=splits, target="sm_90a")[0]
        self.conv = self.plan.load()
        said = re.search(r"splits +(\d+)", self.plan.description)
        self.splits = int(said.group(1)) if said else 1
        b = (problem.a_elements * 2 + 511) // 256 * 256
        workspace = (problem.out_elements * 2 + 511) // 256 * 256
        self.addresses = pool.data_ptr(), pool.data_ptr() + b, out.data_ptr(), out.data_ptr() + workspace
        if b + problem.b_elements * 2 > pool.nbytes or workspace + self.plan.workspace_bytes > out.nbytes:
            raise MemoryError
        self.times = []

    def launch(self):
        a, b, out, workspace = self.addresses
        self.conv(a, b, out, workspace, stream=torch.cuda.current_stream())

    def ms(self):
        return statistics.median(self.times)


def read_problems(path):
    for line in csv.DictReader(open(path)):
        number = lambda name: int(line[name])
        axes = [(f"{axis}i", tap, *(f"{what}_{axis.lower()}" for what in ("stride", "dil", "pad", "pad_end")))
                for axis, tap in ("DZ", "HY", "WX")[3 - number("ndim"):]]
        dims = [tuple(number(n if n in line else n.replace("_end", "")) for n in names) for names in axes]
        problem = compare_cudnn.Problem(number("G"), number("N"), number("C"), number("K"), dims)
        for direction in line["directions"].split():
            yield line["name"], direction, line.get("type") or "f16", problem


def other_splits(splits, most=128):
    numbers = {max(1, round(splits * share)) for share in SHARES} | ({2, 3, 4} if splits == 1 else {1})
    return sorted(number for number in numbers if number <= most and number != splits)


def plans_of(problem, direction, args, pool, out):
    instances = [(v["instance"], v["estimated_ms"]) for v in problem.explain("sm_90a") if "reason" not in v]
    if not instances:
        raise LookupError("no instance computes it")
    least = min(ms for _, ms in instances)
    near = sorted((v for v in instances if v[1] <= args.factor * least), key=lambda v: v[1])[: args.most]
    plans = [Plan(problem, instance, 0, pool, out) for instance, _ in near]
    more = []
    if args.splits:
        for plan, (_, ms) in list(zip(plans, near))[: args.splits]:
            if ms > 1.8 * least or (direction != "bwd_weight" and plan.splits == 1):
                continue
            more += [Plan(problem, plan.plan.instance, splits, pool, out) for splits in other_splits(plan.splits)]
    return plans, more


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--library", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--factor", type=float, default=2.5)
    parser.add_argument("--most", type=int, default=14, help="instances of a problem; planners evaluate the 12 of least estimate")
    parser.add_argument("--splits", type=int, default=0, help="number of instances per problem to time with other numbers of splits")
    parser.add_argument("--splits-out", default="splits.csv")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1e9)
    args = parser.parse_args()
    torch.cuda.init()
    start = time.time()
    open_library(args.library)
    pool = torch.empty(2_000_000_000, device="cuda", dtype=torch.float16)
    for part in pool.split(200_000_000):
        part.normal_()
    out = torch.empty(6 << 30, device="cuda", dtype=torch.uint8)
    files = [open(path, "w", newline="") for path in (args.out, args.splits_out)[: 1 + (args.splits > 0)]]
    writers = [csv.writer(file, lineterminator="\n") for file in files]
    for writer in writers:
        writer.writerow(COLUMNS)
    count = 0
    for path in args.problems:
        for name, direction, dtype, problem in read_problems(path):
            if time.time() - start > args.seconds:
                break
            ours = gridwise_problem(problem, direction, dtype)
            try:
                lists = plans_of(ours, direction, args, pool, out)
            except (MemoryError, LookupError, compare_cudnn.gridwise.Error) as error:
                print(f"{name} {direction}: {error or 'too large'}", flush=True)
                continue
            for _ in range(args.turns):
                for plan in (*lists[0], *lists[1]):
                    repetitions = 5 if plan.times and plan.times[0] > 0.5 else 9
                    plan.times.append(median_ms(plan.launch, repetitions))
            for writer, plans in zip(writers, lists):
                for plan in plans:
                    writer.writerow((name, "sm_90a", sizes_of(problem, direction, dtype), plan.plan.instance, plan.splits, "timed",
                                     f"{plan.plan.estimated_ms * 1e3:.6g}", f"{plan.ms():.6g}"))
            for file in files:
                file.flush()
            count += 1
    print(f"{count} problems in {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
