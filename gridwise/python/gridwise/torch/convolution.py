# SPDX-License-Identifier: MIT
"""From a convolution of PyTorch to a gridwise.Problem, and to aten."""

import collections

import torch

import gridwise
from gridwise.torch.tensors import empty, packed_strides

TYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
FORWARD, DATA, WEIGHT = "forward", "data gradient", "weight gradient"
ATEN = torch.ops.aten


def may_round_to_tf32(tensor):
    """Whether PyTorch may compute with fewer bits than f32 has. Since 2.9 convolutions have their own setting. If it
    differs from that of recurrent networks, the older setting cannot be read."""
    if tensor.dtype != torch.float32 or tensor.device.type != "cuda":
        return False
    cudnn = torch.backends.cudnn
    return cudnn.conv.fp32_precision == "tf32" if hasattr(cudnn, "conv") else cudnn.allow_tf32


class Arguments(collections.namedtuple("Arguments", "stride padding dilation transposed output_padding groups")):
    """The arguments of aten::convolution after its tensors. A transposed convolution is the data gradient of another one, whose
    output is its input; `x` and `y` below are the input and the output that PyTorch sees."""

    __slots__ = ()

    @classmethod
    def of(cls, stride, padding, dilation, transposed, output_padding, groups):
        return cls(tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups)

    def fit(self, x_shape, w_shape):
        """Whether tensors of these sizes can be convolved. If not, aten raises the error."""
        rank = len(x_shape) - 2
        if rank < 1 or len(w_shape) != rank + 2 or self.groups < 1 or w_shape[0] % self.groups != 0:
            return False
        if any(len(values) != rank for values in (self.stride, self.padding, self.dilation)):
            return False
        if min(self.stride) < 1 or min(self.dilation) < 1 or min(self.padding) < 0:
            return False
        return x_shape[1] == (w_shape[0] if self.transposed else w_shape[1] * self.groups)

    def y_shape(self, x_shape, w_shape):
        axes = zip(x_shape[2:], w_shape[2:], self.stride, self.padding, self.dilation, self.output_padding)
        if self.transposed:
            sizes = [(x - 1) * s - 2 * p + d * (f - 1) + o + 1 for x, f, s, p, d, o in axes]
            return (x_shape[0], w_shape[1] * self.groups, *sizes)
        return (x_shape[0], w_shape[0], *((x + 2 * p - d * (f - 1) - 1) // s + 1 for x, f, s, p, d, _ in axes))


QUESTION = "wanted x_shape w_shape arguments dtype tf32 channels_last w_channels_last bias device residual relu"


class Question(collections.namedtuple("Question", QUESTION, defaults=(False, False))):
    """What to compute: the output of a convolution, or a gradient. Each question is decided once.

    `wanted` is FORWARD, DATA or WEIGHT; `dtype` that of all tensors, None where they do not fit each other; `tf32` whether
    PyTorch may round f32 to TF32; `channels_last` the order of x and y; `device` an index, None of the CPU; `residual` and `relu`
    whether a tensor like the output is added, and then max(., 0) taken."""

    __slots__ = ()

    @property
    def type(self):
        """Gridwise's type of the operands."""
        return "tf32" if self.tf32 else TYPES[self.dtype]

    @property
    def direction(self):
        """The direction for Gridwise, which differs for a transposed convolution."""
        if self.wanted == WEIGHT:
            return "bwd_weight"
        return "fwd" if (self.wanted == FORWARD) != self.arguments.transposed else "bwd_data"

    @property
    def y_shape(self):
        return self.arguments.y_shape(self.x_shape, self.w_shape)

    @property
    def out_shape(self):
        return {FORWARD: self.y_shape, DATA: self.x_shape, WEIGHT: self.w_shape}[self.wanted]

    @property
    def swaps(self):
        """Whether Gridwise's first operand is the second tensor, and its second operand the first."""
        return self.wanted == WEIGHT and self.arguments.transposed

    @property
    def a_channels_last(self):
        """Whether channels are last in Gridwise's operands and output, and in the result, to which the output is copied."""
        return self.channels_last

    @property
    def b_channels_last(self):
        return self.channels_last if self.wanted == WEIGHT else True

    @property
    def out_channels_last(self):
        return self.wanted == WEIGHT or self.channels_last

    @property
    def result_channels_last(self):
        return self.w_channels_last if self.wanted == WEIGHT else self.channels_last

    def refusal(self):
        """Why Gridwise cannot compute it; None if it may be able to."""
        if self.dtype is None:
            return "types or sizes of the tensors do not fit each other"
        if self.dtype not in TYPES:
            return f"tensors of {str(self.dtype).removeprefix('torch.')} have no kernels"
        if len(self.w_shape) - 2 not in (1, 2, 3):
            return f"{len(self.w_shape) - 2} spatial axes; kernels have 1 to 3"
        if 0 in self.x_shape or 0 in self.w_shape or min(self.y_shape) <= 0:
            return "empty tensors"
        if any(o >= s for o, s in zip(self.arguments.output_padding, self.arguments.stride)):
            return f"output_padding {self.arguments.output_padding} is no less than the stride"
        return None

    @property
    def has_epilogue(self):
        return self.bias or self.residual or self.relu

    def problem(self, apart=False):
        """The gridwise.Problem, with or without bias, residual and relu. Raises gridwise.GridwiseError if it is invalid."""
        small, large = (self.x_shape, self.y_shape) if self.arguments.transposed else (self.y_shape, self.x_shape)
        epilogue = [("add", TYPES[self.dtype], 1.0, strides) for strides in self._epilogue_strides() if not apart]
        return gridwise.Problem(
            self.direction,
            self.type,
            batch=large[0],
            c=large[1],
            k=small[1],
            size=tuple(large[2:]),
            filter_size=tuple(self.w_shape[2:]),
            stride=self.arguments.stride,
            dilation=self.arguments.dilation,
            pad=self.arguments.padding,
            groups=self.arguments.groups,
            layout="nhwgc" if self.channels_last else "ngchw",
            epilogue=epilogue,
            low=0.0 if self.relu and not apart else None,
        )

    def _epilogue_strides(self):
        """Strides along the output's axes n, d, h, w, g and channels of a group."""
        n, c, *axes = packed_strides(self.y_shape, self.channels_last)
        of_group = self.y_shape[1] // self.arguments.groups
        if self.bias:
            yield (0, 0, 0, 0, of_group, 1)
        if self.residual:
            yield (n, *[0] * (3 - len(axes)), *axes, c * of_group, c)

    def __str__(self):
        """The problem as the command line writes it."""
        a = self.arguments
        what = f"{self.wanted}{' of transposed' if a.transposed else ''}"
        dtype = self.type if self.dtype in TYPES else self.dtype
        lines = [
            f"{what} {dtype} g{a.groups} n{self.x_shape[0]}",
            f"c{self.x_shape[1]} k{self.y_shape[1]} in {_by(self.x_shape[2:])} filter {_by(self.w_shape[2:])}",
        ]
        for name, values, usual in (("stride", a.stride, 1), ("dilation", a.dilation, 1), ("pad", a.padding, 0)):
            if any(value != usual for value in values):
                lines.append(f"{name} {_by(values)}")
        orders = [("channels first", "channels last")[last] for last in (self.channels_last, self.w_channels_last)]
        lines.append(orders[0] if orders[0] == orders[1] else f"{orders[0]}, w {orders[1]}")
        return " ".join(lines + ["with bias"] * self.bias + ["plus a residual"] * self.residual + ["then relu"] * self.relu)


def _by(values):
    return "x".join(map(str, values))


def following(question, y, tensors, as_compiled=False):
    """Applies bias, residual and relu to a convolution's output, in place. With `as_compiled`, does instead what takes as long as compiled
    code, in which one kernel does all three."""
    _, _, bias, *residual = tensors
    is_one = as_compiled and (question.residual or question.relu)
    if question.bias and not is_one:
        y.add_(bias.view(-1, *[1] * (y.dim() - 2)))
    if question.residual:
        y.add_(residual[0])
    return y.relu_() if question.relu and not (is_one and question.residual) else y


def aten(question, tensors, as_compiled=False):
    """Computes a question by PyTorch, from x, w and bias, from dy and w, or from dy and x."""
    a = question.arguments
    if question.wanted == FORWARD:
        x, w, bias, *_ = tensors
        if question.residual or question.relu:
            return following(question, ATEN.convolution.default(x, w, None, *a), tensors, as_compiled)
        return ATEN.convolution.default(x, w, bias, *a)
    dy, other = tensors
    # A gradient does not depend on this operand, which only gives shape and order.
    if question.wanted == DATA:
        x, w, mask = empty(question.x_shape, question.channels_last, dy), other, (True, False, False)
    else:
        x, w, mask = other, empty(question.w_shape, question.w_channels_last, dy), (False, True, False)
    return ATEN.convolution_backward.default(dy, x, w, None, *a, mask)[0 if question.wanted == DATA else 1]
