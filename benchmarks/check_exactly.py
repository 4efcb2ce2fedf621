# SPDX-License-Identifier: MIT
"""Checks on an NVIDIA GPU that Gridwise's convolutions of small integers equal PyTorch's bit for bit.

    bazel build --config=sm_90a //gridwise/c:libgridwise.so
    python3 benchmarks/check_exactly.py --library=bazel-bin/gridwise/c/libgridwise.so --seconds=300 [--seed=N]

Needs PyTorch. Sums of products of small integers are exact in f32, in any order, and PyTorch's results are rounded to integers.
Therefore the check finds one wrong element among millions. It covers problems with many more tiles than the device has
multiprocessors, so that a workgroup computes several tiles. The CPU reference of the tests would be too slow for these.

Problems, types, layouts, epilogues and splits are random. Each case runs on the planner's choice and on some other instances. Outputs
and workspaces are poisoned, and memory next to the output must not change. Several processes with different seeds find races that a
single one does not. The exit status is 1 if anything was wrong.
"""

import argparse
import collections
import math
import random
import sys
import time

import compare_cudnn
import torch
from compare_cudnn import Conv, Problem, flops, open_library, out_size

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8, "i32": torch.int32,
         "f8e4m3fn": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2, "tf32": torch.float32}
OUT_TYPES = {"i8": ["i32", "f32"], "f8e4m3fn": ["f32", "f16", "bf16"], "f8e5m2": ["f32", "f16", "bf16"], "f16": ["f16", "f32"],
             "bf16": ["bf16", "f32"], "f32": ["f32"], "tf32": ["f32"]}
LAYOUTS, WEIGHT_LAYOUTS = ("nhwgc", "gnhwc", "ngchw"), ("gkyxc", "kyxgc")
WIDE_GROUPS = (24, 40, 48, 56, 64, 72, 96, 100, 104, 112, 120, 128, 168, 192)
MARGIN = 1024  # elements before and after the output
MOST_ELEMENTS = 3e7
MOST_OF_I8 = 131071  # products that an i32 certainly holds

Case = collections.namedtuple("Case", "problem direction dtype out_type layout weight_layout alpha tensors relu")


def random_channels(rng):
    """Returns (groups, c, k), of all kinds for which there are special instances."""
    kind = rng.choice(["dense", "dense", "wide", "wide", "narrow", "apart", "few in", "few out", "any"])
    groups = 1
    if kind == "dense":
        draw = lambda: 8 * rng.randint(1, 70)
    elif kind == "wide":
        groups, channels = rng.randint(2, 12), rng.choice(WIDE_GROUPS)
        draw = lambda: channels if rng.random() < 0.8 else rng.choice(WIDE_GROUPS)
    elif kind == "narrow":
        channels = rng.choice([1, 2, 4, 8, 16, 32, 64])
        groups, draw = rng.randint(2, max(2, 512 // channels)), lambda: channels
    elif kind == "apart":
        groups, draw = rng.randint(2, 40), lambda: rng.randint(1, 36)
    elif kind == "few in":
        return 1, rng.randint(1, 3), rng.randint(1, 160)
    elif kind == "few out":
        return 1, rng.randint(1, 40) * rng.choice([1, 8]), rng.choice([1, 2, 3, 36, rng.randint(4, 40)])
    else:
        groups, draw = rng.choice([1, 1, 2, 5]), lambda: rng.randint(1, 130)
    return groups, groups * draw(), groups * draw()


def random_dims(rng):
    rank = rng.choice([1, 2, 2, 2, 2, 3])
    like = (rng.choice([1, 3, 3, 3, 5, 7]), rng.choice([1, 1, 2]), rng.choice([1, 1, 1, 2]))
    usual, dims = rng.random() < 0.6, []
    for _ in range(rank):
        f, s, d = like if usual else (rng.choice([1, 2, 3, 3, 4, 5]), rng.choice([1, 1, 2, 3, 4]), rng.choice([1, 1, 2, 3]))
        pad, end = (rng.randint(0, d * (f - 1)) for _ in range(2))
        if rng.random() < 0.6:
            pad = end = d * (f - 1) // 2
        size = rng.randint(1, {1: 3000, 2: 120, 3: 24}[rank])
        dims.append((max(size, d * (f - 1) + 1 - pad - end), f, s, d, pad, end))
    return dims


def random_problem(rng, max_flops):
    """Returns a problem with enough images for a random number of operations."""
    one = None
    while one is None or flops(one) > max_flops:
        groups, c, k = random_channels(rng)
        one = Problem(groups, 1, c, k, random_dims(rng))
    pixels = max(c * math.prod(d[0] for d in one.dims), k * math.prod(map(out_size, one.dims)))
    operations = 10 ** rng.uniform(5, math.log10(max_flops))
    batch = int(min(operations / flops(one), MOST_ELEMENTS / pixels, 600))
    return one._replace(batch=max(batch, 1))


def products(problem):
    """Returns the number of products per output element in forward."""
    return problem.c // problem.groups * math.prod(d[1] for d in problem.dims)


def random_case(rng, max_flops, types):
    dtype, direction = None, None
    while dtype not in types:
        direction = rng.choice(["fwd", "bwd_data", "bwd_weight"])
        kinds = ["f16", "f16", "f16", "bf16", "bf16", "f32", "tf32"]
        dtype = rng.choice(kinds + (["i8", "i8", "f8e4m3fn", "f8e5m2"] if direction == "fwd" else []))
    out_type = rng.choice(OUT_TYPES[dtype])
    plain = out_type == "i32" or rng.random() < 0.5
    tensors = [] if plain else [rng.choice(["bias", "scale", "residual"]) for _ in range(rng.randint(0, 2))]
    layout = rng.choice(["nhwgc", *LAYOUTS])
    problem = random_problem(rng, max_flops / (20 if dtype == "f32" else 1))
    while dtype == "i8" and products(problem) > MOST_OF_I8:
        problem = random_problem(rng, max_flops)
    return Case(problem, direction, dtype, out_type, layout,
                rng.choice(WEIGHT_LAYOUTS), 1.0 if plain else rng.choice([1.0, -0.5]), tensors, not plain and rng.random() < 0.3)


class Lay:
    """The layout of x and y, or of w: the order of the axes n, g, c, d, h, w, or g, k, c, z, y, x."""

    def __init__(self, case, of_weights):
        rank = len(case.problem.dims)
        spatial = range(3, 3 + rank)
        self.groups, self.rank, self.of_weights = case.problem.groups, rank, of_weights
        if of_weights:
            self.order = (0, 1, *spatial, 2) if case.weight_layout == "gkyxc" else (1, *spatial, 0, 2)
        else:
            self.order = {"ngchw": (0, 1, 2, *spatial), "nhwgc": (0, *spatial, 1, 2), "gnhwc": (1, 0, *spatial, 2)}[case.layout]

    def __call__(self, t):
        first, second, *spatial = t.shape
        split = (self.groups, first // self.groups, second) if self.of_weights else (first, self.groups, second // self.groups)
        return t.reshape(*split, *spatial).permute(self.order).contiguous()

    def strides(self, t):
        """Returns the strides for the axes of the output: n, d, h, w, g, c of a group, or g, k, z, y, x, c."""
        back = [self.order.index(axis) for axis in range(3 + self.rank)]
        a, b, c, *spatial = self(t).permute(back).stride()
        spatial = [0] * (3 - self.rank) + spatial
        return [a, b, *spatial, c] if self.of_weights else [a, *spatial, b, c]


class Operands:
    """Random integers, the tensors that a kernel gets, and the expected result."""

    def __init__(self, case, generator):
        p = case.problem
        integers = lambda shape, most: torch.randint(-most, most + 1, shape, device="cuda", generator=generator).float()
        self.case = case
        self.x = integers((p.batch, p.c, *(d[0] for d in p.dims)), 2)
        self.w = integers((p.k, p.c // p.groups, *(d[1] for d in p.dims)), 2)
        self.dy = integers((p.batch, p.k, *map(out_size, p.dims)), 2)
        like = {"fwd": self.dy, "bwd_data": self.x, "bwd_weight": self.w}[case.direction]
        lay_pixels, lay_weights = Lay(case, of_weights=False), Lay(case, of_weights=True)
        self.lay_out = lay_weights if case.direction == "bwd_weight" else lay_pixels
        x, w, dy = (lay(t).to(TYPES[case.dtype]) for lay, t in ((lay_pixels, self.x), (lay_weights, self.w), (lay_pixels, self.dy)))
        self.a, self.b = {"fwd": (x, w), "bwd_data": (dy, w), "bwd_weight": (dy, x)}[case.direction]
        self.d, self.of_epilogue, self.described = [], [], []
        for kind in case.tensors:
            self.add_tensor(kind, like, integers)

    def add_tensor(self, kind, like, integers):
        """Adds a tensor of the epilogue: the kernel's tensor, the values to add or multiply by, and the description."""
        case, groups = self.case, self.case.problem.groups
        op, scale = ("mul", 1.0) if kind == "scale" else ("add", 0.5)
        if kind == "residual":
            value = integers(like.shape, 3)
            self.d.append(self.lay_out(value).to(TYPES[case.out_type]))
            self.of_epilogue.append((op, scale * value))
            self.described.append((op, case.out_type, scale, self.lay_out.strides(like)))
            return
        axis = 0 if case.direction == "bwd_weight" else 1
        value, of_group = integers((like.shape[axis],), 3), like.shape[axis] // groups
        self.d.append(value)
        self.of_epilogue.append((op, scale * value.view([-1 if i == axis else 1 for i in range(like.dim())])))
        self.described.append((op, "f32", scale, [of_group, 1, 0, 0, 0, 0] if axis == 0 else [0, 0, 0, 0, of_group, 1]))

    def expected(self, t=torch.float32):
        p = self.case.problem
        stride, dilation = ([d[i] for d in p.dims] for i in (2, 3))
        none, ends = [0] * len(p.dims), [n for d in reversed(p.dims) for n in (d[4], d[5])]
        x = torch.nn.functional.pad(self.x, ends).to(t)
        w, dy = self.w.to(t), self.dy.to(t)
        if self.case.direction == "fwd":
            out = torch.convolution(x, w, None, stride, none, dilation, False, none, p.groups)
        else:
            mask = [self.case.direction == "bwd_data", self.case.direction == "bwd_weight", False]
            out = torch.ops.aten.convolution_backward(dy, x, w, None, stride, none, dilation, False, none, p.groups, mask)
            out = out[0] if mask[0] else out[1]
            for axis, d in enumerate(p.dims if mask[0] else []):
                out = out.narrow(2 + axis, d[4], d[0])
        out = out.round().float() * self.case.alpha
        for op, value in self.of_epilogue:
            out = out * value if op == "mul" else out + value
        if self.case.relu:
            out = out.clamp(min=0)
        return self.lay_out(out).to(TYPES[self.case.out_type]).flatten()

    def computed(self, conv):
        """Returns the result of a launch on a poisoned output, and whether memory next to the output did not change."""
        t = TYPES[self.case.out_type]
        like = {"fwd": self.dy, "bwd_data": self.x, "bwd_weight": self.w}[self.case.direction]
        out = torch.full((like.numel() + 2 * MARGIN,), torch.iinfo(t).min if t == torch.int32 else math.nan, dtype=t, device="cuda")
        before = out.clone()
        if conv.workspace is not None:
            conv.workspace.fill_(0xFF)
        conv.launch(self.a, self.b, out[MARGIN:], *self.d)
        torch.cuda.synchronize()
        bits = lambda part: part.contiguous().view(torch.uint8)
        sides = lambda all_: torch.cat([bits(all_[:MARGIN]), bits(all_[-MARGIN:])])
        return out[MARGIN:-MARGIN], torch.equal(sides(out), sides(before))


def problem_of(gridwise, operands):
    case = operands.case
    p = case.problem
    axes = dict(zip(("size", "filter_size", "stride", "dilation", "pad", "pad_end"), zip(*p.dims)))
    return gridwise.Problem(case.direction, case.dtype, groups=p.groups, batch=p.batch, c=p.c, k=p.k, out_type=case.out_type,
                            layout=case.layout, weight_layout=case.weight_layout, alpha=case.alpha,
                            low=0.0 if case.relu else None, epilogue=operands.described, **axes)


def what_is_wrong(conv, operands, expected):
    out, beside_is_untouched = operands.computed(conv)
    if not beside_is_untouched:
        return "wrote beside the output"
    if torch.equal(out, expected):
        return None
    expected = operands.expected(torch.float64)  # in case PyTorch's f32 was off by one half
    wrong = (out != expected).nonzero().flatten()
    if len(wrong) == 0:
        return None
    first = wrong[0].item()
    return f"{len(wrong)} of {len(out)} elements, from {first} on: {out[first].item()} for {expected[first].item()}"


def check(args):
    gridwise = compare_cudnn.gridwise
    rng, generator = random.Random(args.seed), torch.Generator("cuda").manual_seed(args.seed)
    ran, wrong, problems, end = collections.Counter(), 0, 0, time.time() + args.seconds
    while time.time() < end:
        case = random_case(rng, args.flops, args.types)
        splits = rng.choice([0, 0, 1, 2, 3, 5]) if case.dtype != "i8" else 0
        operands = Operands(case, generator)
        ours = problem_of(gridwise, operands)
        instances = [v["instance"] for v in ours.explain() if "reason" not in v]
        others = [instance for instance in instances if args.instances in instance and instance not in args.skip_instances.split(",")]
        expected = operands.expected()
        problems += 1
        for instance in [None] + rng.sample(others, min(args.other_instances, len(others))):
            name = instance or "planned"
            try:
                conv = Conv(ours, instance, splits if instance else 0)
                name = instance or f"planned {conv.instance}"
                reason = what_is_wrong(conv, operands, expected)
                ran[conv.instance] += 1
            except gridwise.Error as error:
                reason = str(error)
            if reason:
                wrong += 1
                print(f"WRONG {reason}: {name} splits {splits} {case}", flush=True)
        torch.cuda.empty_cache()
    print(f"{sum(ran.values())} launches of {len(ran)} instances, of {problems} problems: {wrong} wrong", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flops", type=float, default=2e10, help="largest number of operations of a problem")
    parser.add_argument("--types", default=",".join(OUT_TYPES), help="types of operands")
    parser.add_argument("--instances", default="", help="check instances whose names contain this, in addition to the planner's choice")
    parser.add_argument("--skip-instances", default="", help="do not check instances whose names contain this")
    parser.add_argument("--other-instances", type=int, default=5)
    args = parser.parse_args()
    args.types = args.types.split(",")
    if unknown := set(args.types) - set(OUT_TYPES):
        parser.error(f"--types: {', '.join(sorted(unknown))}; must be of {', '.join(OUT_TYPES)}")
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.zeros(1, device="cuda")
    open_library(args.library)
    sys.exit(1 if check(args) else 0)


if __name__ == "__main__":
    main()
