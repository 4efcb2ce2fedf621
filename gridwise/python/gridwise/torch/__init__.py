"""Gridwise in PyTorch.

    import gridwise.torch
    model = gridwise.torch.use(model)       # convolutions go to whoever is faster
    ...                                     # train or infer, as before
    print(gridwise.torch.report(model))     # which went where, and why

Autograd to any order, autocast, torch.compile without graph breaks, CUDA graphs, channels last and first, f16, bf16 and f32 where
it may not be rounded to TF32. Outputs and workspaces are from PyTorch's allocator, work goes to its current stream, and results
are the same in every run. The ops are torch.ops.gridwise.convolution, data_gradient and weight_gradient, with aten's arguments.
"""

from gridwise.torch.choices import decider
from gridwise.torch.devices import Simulator
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


def simulate(target):
    """Puts the simulator of a GPU, e.g. "gfx942", behind tensors of the CPU; None takes it away. For tests: slow, and they are
    copied. The library has to be one with the simulator and the target's kernels."""
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
    "report",
    "restore",
    "simulate",
    "use",
]
