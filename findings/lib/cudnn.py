# SPDX-License-Identifier: MIT
"""cuDNN's convolutions as PyTorch calls them, for the findings."""

import itertools

import torch

DIRECTIONS = ("forward", "backward-data", "backward-weight")
LAYOUTS = ("NHWC", "NCHW")
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32, "f32": torch.float32}


def cases():
    """Returns all of (type, layout, direction)."""
    return itertools.product(TYPES, LAYOUTS, DIRECTIONS)


def tensor(values, dtype, layout):
    """Returns the values in a type, with the channels innermost ("NHWC") or outermost ("NCHW")."""
    values = values.to(device="cuda", dtype=TYPES[dtype])
    if layout == "NCHW":
        return values.contiguous()
    last, first = (0, *range(2, values.dim()), 1), (0, values.dim() - 1, *range(1, values.dim() - 1))
    return values.permute(last).contiguous().permute(first)


def convolve(direction, dtype, x, w, dy, stride=1, groups=1):
    """Returns y, dx or dw of a convolution whose filter's middle is at each output. f32 multiplies f32, tf32 what tensor cores round to TF32."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    axes = range(x.dim() - 2)
    strides, pads, ones, zeros = ([stride for _ in axes], [size // 2 for size in w.shape[2:]], [1 for _ in axes], [0 for _ in axes])
    if direction == "forward":
        return torch.convolution(x, w, None, strides, pads, ones, False, zeros, groups)
    wanted = [direction == "backward-data", direction == "backward-weight", False]
    dx, dw, _ = torch.ops.aten.convolution_backward(dy, x, w, None, strides, pads, ones, False, zeros, groups, wanted)
    return dx if wanted[0] else dw
