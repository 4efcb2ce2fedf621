# SPDX-License-Identifier: MIT
"""Runs a Gridwise plan on PyTorch's tensors and stream, and captures it in a CUDA graph of PyTorch.

    bazel build --config=sm_90a //gridwise/c:libgridwise.so
    python3 benchmarks/pytorch_graph.py bazel-bin/gridwise/c/libgridwise.so

Launching a plan allocates nothing: the workspace is a tensor, and all launches go to the current stream. Therefore a graph captures
the launches together with PyTorch's kernels. Here these are a ReLU before and a mean after a grouped 3x3 convolution. Replays of the
graph compute new inputs.
"""

import sys

import torch

import compare_cudnn


def main():
    torch.backends.cudnn.allow_tf32 = False
    compare_cudnn.open_library(sys.argv[1])
    problem = compare_cudnn.Problem(groups=32, batch=8, c=256, k=256, dims=[(50, 3, 1, 1, 1, 1)] * 2)
    tensors = compare_cudnn.Tensors(problem, "fwd", "f16")
    conv = compare_cudnn.Conv(compare_cudnn.gridwise_problem(problem, "fwd", "f16"))
    x = tensors.a.clone(memory_format=torch.preserve_format)
    out = torch.empty_like(tensors.like)
    torch.cuda.synchronize()

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        relu = torch.relu(x)
        conv.launch(relu, tensors.b, out)
        mean = out.float().mean()
    for _ in range(3):
        x.copy_(torch.randn_like(x))
        out.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        expected = torch.conv2d(torch.relu(x).float(), tensors.b.float(), padding=1, groups=problem.groups)
        error = compare_cudnn.error_of(out, expected)
        print(f"{conv.instance}: error {error:.1e}, mean {mean.item():.5f}, expected {expected.mean().item():.5f}")
        if not (error < compare_cudnn.TOLERANCE["f16"] and abs(mean.item() - expected.mean().item()) < 1e-3):
            sys.exit("wrong")


if __name__ == "__main__":
    main()
