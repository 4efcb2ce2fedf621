# SPDX-License-Identifier: MIT
"""Where the elements of PyTorch's tensors lie: channels last (N, spatial axes, C), or first."""

import functools

import torch

CHANNELS_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def _is_channels_last(sizes, strides):
    if strides[1] == 0:
        return False
    least = 0
    for axis in (1, *range(len(sizes) - 1, 1, -1), 0):
        if sizes[axis] == 0 or strides[axis] < least or (axis == 0 and least == strides[1]):
            return False
        least = strides[axis] * max(sizes[axis], 1)
    return True


_remembered = functools.lru_cache(maxsize=None)(_is_channels_last)


def strides_are_channels_last(tensor):
    """Whether the strides are those of channels last. Strides of axes of length 1 decide only if nothing else does. This is PyTorch's own
    rule (c10/core/MemoryFormat.h), for any number of axes."""
    is_real = type(tensor) in (torch.Tensor, torch.nn.Parameter)  # else sizes may be symbols
    return (_remembered if is_real else _is_channels_last)(tensor.shape, tensor.stride())


def dense(tensor, channels_last):
    """The tensor itself if it is packed in that order, else a copy that is."""
    if not channels_last:
        return tensor.contiguous()
    if tensor.dim() in CHANNELS_LAST:
        return tensor.contiguous(memory_format=CHANNELS_LAST[tensor.dim()])
    return tensor.movedim(1, -1).contiguous().movedim(-1, 1)


def packed_strides(shape, channels_last):
    """The strides of tensors from `empty`."""
    strides, step = [0] * len(shape), 1
    axes = (1, *range(len(shape) - 1, 1, -1), 0) if channels_last else range(len(shape) - 1, -1, -1)
    for axis in axes:
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def as_made(tensor, channels_last):
    """The tensor with the strides that `empty` gives. DDP and compiled code also compare those of axes of length 1."""
    tensor = dense(tensor, channels_last)
    strides = packed_strides(tensor.shape, channels_last)
    return tensor if tensor.stride() == strides else tensor.as_strided(tensor.shape, strides)


def empty(shape, channels_last, like):
    """A packed tensor of the type and device of `like`, from PyTorch's allocator."""
    if not channels_last:
        return like.new_empty(shape)
    if len(shape) in CHANNELS_LAST:
        return torch.empty(shape, dtype=like.dtype, device=like.device, memory_format=CHANNELS_LAST[len(shape)])
    return like.new_empty((shape[0], *shape[2:], shape[1])).movedim(-1, 1)


def aligned(tensor):
    """The tensor, or a copy if its first element is not at a multiple of 16 bytes, which TMA requires (views may not be)."""
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone(memory_format=torch.preserve_format)
