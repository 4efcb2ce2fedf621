# SPDX-License-Identifier: MIT
"""The layers of a model: torch.nn's classes, whose convolutions are torch.ops.gridwise's."""

import types

import torch
import torch.nn.functional as F
from torch import nn

from gridwise._decisions import POLICIES, File, default_path
from gridwise.torch.choices import decider
from gridwise.torch.eager import library
from gridwise.torch.ops import Route, convolve, forget, is_atens, state_of
from gridwise.torch.report import note


ATEN, GRIDWISE = "aten", "gridwise"  # where a layer in a state goes, if not by a Route
TRIES = 10  # calls after which a layer whose gradients nobody asks for is no longer looked at


class _Convolves:
    """The common part of the layers. They add no saved state: state dicts, optimizers, hooks and copies work as before."""

    gridwise_name = None  # layers that nobody called `use` for are not noted
    gridwise_routes = types.MappingProxyType({})

    def _convolve(self, x, w, bias, padding, transposed, output_padding):
        """Returns the output, or None if PyTorch's class must compute it."""
        if type(x) is not torch.Tensor or self.gridwise_name is None or torch.compiler.is_compiling():
            # What torch.fx traces with has no sizes; of complex numbers aten makes several convolutions.
            is_ours = isinstance(x, torch.Tensor) and x.is_floating_point()
            return self._called(x, w, bias, padding, transposed, output_padding) if is_ours else None
        state = state_of(x)
        route = self.gridwise_routes.get(state, 0)
        if route is ATEN:
            return None
        if type(route) is Route:
            y = route.convolve(x, w, bias)
            if y is not None:
                return y
        y = self._called(x, w, bias, padding, transposed, output_padding) if x.is_floating_point() else None
        if type(route) is int and y is not None:
            self._find_route(state, route, x, w, bias, padding, transposed, output_padding)
        return y

    def _called(self, x, w, bias, padding, transposed, output_padding):
        rank = len(self.kernel_size)
        unbatched = x.dim() == rank + 1
        if unbatched:
            x = x.unsqueeze(0)
        if x.dim() != rank + 2 or x.shape[1] != self.in_channels:
            return None  # aten says what is wrong
        y = convolve(x, w, bias, self.stride, padding, self.dilation, transposed, output_padding, self.groups)
        return y.squeeze(0) if unbatched else y

    def _find_route(self, state, tries, x, w, bias, padding, transposed, output_padding):
        """Finds the route of later calls in the same state; until it is decided, counts the calls."""
        unbatched = x.dim() != len(self.kernel_size) + 2
        if unbatched:
            x = x.unsqueeze(0)
        if tries == 0:
            note(self, x)
        arguments = (self.stride, padding, self.dilation, transposed, output_padding, self.groups)
        by_aten = is_atens(x, w, bias, *arguments)
        if by_aten:
            route = ATEN
        elif by_aten is None and tries < TRIES:
            route = tries + 1
        else:
            route = GRIDWISE if unbatched or library is None else Route(state, *arguments)
        self.gridwise_routes[state] = route


class _Forward(_Convolves):
    def _conv_forward(self, input, weight, bias):
        padding, padded = self.padding, input
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * len(self.kernel_size)
        elif isinstance(padding, str):
            padding, padded = self._named_padding(input)
        y = self._convolve(padded, weight, bias, padding, False, (0,) * len(self.kernel_size))
        return super()._conv_forward(input, weight, bias) if y is None else y

    def _named_padding(self, input):
        """The numbers for "same" and "valid", and the input, padded if its two sides need different numbers."""
        totals = [0] * len(self.kernel_size)
        if self.padding == "same":
            totals = [d * (f - 1) for d, f in zip(self.dilation, self.kernel_size)]
        if any(total % 2 for total in totals):
            input = F.pad(input, [side for total in reversed(totals) for side in (0, total % 2)])
        return tuple(total // 2 for total in totals), input


class _Transposed(_Convolves):
    def forward(self, input, output_size=None):
        axes = len(self.kernel_size)
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, axes, self.dilation
        )
        y = self._convolve(input, self.weight, self.bias, self.padding, True, tuple(output_padding))
        return super().forward(input, output_size) if y is None else y


class Conv1d(_Forward, nn.Conv1d):
    pass


class Conv2d(_Forward, nn.Conv2d):
    pass


class Conv3d(_Forward, nn.Conv3d):
    pass


class ConvTranspose1d(_Transposed, nn.ConvTranspose1d):
    pass


class ConvTranspose2d(_Transposed, nn.ConvTranspose2d):
    pass


class ConvTranspose3d(_Transposed, nn.ConvTranspose3d):
    pass


OURS = {
    getattr(nn, layer.__name__): layer for layer in (Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
}
THEIRS = {ours: theirs for theirs, ours in OURS.items()}


def use(model, decide="measure", cache=None):
    """Lets Gridwise compute the convolutions of a model where it is faster. Changes the model in place and returns it.

    Layers of exactly the classes nn.Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d and ConvTranspose3d become those of
    this module and keep their parameters. The first call with a new shape or type decides which library computes the layer's
    output, and which computes each of its gradients:

        "measure"  the faster one, by a measurement of aten as it is configured and of Gridwise's first plans. It takes at most a
                   second per layer and direction, mostly for loading kernels, and is kept in a file for other processes
        "model"    Gridwise's first plan, without a measurement: the same in every run
        "always"   the same, even where it is slow; for tests

    `cache` is the path of the file; the default is $GRIDWISE_TORCH_CACHE or ~/.cache/gridwise/torch.jsonl, and False means none.
    `decide` and `cache` apply to the whole process, to all later decisions. With torch.use_deterministic_algorithms nothing is
    measured that the file does not have. aten computes whatever Gridwise does not; gridwise.torch.report() says why. The
    environment variable GRIDWISE_TORCH=off leaves the model as it is. Raises ValueError if `decide` is none of these."""
    if decide not in POLICIES:
        raise ValueError(f"decide is {decide!r}; must be one of {', '.join(POLICIES)}")
    path = default_path("torch") if cache is None else cache
    if decide != decider.policy or (decider.file and decider.file.path) != (path or None):
        decider.policy, decider.file = decide, File(path) if path else None
        forget()
    if decider.off:
        return model
    for name, layer in model.named_modules():
        if type(layer) in OURS:
            layer.__class__ = OURS[type(layer)]
        if type(layer) in THEIRS:
            layer.gridwise_name, layer.gridwise_routes = name or type(layer).__name__, {}
    return model


def restore(model):
    """Undoes `use`: layers have their original classes again. Returns the model."""
    for layer in model.modules():
        if type(layer) in THEIRS:
            layer.__class__ = THEIRS[type(layer)]
            for name in ("gridwise_name", "gridwise_routes"):
                layer.__dict__.pop(name, None)
    return model


def left_alone(model):
    """Returns [(name, reason)] for the convolution layers that `use` did not change."""
    kinds = tuple(OURS)
    reasons = []
    for name, layer in model.named_modules():
        if isinstance(layer, kinds) and type(layer) not in THEIRS:
            kind = f"{type(layer).__module__}.{type(layer).__qualname__}"
            why = "use() has not seen it" if type(layer) in OURS else f"{kind} may convolve in another way than its base class"
            reasons.append((name, why))
    return reasons
