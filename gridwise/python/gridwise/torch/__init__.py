# SPDX-License-Identifier: MIT
"""Gridwise in PyTorch.

    import gridwise.torch
    model = gridwise.torch.use(model)       # each convolution goes to the faster of Gridwise and PyTorch
    ...                                     # train or infer, as before
    print(gridwise.torch.report(model))     # where each one went, and why
    fused = gridwise.torch.fuse(model)      # to train in a CUDA graph: normalisation and activations are one layer

Supports autograd to any order, autocast, torch.compile without graph breaks, CUDA graphs, both memory formats, and the types f16,
bf16 and, where PyTorch may not round it to TF32, f32. Outputs and workspaces come from PyTorch's allocator, and kernels run on its
current stream. The ops torch.ops.gridwise.convolution, data_gradient and weight_gradient take aten's arguments.
"""

from gridwise.torch.choices import decider
from gridwise.torch.devices import Simulator
from gridwise.torch.frozen import optimize
from gridwise.torch.modules import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    restore,
    use,
)
from gridwise.torch.ops import forget
from gridwise.torch.report import Report, Row, report
from gridwise.torch.training import fuse


def simulate(target):
    """Computes convolutions of CPU tensors on a simulated GPU, e.g. "gfx942"; None stops that. For tests: it is slow and copies
    tensors. Requires a library with the simulator and the target's kernels."""
    decider.simulator = None if target is None else Simulator(target)
    forget()


__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Report",
    "Row",
    "forget",
    "fuse",
    "optimize",
    "report",
    "restore",
    "simulate",
    "use",
]
