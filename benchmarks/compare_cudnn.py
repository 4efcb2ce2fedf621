# SPDX-License-Identifier: MIT
"""Times Gridwise's and cuDNN's convolutions on an NVIDIA GPU, in one process.

    bazel build --config=sm_90a //gridwise/c:libgridwise.so
    python3 benchmarks/compare_cudnn.py --library=bazel-bin/gridwise/c/libgridwise.so [--all-instances]

Needs PyTorch. Both sides compute the same tensors (random normal, channels last) on the same stream.

- A time is the median of several calls, each measured by events around the call, after 256 MB have been written. The sides take turns, and
  the median of their turns counts.
- cuDNN is autotuned. For very large problems, it chooses among the ten algorithms that its heuristics name first. With --layouts=both,
  it is also timed on NCHW tensors, as PyTorch convolves them, and the faster layout counts.
- Gridwise runs its planner's choice for the device. Its time includes passes and the addition of splits.
- PyTorch does not convolve i8 and f8. Forward in these types is compared with cuDNN on the same values in f16.
- In tf32, both sides multiply f32 operands as TF32; otherwise cuDNN may not.
- Each result is first compared with PyTorch's in f32 (for f32 and tf32, in f64), by ||out - ref|| / ||ref||. For these two, so is cuDNN's
  result.

Writes <out>/layers.csv and page.md. With --all-instances, also writes instances.csv, which //benchmarks:fit and :rank read.
"""

import argparse
import collections
import csv
import importlib
import math
import os
import statistics
import sys
import time

import torch

DIRECTIONS = ("fwd", "bwd_data", "bwd_weight")
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "tf32": torch.float32, "i8": torch.int8,
         "f8e4m3fn": torch.float8_e4m3fn}
SUMS = {"i8": torch.int32, "f8e4m3fn": torch.float32}  # type of the sums and the output of 8-bit types
TOLERANCE = {"f16": 1e-3, "bf16": 6e-3, "f32": 1e-5, "tf32": 1e-3, "i8": 1e-5, "f8e4m3fn": 1e-5}
LARGE = 5e11  # flops; some of cuDNN's algorithms take minutes for larger problems


gridwise = None  # gridwise/python/gridwise, imported by open_library


def open_library(path):
    global gridwise
    os.environ["GRIDWISE_LIBRARY"] = os.path.abspath(path)
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gridwise", "python"))
    gridwise = importlib.import_module("gridwise")


class Conv:
    """A kernel for a problem; by default the planner's choice."""

    def __init__(self, problem, instance=None, splits=0):
        self.conv = problem.plans(instance=instance, splits=splits)[0].load()
        self.instance, size = self.conv.plan.instance, self.conv.plan.workspace_bytes
        self.workspace = torch.empty(size, device="cuda", dtype=torch.uint8).fill_(0xFF) if size else None

    def launch(self, a, b, out, d0=None, d1=None):
        address = lambda t: None if t is None else t.data_ptr()
        self.conv(address(a), address(b), address(out), address(self.workspace), address(d0), address(d1),
                  stream=torch.cuda.current_stream())


Problem = collections.namedtuple("Problem", "groups batch c k dims")  # dims: in, filter, stride, dilation, pad, pad_end


def out_size(dim):
    return (dim[0] + dim[4] + dim[5] - dim[3] * (dim[1] - 1) - 1) // dim[2] + 1


def flops(problem):
    pixels = math.prod(out_size(d) for d in problem.dims)
    taps = math.prod(d[1] for d in problem.dims)
    return 2.0 * problem.batch * pixels * problem.k * (problem.c // problem.groups) * taps


def gridwise_problem(problem, direction, dtype):
    axes = dict(zip(("size", "filter_size", "stride", "dilation", "pad", "pad_end"), zip(*problem.dims)))
    return gridwise.Problem(direction, dtype, groups=problem.groups, batch=problem.batch, c=problem.c, k=problem.k, **axes)


def sizes_of(problem, direction, dtype):
    """Returns the problem as the `gridwise` program prints it."""
    text = f"{direction} {dtype} g{problem.groups} n{problem.batch} c{problem.c} k{problem.k}"
    axes = list(zip(*problem.dims))[:5] + [map(out_size, problem.dims)]
    for name, values in zip(("in", "filter", "stride", "dilation", "pad", "out"), axes):
        text += f" {name} " + "x".join(map(str, values))
        if name == "pad" and any(d[4] != d[5] for d in problem.dims):
            text += ":" + "x".join(str(d[5]) for d in problem.dims)
    return text


def channels_last(t):
    """Returns the same values with the channels (axis 1) innermost."""
    order = (0, *range(2, t.dim()), 1)
    back = (0, t.dim() - 1, *range(1, t.dim() - 1))
    return t.permute(order).contiguous().permute(back)


class Tensors:
    """Random operands of a problem, its f32 reference and cuDNN's call."""

    def __init__(self, problem, direction, dtype):
        t = TYPES[dtype]
        sizes = [d[0] for d in problem.dims]
        outs = [out_size(d) for d in problem.dims]
        filters = [d[1] for d in problem.dims]
        scale = 20 if dtype == "i8" else 1  # so that f16 holds most sums
        random_of = lambda *size: (scale * torch.randn(*size, device="cuda")).clamp(-127, 127)
        make = lambda *size: channels_last(random_of(*size)).to(t)
        self.problem, self.direction = problem, direction
        self.x = make(problem.batch, problem.c, *sizes)
        self.w = make(problem.k, problem.c // problem.groups, *filters)
        self.dy = make(problem.batch, problem.k, *outs)
        self.a = self.x if direction == "fwd" else self.dy
        self.b = self.x if direction == "bwd_weight" else self.w
        self.like = {"fwd": self.dy, "bwd_data": self.x, "bwd_weight": self.w}[direction]
        self.out_type = SUMS.get(dtype, t)
        self.of_cudnn = [v.half() if dtype in SUMS else v for v in (self.x, self.w, self.dy)]

    def in_nchw(self):
        """Returns cuDNN's call on copies of the operands in NCHW."""
        copies = [v.contiguous() for v in self.of_cudnn]
        return lambda: self.compute(operands=copies)

    def compute(self, cast=lambda t: t, operands=None):
        p = self.problem
        stride, dilation, pad = ([d[i] for d in p.dims] for i in (2, 3, 4))
        x, w, dy = map(cast, operands or self.of_cudnn)
        if self.direction == "fwd":
            return torch.convolution(x, w, None, stride, pad, dilation, False, [0] * len(pad), p.groups)
        mask = [self.direction == "bwd_data", self.direction == "bwd_weight", False]
        results = torch.ops.aten.convolution_backward(dy, x, w, None, stride, pad, dilation, False, [0] * len(pad),
                                                      p.groups, mask)
        return results[0] if mask[0] else results[1]

    def reference(self):
        """Returns the reference in f32, or in f64 for f32 and tf32. For very large problems some algorithms take minutes; then returns
        cuDNN's own result, if it has the same type and is not f32."""
        is_f32 = self.x.dtype == torch.float32
        if flops(self.problem) > LARGE and self.of_cudnn[0] is self.x and not is_f32:
            return self.compute().float()
        benchmark, torch.backends.cudnn.benchmark = torch.backends.cudnn.benchmark, False
        try:
            return self.compute(lambda t: t.double() if is_f32 else t.float())
        finally:
            torch.backends.cudnn.benchmark = benchmark


def error_of(out, ref):
    scale = ref.norm().item()
    return (out.to(ref.dtype) - ref).norm().item() / (scale if scale > 0 else 1)


def verify(conv, tensors, ref):
    """Returns the relative error of a launch on a poisoned output."""
    out = torch.empty_like(tensors.like, dtype=tensors.out_type)
    out.fill_(float("nan") if out.is_floating_point() else torch.iinfo(out.dtype).min)
    conv.launch(tensors.a, tensors.b, out)
    torch.cuda.synchronize()
    return error_of(out, ref)


def instances_of(args, problem):
    """Returns [(instance, estimated microseconds)] of the instances that --instances selects, in the planner's order."""
    explanations = [(v["instance"], v["estimated_ms"] * 1e3) for v in problem.explain() if "reason" not in v]
    return [v for v in explanations if args.instances in v[0] and not (args.skip_instances and args.skip_instances in v[0])]


flush = None


def median_ms(call, repetitions):
    global flush
    if flush is None:
        flush = torch.empty(1 << 28, device="cuda", dtype=torch.int8)
    event = lambda: torch.cuda.Event(enable_timing=True)
    pairs = [(event(), event()) for _ in range(repetitions)]
    for _ in range(repetitions // 5 + 3):
        flush.zero_()
        call()
    for start, stop in pairs:
        flush.zero_()
        start.record()
        call()
        stop.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(stop) for start, stop in pairs)


def read_problems(path):
    for line in csv.DictReader(open(path)):
        number = lambda name: int(line[name])
        axes = [(f"{axis}i", tap, *(f"{what}_{axis.lower()}" for what in ("stride", "dil", "pad")))
                for axis, tap in ("DZ", "HY", "WX")[3 - number("ndim"):]]
        dims = [tuple(number(n) for n in names) + (number(names[-1]),) for names in axes]
        problem = Problem(number("G"), number("N"), number("C"), number("K"), dims)
        for direction in line["directions"].split():
            yield line["name"], direction, problem


def measure(args):
    layers, all_instances, start = [], [], time.monotonic()
    for name, direction, problem in read_problems(args.problems):
        if args.type in SUMS and direction != "fwd":
            continue
        if args.only not in f"{name} {direction}" or (args.skip and args.skip in f"{name} {direction}"):
            continue
        if time.monotonic() - start > args.seconds:
            print(f"{args.seconds:g} s are over; the layers from {name} {direction} on are not timed", flush=True)
            break
        torch.cuda.empty_cache()
        ours = gridwise_problem(problem, direction, args.type)
        instances = instances_of(args, ours)
        if not instances:
            print(f"{name:14s} {direction:10s} no instance", flush=True)
            layers.append(dict(layer=name, direction=direction))
            continue
        torch.backends.cudnn.benchmark_limit = 10 if flops(problem) > LARGE else 0
        tensors = Tensors(problem, direction, args.type)
        ref = tensors.reference()
        out = torch.empty_like(tensors.like, dtype=tensors.out_type)
        conv = Conv(ours, instances[0][0])  # the planner's choice
        error = verify(conv, tensors, ref)
        ok = error < TOLERANCE[args.type]
        cudnn_error = error_of(tensors.compute(), ref) if tensors.x.dtype == torch.float32 else ""
        best = None
        least = min(estimate for _, estimate in instances)
        for instance, estimate in instances if args.all_instances else []:
            if estimate > args.factor * least:
                continue
            other = Conv(ours, instance)
            if not verify(other, tensors, ref) < TOLERANCE[args.type]:
                print(f"   WRONG {instance}", flush=True)
                continue
            ms = median_ms(lambda: other.launch(tensors.a, tensors.b, out), 10)
            all_instances.append(dict(problem=f"{name} {direction}", device="sm_90a", instance=instance, result="timed",
                                 sizes=sizes_of(problem, direction, args.type), ms=ms, estimate_us=estimate))
            best = min(best or (ms, instance), (ms, instance))
        del ref
        calls = {"ours": lambda: conv.launch(tensors.a, tensors.b, out), "nhwc": tensors.compute}
        if args.layouts == "both":
            calls["nchw"] = tensors.in_nchw()
        times = {side: [] for side in calls}
        for _ in range(args.turns):
            for side, call in calls.items():
                times[side].append(median_ms(call, args.repetitions))
        times = {side: statistics.median(of_turns) for side, of_turns in times.items()}
        b = times.pop("ours")
        layout, a = min(times.items(), key=lambda side: side[1])
        layer = dict(layer=name, direction=direction, cudnn_ms=a, ours_ms=b, ratio=a / b, cudnn_tf=flops(problem) / a / 1e9,
                     ours_tf=flops(problem) / b / 1e9, error=error, cudnn_error=cudnn_error, ok=ok, instance=conv.instance,
                     nhwc_ms=times["nhwc"], nchw_ms=times.get("nchw", ""),
                     best_ms=best[0] if best else "", best_instance=best[1] if best else "")
        layers.append(layer)
        write(args, layers, all_instances)  # keep the results even if a later layer ends the run
        errors = f"error {error:.1e}, cuDNN's {cudnn_error:.1e} " if tensors.x.dtype == torch.float32 else ""
        print(f"{name:14s} {direction:10s} cuDNN {layout} {a:.4f} ours {b:.4f} ms {layer['ours_tf']:4.0f} TF x{a / b:.2f} "
              f"{'' if ok else 'WRONG %.1e ' % error}{errors}{conv.instance} | best {best[0] if best else 0:.4f} "
              f"{best[1] if best else ''}", flush=True)
    return layers, all_instances


def geomean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float("nan")


def write(args, layers, all_instances):
    for name, lines in (("layers.csv", layers), ("instances.csv", all_instances)):
        if lines:
            with open(os.path.join(args.out, name), "w", newline="") as file:
                writer = csv.DictWriter(file, max(lines, key=len).keys())
                writer.writeheader()
                writer.writerows(lines)
    timed = [layer for layer in layers if layer.get("ok")]
    page = [f"# Gridwise and cuDNN: {os.path.basename(args.problems)}, {args.type}", "",
            f"{torch.cuda.get_device_name()}, cuDNN {torch.backends.cudnn.version()}, PyTorch {torch.__version__}.", "",
            "| direction | layers | timed | geometric mean of cuDNN's time over ours | under 0.95 |", "|---|---|---|---|---|"]
    for direction in (*DIRECTIONS, None):
        mine = [l for l in layers if direction in (None, l["direction"])]
        of = [l for l in timed if direction in (None, l["direction"])]
        if mine:
            page.append(f"| {direction or 'all'} | {len(mine)} | {len(of)} | {geomean(l['ratio'] for l in of):.3f} | "
                        f"{sum(l['ratio'] < 0.95 for l in of)} |")
    errors = [l["error"] / l["cudnn_error"] for l in timed if l["cudnn_error"]]
    if errors:
        page += ["", f"Errors against f64: {geomean(errors):.3f} of cuDNN's (geometric mean), at most {max(errors):.3f}; "
                 f"{sum(e > 1 for e in errors)} of {len(errors)} are larger."]
    page += ["", "| layer | direction | cuDNN ms | ours ms | ratio | TFLOP/s | instance |", "|---|---|---|---|---|---|---|"]
    for l in layers:
        page.append(f"| {l['layer']} | {l['direction']} | {l['cudnn_ms']:.4f} | {l['ours_ms']:.4f} | {l['ratio']:.2f} | "
                    f"{l['ours_tf']:.0f} | {l['instance']}{'' if l['ok'] else ' **wrong**'} |" if "ratio" in l else
                    f"| {l['layer']} | {l['direction']} | | | | | no instance |")
    with open(os.path.join(args.out, "page.md"), "w") as file:
        file.write("\n".join(page) + "\n")
    return page[4:page.index("| layer | direction | cuDNN ms | ours ms | ratio | TFLOP/s | instance |")], timed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--problems", default="tests/problems/retinanet.csv")
    parser.add_argument("--type", default="f16", choices=list(TYPES))
    parser.add_argument("--only", default="", help="only layers whose name and direction contain this")
    parser.add_argument("--skip", default="", help="skip layers whose name and direction contain this")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-instances", action="store_true", help="time every instance whose estimate is close to the least")
    parser.add_argument("--instances", default="", help="only instances whose names contain this")
    parser.add_argument("--skip-instances", default="", help="skip instances whose names contain this")
    parser.add_argument("--layouts", default="nhwc", choices=["nhwc", "both"], help="layouts of cuDNN's tensors")
    parser.add_argument("--factor", type=float, default=5, help="--all-instances: those whose estimate is at most this times the least")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no further layer after so many seconds")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--out", default=".")
    args = parser.parse_args()
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = args.type == "tf32"
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    open_library(args.library)
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.benchmark_limit = 0
    torch.manual_seed(args.seed)
    layers, all_instances = measure(args)
    summary, timed = write(args, layers, all_instances)
    print("\n".join(summary))
    if all_instances:
        print(f"planner's choice against our best instance: {geomean(l['best_ms'] / l['ours_ms'] for l in timed if l['best_ms']):.3f}")


if __name__ == "__main__":
    main()
