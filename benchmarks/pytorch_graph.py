"""A Gridwise plan on PyTorch's own tensors and stream, captured in its CUDA graph.

    bazel build --config=sm_90a //benchmarks:libgridwise_conv.so
    python3 benchmarks/pytorch_graph.py bazel-bin/benchmarks/libgridwise_conv.so

A plan allocates nothing at its launch: the workspace is a tensor, and all launches go to the current stream. So a graph captures
them beside PyTorch's kernels, here a ReLU before and a sum after a grouped 3x3 convolution, and replays compute new inputs.
"""

import sys

import torch

import compare_cudnn as gridwise


def main():
    torch.backends.cudnn.allow_tf32 = False
    gridwise.library = gridwise.Library(sys.argv[1], {"f16": 0, "bf16": 1, "f32": 2})
    problem = gridwise.Problem(groups=32, batch=8, c=256, k=256, dims=[(50, 3, 1, 1, 1, 1)] * 2)
    tensors = gridwise.Tensors(problem, "fwd", "f16")
    conv = gridwise.library.load(gridwise.request_of(problem, "fwd", "f16"))
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
        error = gridwise.error_of(out, expected)
        print(f"{conv.row}: error {error:.1e}, mean {mean.item():.5f}, expected {expected.mean().item():.5f}")
        if not (error < gridwise.TOLERANCE["f16"] and abs(mean.item() - expected.mean().item()) < 1e-3):
            sys.exit("wrong")


if __name__ == "__main__":
    main()
