# SPDX-License-Identifier: MIT
"""The layers of `fuse`: batch normalisation in training with the addition and the activation that follow, and the decision who computes
them."""

import collections
import functools
import importlib
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn.modules.batchnorm import _BatchNorm

from gridwise._decisions import ADVANTAGE
from gridwise.torch.choices import NO_FASTER, decider
from gridwise.torch.report import note
from gridwise.torch.tensors import dense, packed_strides

ACTIVATIONS = {
    "none": lambda y: y,
    "relu": F.relu,
    "relu6": F.relu6,
    "hardswish": F.hardswish,
    "silu": F.silu,
}
MOST_ELEMENTS = 2**31  # offsets are 32 bits
AHEAD = 50  # tensors written before a measurement, for a step of two passes


@functools.cache
def kernels():
    """The module of the kernels; None without Triton."""
    try:
        return importlib.import_module("gridwise.torch.norm_kernels")
    except ImportError:
        return None


class _Normalised(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, gamma, beta, running, momentum, eps, kind):
        y, values = kernels().forward(x, residual, gamma, beta, running, momentum, eps, kind)
        ctx.kind, ctx.has_residual = kind, residual is not None
        reads_y = ctx.has_residual and kind == "relu"
        ctx.save_for_backward(x, y if reads_y else None, values, gamma, beta)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, dy):
        x, y, values, gamma, beta = ctx.saved_tensors
        with _device(x):
            dx, dgamma, dbeta, g = kernels().backward(dense(dy, True), x, y, values, gamma, beta, ctx.kind)
        return dx, g if ctx.has_residual else None, dgamma.to(gamma.dtype), dbeta.to(beta.dtype), None, None, None, None


def _device(x):
    """Makes a device the current one: Triton launches there."""
    return torch.cuda.device(x.device)


class Question(collections.namedtuple("Question", "x_shape dtype kind residual device")):
    """The question who normalises tensors of a shape, adds a residual and applies the activation, forward and backward."""

    __slots__ = ()
    wanted = "normalisation"

    @property
    def w_shape(self):
        return self.x_shape[1:2]

    def __str__(self):
        n, c, *axes = self.x_shape
        follows = " plus a residual" * self.residual + f" then {self.kind}" * (self.kind != "none")
        return f"{self.wanted} {str(self.dtype).removeprefix('torch.')} n{n} c{c} in {'x'.join(map(str, axes))}{follows}"


class Choice:
    """A decision. Times are microseconds of forward and backward, or None if nothing was measured."""

    def __init__(self, by, reason, times=(None, None)):
        self.by, self.reason, self.calls = by, reason, 0
        self.aten_us, self.gridwise_us = times


class Norm(nn.Module):
    """Batch normalisation, what is added to it, and an activation, with the parameters, buffers and settings of a layer of PyTorch.
    It is not one of PyTorch's classes: a conversion of those, such as to nn.SyncBatchNorm, would lose the rest."""

    def __init__(self, norm, kind, name):
        """Shares everything with `norm`, even if its parameters are replaced later."""
        super().__init__()
        self.__dict__.update(norm.__dict__)
        self._modules = {}
        self._check_input_dim = norm._check_input_dim
        self.kind, self.gridwise_name = kind, name

    def extra_repr(self):
        return f"{_BatchNorm.extra_repr(self)}, kind={self.kind}"

    def forward(self, input, residual=None):
        question = self._question(input, residual)
        if question is not None:
            choice = self._choice(question, input, residual)
            choice.calls += 1
            if choice.by == "gridwise":
                return self._by_kernels(input, residual)
        return self._by_aten(input, residual)

    def _question(self, x, residual):
        """The question; None if only aten can compute it."""
        if not self.training or torch.compiler.is_compiling() or type(x) is not torch.Tensor or decider.off or x.dim() < 2:
            return None  # torch.compile fuses by itself
        if not x.is_cuda or x.dtype not in (torch.float16, torch.bfloat16) or not 0 < x.numel() < MOST_ELEMENTS:
            return None
        if self.weight is None or self.bias is None or (self.track_running_stats and self.momentum is None):
            return None
        if x.numel() == x.shape[1] or x.stride() != packed_strides(x.shape, True) or x.data_ptr() % 16:
            return None  # for a single value, aten says what is wrong
        if residual is not None and (residual.shape, residual.dtype, residual.stride()) != (x.shape, x.dtype, x.stride()):
            return None
        return Question(x.shape, x.dtype, self.kind, residual is not None, x.device.index)

    def _by_aten(self, x, residual):
        y = _BatchNorm.forward(self, x)
        return ACTIVATIONS[self.kind](y if residual is None else y + residual)

    def _by_kernels(self, x, residual):
        running = None
        if self.track_running_stats:
            running = (self.running_mean, self.running_var, self.num_batches_tracked)
        with _device(x):
            return _Normalised.apply(x, residual, self.weight, self.bias, running, self.momentum or 0.0, self.eps, self.kind)

    # ---- Who computes it

    def _choice(self, question, x, residual):
        choice = decider.norms.get(question)
        if choice is None:
            if torch.cuda.is_current_stream_capturing():
                return Choice("aten", "a graph is captured before the first call")
            choice = decider.norms[question] = self._decide(question, x, residual)
            note(self, x)
        return choice

    def _decide(self, question, x, residual):
        if kernels() is None:
            return Choice("aten", "there is no Triton, in which the kernels are")
        if decider.policy != "measure":
            return Choice("gridwise", "kernels in Triton")
        key = decider.key(question, decider.device_of(question))
        said = decider.file and decider.file.find(key)
        if said is None or "us" not in said:
            if torch.are_deterministic_algorithms_enabled():
                return Choice("gridwise", "kernels in Triton")
            try:
                said = {"key": key, "us": self._measure(question, x, residual)}
            except torch.OutOfMemoryError:
                return Choice("aten", "no memory to measure in")
            if math.inf in said["us"]:
                return Choice("aten", "the host is too slow for a measurement")
            if decider.file:
                decider.file.store(said)
        aten_us, gridwise_us = said["us"]
        is_faster = gridwise_us < ADVANTAGE * aten_us
        return Choice("gridwise" if is_faster else "aten", "kernels in Triton" if is_faster else NO_FASTER, said["us"])

    def _measure(self, question, x, residual):
        """Measures both sides, forward and backward, on tensors like these, in microseconds. The layer does not change."""
        tensors = [None if t is None else torch.randn_like(t).requires_grad_() for t in (x, residual)]
        wanted = [t for t in (*tensors, self.weight, self.bias) if t is not None and t.requires_grad]
        statistics = self.running_mean, self.running_var, self.num_batches_tracked
        if self.track_running_stats:
            self.running_mean, self.running_var, self.num_batches_tracked = (t.clone() for t in statistics)
        dy = torch.randn_like(x)

        def step(function):
            with torch.enable_grad():
                torch.autograd.grad(function(*tensors), wanted, dy)

        try:
            functions = (lambda: step(self._by_aten), lambda: step(self._by_kernels))
            return decider.device_of(question).microseconds(functions, ahead=AHEAD)
        finally:
            if self.track_running_stats:
                self.running_mean, self.running_var, self.num_batches_tracked = statistics
