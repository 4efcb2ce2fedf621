# SPDX-License-Identifier: MIT
"""Calls in eager mode without Python: a library computes aten's overrideable convolution and its gradients, from PyTorch's autograd to
the launch. Python makes the decisions, and passes them to the library by `remember`."""

import ctypes
import functools

import torch

from gridwise._library import find_extension, lib
from gridwise.torch.tensors import dense, packed_strides

NAME = "libgridwise_torch.so"
COPIES_A, COPIES_B, COPIES_OUT = 1, 2, 4
BIAS_FUSED, BIAS_ADDED = 1, 2
_Axes = ctypes.c_int64 * 5


class _Choice(ctypes.Structure):
    """gridwise_torch_choice of torch_eager/eager.h."""

    _fields_ = (
        [("executable", ctypes.c_void_p), ("workspace_bytes", ctypes.c_int64)]
        + [(name, ctypes.c_int32) for name in ("swaps", "bias", "copies", "dim")]
        + [(name, _Axes) for name in ("a_strides", "b_strides", "out_sizes", "out_strides", "result_strides")]
        + [("calls", ctypes.c_void_p)]
    )


def _open():
    """Registers the library. Returns it, or None if there is none or PyTorch lacks what it needs: then Python does everything."""
    path = find_extension(__file__, NAME, "torch_eager")
    if path is None:
        return None
    library = ctypes.CDLL(path)
    library.gridwise_torch_register.restype = ctypes.c_char_p
    library.gridwise_torch_register.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.gridwise_torch_remember.restype = library.gridwise_torch_forget.restype = None
    launch = ctypes.cast(lib.gridwise_launch, ctypes.c_void_p)
    return None if library.gridwise_torch_register(torch._C.__file__.encode(), launch) else library


# A separate torch.library: gridwise.torch.ops has that of the other ops, which need this module.
_ops = torch.library.Library("gridwise", "FRAGMENT")
_ops.define("infer(Tensor x, Tensor w, Tensor? bias, int parameters) -> Tensor")
_ops.impl("infer", torch.library.fallthrough_kernel, "Autograd")  # it is called where there are no gradients
library = _open()
# Avoids the call in Python that each op of torch.ops has.
convolution = torch.ops.aten.convolution_overrideable.default._op
infer_by = torch.ops.gridwise.infer.default._op


class _Parameters(ctypes.Structure):
    """gridwise_torch_parameters of torch_eager/eager.h."""

    _fields_ = (
        [("rank", ctypes.c_int64)]
        + [(name, ctypes.c_int64 * 3) for name in ("stride", "padding", "dilation")]
        + [("transposed", ctypes.c_int64), ("output_padding", ctypes.c_int64 * 3), ("groups", ctypes.c_int64)]
    )


@functools.lru_cache(maxsize=None)
def _parameters(*arguments):
    values = (tuple(value) if isinstance(value, (tuple, list)) else value for value in arguments)
    return _Parameters(len(arguments[0]), *values)


def address_of(*arguments):
    return ctypes.addressof(_parameters(*arguments))


def infer(x, w, bias, *arguments):
    """Calls `convolution` without gradients."""
    return infer_by(x, w, bias, address_of(*arguments))


def remember(slot, choice, tensors):
    """Lets later calls like this one bypass Python. `slot` is 1 for the gradient of w, else 0; `tensors` are those of the question."""
    if library is None:
        return
    if choice.question.dtype is torch.float32 and choice.question.device is not None:
        return  # it depends on whether PyTorch may round to TF32, which the library does not know
    raw = _Choice(calls=choice.calls_address)
    if choice.executable is not None:
        if choice.question.device is None:  # a simulator's memory is not PyTorch's
            return
        _fill(raw, choice, tensors)
    library.gridwise_torch_remember(slot, ctypes.byref(raw))


def _fill(raw, choice, tensors):
    question = choice.question
    a, b = reversed(tensors[:2]) if question.swaps else tensors[:2]
    raw.executable, raw.workspace_bytes = choice.executable.handle, choice.executable.plan.workspace_bytes
    raw.swaps, raw.dim = question.swaps, len(choice.out_shape)
    if question.bias:
        raw.bias = BIAS_ADDED if choice.apart else BIAS_FUSED
    for tensor, last, strides, bit in (
        (a, question.a_channels_last, raw.a_strides, COPIES_A),
        (b, question.b_channels_last, raw.b_strides, COPIES_B),
    ):
        strides[: tensor.dim()] = packed_strides(tensor.shape, last)
        raw.copies |= bit if dense(tensor, last).data_ptr() != tensor.data_ptr() else 0
    raw.copies |= COPIES_OUT if question.out_channels_last != question.result_channels_last else 0
    raw.out_sizes[: raw.dim] = choice.out_shape
    raw.out_strides[: raw.dim] = packed_strides(choice.out_shape, question.out_channels_last)
    raw.result_strides[: raw.dim] = packed_strides(choice.out_shape, question.result_channels_last)


def forget():
    if library is not None:
        library.gridwise_torch_forget()
