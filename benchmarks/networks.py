#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times whole networks in PyTorch, with gridwise.torch and without, in one process on a GPU.

    pip install gridwise-*.whl timm            # bazel build --config=sm_90a //gridwise/python:wheel
    python3 benchmarks/networks.py [--models=resnet50,...] [--batch=64] [--out=networks.csv]

Networks are timm's, and after "torchvision:" torchvision's, with a batch of their own after an "@": torchvision:r3d_18@16. A training
step is forward, loss and backward, without an optimizer; inference is forward in evaluation mode. Both are f16 by autocast, channels
last, with cuDNN's autotuning, in eager mode, and captured in a CUDA graph, one for each side. The two take turns, and the median of
each counts. Gridwise decides by measurement, layer by layer and direction by direction, before the capture. Outputs of both sides are
compared: by batch normalisation, training mode makes small differences large where a network is deep. Writes a table as CSV, and for a
page on standard output.

With --fuse Gridwise's training step is that of gridwise.torch.fuse(model). With --frozen a network is an f16 model in evaluation
mode, with the input's statistics in its normalisation: torch.compile with freezing against torch.compile of
gridwise.torch.optimize's graph, with freezing as well. With --loss=STEPS it is trained by both, and by PyTorch once more in
another order of sums.
"""

import argparse
import csv
import math
import statistics
import sys
import time

import timm
import torch
import torchvision

import gridwise.torch

MODELS = "resnext50_32x4d,convnext_tiny,mobilenetv3_large_100,resnet50,hrnet_w18,repvgg_b0"
FIELDS = "model batch train_pytorch_ms train_gridwise_ms train_taken infer_pytorch_ms infer_gridwise_ms infer_taken error pytorch_error card".split()


def autocast():
    return torch.autocast("cuda", dtype=torch.float16)


def first(outputs):
    """The first output of a network; segmentation networks return a dictionary."""
    return outputs if isinstance(outputs, torch.Tensor) else next(iter(outputs.values()))


def make(name, args):
    """A network, its input, and the batch."""
    name, _, batch = name.partition("@")
    batch = int(batch or args.batch)
    library, _, name = name.rpartition(":")
    if not library:
        return timm.create_model(name).cuda(), torch.randn(batch, 3, args.size, args.size, device="cuda"), batch
    options = {"weights_backbone": None} if name.startswith(("fcn", "deeplab", "lraspp")) else {}
    model = torchvision.models.get_model(name, weights=None, **options).cuda()
    is_video = any(isinstance(layer, torch.nn.Conv3d) for layer in model.modules())
    sizes = (16, 112, 112) if is_video else (args.size, args.size)
    return model, torch.randn(batch, 3, *sizes, device="cuda"), batch


def settle(model, x):
    """Gives batch normalisation the statistics of x, as training would. Without them, activations of an untrained network grow
    from layer to layer, in deep ones beyond what f16 holds."""
    norms = [layer for layer in model.modules() if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = 1.0
    with torch.no_grad():
        model.train()(x)
    for norm, momentum in zip(norms, momenta):
        norm.momentum = momentum


def step_of(model, x, trains):
    """The step, as a function, and where its output is after it."""
    result = {}

    def train():
        for parameter in model.parameters():
            parameter.grad = None
        with autocast():
            result["y"] = first(model(x))
            loss = result["y"].float().square().mean()
        loss.backward()

    def infer():
        with torch.no_grad(), autocast():
            result["y"] = first(model(x))

    return (train if trains else infer), result


class Called:
    """In place of a graph: the step itself, for which the host may take longer than the device."""

    def __init__(self, step):
        self.replay = step
        for _ in range(3):
            step()


def captured(step):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


def milliseconds(graph, replays=10):
    times = []
    for _ in range(replays):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        times.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) for begin, end in times)


def compare(model, x, trains, args):
    """Medians of PyTorch's and Gridwise's milliseconds, the share of decisions that are Gridwise's, and the relative difference of
    outputs."""
    model.train(trains)
    gridwise.torch.forget()
    step, theirs = step_of(model, x, trains)
    run = Called if args.no_graphs else captured
    graphs, outputs = [run(step)], [theirs["y"]]
    gridwise.torch.use(model)
    step, ours = step_of(gridwise.torch.fuse(model) if trains and args.fuse else model, x, trains)
    graphs.append(run(step))
    outputs.append(ours["y"])
    rows = gridwise.torch.report()
    times = [[], []]
    for _ in range(args.turns):
        for graph, list_, change in zip(graphs, times, (gridwise.torch.restore, gridwise.torch.use)):
            change(model)  # a graph does not see this
            graph.replay()
            list_.append(milliseconds(graph))
    gridwise.torch.restore(model)
    theirs, ours = (output.float() for output in outputs)
    error = ((ours - theirs).norm() / theirs.norm()).item()
    taken = f"{sum(row.by == 'gridwise' for row in rows)} of {len(rows)}"
    return [statistics.median(list_) for list_ in times], taken, error, rows


def replayed(graphs, turns):
    """The median milliseconds of each graph, in turns."""
    times = [[] for _ in graphs]
    for _ in range(turns):
        for graph, list_ in zip(graphs, times):
            graph.replay()
            list_.append(milliseconds(graph))
    return [statistics.median(list_) for list_ in times]


def freeze(name, args):
    """Frozen inference by torch.compile and with gridwise.torch.optimize before it."""
    torch.manual_seed(0)
    model, x, batch = make(name, args)
    settle(model, x)
    order = torch.channels_last_3d if x.dim() == 5 else torch.channels_last
    model, x = model.eval().half().to(memory_format=order), x.half().contiguous(memory_format=order)
    torch._inductor.config.freezing = True
    gridwise.torch.forget()
    with torch.no_grad():
        models = [model, gridwise.torch.optimize(model, x)]
        rows = gridwise.torch.report()
        expected, graphs, outputs = first(model(x)).float(), [], []
        for side in models:
            torch._dynamo.reset()
            compiled, result = torch.compile(side), {}

            def step(compiled=compiled, result=result):
                result["y"] = first(compiled(x))

            graphs.append(captured(step))
            outputs.append(result)
        times = replayed(graphs, args.turns)
    errors = [((result["y"].float() - expected).norm() / expected.norm()).item() for result in outputs]
    if args.report:
        print(rows, flush=True)
    taken = f"{sum(row.by == 'gridwise' for row in rows)} of {len(rows)}"
    card = torch.cuda.get_device_name()
    row = {"model": name, "batch": batch, "card": card, "infer_taken": taken, "error": errors[1], "pytorch_error": errors[0]}
    return row | dict(zip(("infer_pytorch_ms", "infer_gridwise_ms"), times))


def losses(name, args):
    """The losses of training steps on eight batches of noise: by PyTorch, by Gridwise, and by PyTorch with deterministic kernels."""
    curves = []
    for who in ("PyTorch", "Gridwise", "PyTorch, deterministic"):
        torch.manual_seed(0)
        torch.backends.cudnn.deterministic = who.endswith("deterministic")
        model, x, batch = make(name, args)
        model = model.to(memory_format=torch.channels_last)
        images = [torch.randn_like(x).contiguous(memory_format=torch.channels_last) for _ in range(8)]
        labels = [torch.randint(1000, (batch,), device="cuda") for _ in images]
        if who == "Gridwise":
            gridwise.torch.use(model)
            model = gridwise.torch.fuse(model) if args.fuse else model
        optimizer, scaler = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9), torch.amp.GradScaler()
        curve = []
        for step in range(args.loss):
            optimizer.zero_grad()
            with autocast():
                loss = torch.nn.functional.cross_entropy(model(images[step % 8]), labels[step % 8])
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            curve.append(loss.detach())
        curves.append((who, torch.stack(curve).float().tolist()))
    torch.backends.cudnn.deterministic = False
    for who, curve in curves:
        print(f"{name}, {who}: " + " ".join(f"{statistics.mean(curve[i : i + 20]):.3f}" for i in range(0, len(curve), 20)), flush=True)


def measure(name, args):
    torch.manual_seed(0)
    model, x, batch = make(name, args)
    order = torch.channels_last_3d if x.dim() == 5 else torch.channels_last
    model, x = model.to(memory_format=order), x.contiguous(memory_format=order)
    row = {"model": name, "batch": batch, "card": torch.cuda.get_device_name()}
    for kind, trains in (("train", True), ("infer", False)):
        (theirs, ours), taken, error, rows = compare(model, x, trains, args)
        row |= {f"{kind}_pytorch_ms": theirs, f"{kind}_gridwise_ms": ours, f"{kind}_taken": taken, "error": error}
        if args.report:
            print(rows, flush=True)
    return row


def page(rows):
    kinds = [kind for kind in ("train", "infer") if f"{kind}_pytorch_ms" in rows[0]]
    lines = ["| network" + "".join({"train": " | training step, ms | |", "infer": " | inference, ms | |"}[kind] for kind in kinds) + " |"]
    lines += ["|---|" + "---|---|---|" * len(kinds), "|" + " | PyTorch | Gridwise | ratio" * len(kinds) + " |"]
    for row in rows:
        columns = [row["model"]]
        for kind in kinds:
            theirs, ours = row[f"{kind}_pytorch_ms"], row[f"{kind}_gridwise_ms"]
            columns += [f"{theirs:.2f}", f"{ours:.2f} ({row[f'{kind}_taken']})", f"{theirs / ours:.3f}"]
        lines.append("| " + " | ".join(columns) + " |")
    means = [
        math.exp(statistics.mean(math.log(row[f"{kind}_pytorch_ms"] / row[f"{kind}_gridwise_ms"]) for row in rows))
        for kind in kinds
    ]
    lines.append("| geometric mean" + "".join(f" | | | **{mean:.3f}**" for mean in means) + " |")
    return "\n".join(lines)


def chart(rows):
    """Bars of the speed-ups, PyTorch's time over Gridwise's. The line is at 1."""
    lines, width, one = [], max(len(row["model"]) for row in rows), 30
    for kind, title in (("train", "training step"), ("infer", "inference")):
        if f"{kind}_pytorch_ms" not in rows[0]:
            continue
        lines.append(title)
        for row in rows:
            ratio = row[f"{kind}_pytorch_ms"] / row[f"{kind}_gridwise_ms"]
            bar = ("#" * round(one * ratio)).ljust(one)
            lines.append(f"{row['model']:<{width}}  {bar[:one]}|{bar[one:]} {ratio:.2f}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--no-graphs", action="store_true", help="call the steps")
    parser.add_argument("--fuse", action="store_true", help="training steps of gridwise.torch.fuse's graph")
    parser.add_argument("--frozen", action="store_true", help="compiled inference with constant weights")
    parser.add_argument("--loss", type=int, metavar="STEPS", help="train and print losses, means of 20")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no network is begun later")
    parser.add_argument("--report", action="store_true", help="every decision")
    parser.add_argument("--out", default="networks.csv")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    begin, rows = time.monotonic(), []
    for name in args.models.split(","):
        if time.monotonic() - begin > args.seconds:
            print(f"out of time before {name}", flush=True)
            break
        if args.loss:
            losses(name, args)
            continue
        rows.append(freeze(name, args) if args.frozen else measure(name, args))
        print(f"{rows[-1]} after {time.monotonic() - begin:.0f} s", flush=True)
        torch.cuda.empty_cache()
    if not rows:
        return 0 if args.loss else 1
    with open(args.out, "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    print(page(rows))
    print(chart(rows))
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "cuDNN", torch.backends.cudnn.version())
    return 0


if __name__ == "__main__":
    sys.exit(main())
