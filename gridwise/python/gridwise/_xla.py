# SPDX-License-Identifier: MIT
"""From the arguments of jax.lax.conv_general_dilated to a gridwise.Problem. Needs no JAX."""

from __future__ import annotations

import dataclasses
from typing import Dict, Optional, Sequence, Tuple, TypeVar

from gridwise._conv import Problem

Ints = Tuple[int, ...]
Pads = Tuple[Tuple[int, int], ...]

FORWARD, DATA, WEIGHT = "forward", "data gradient", "weight gradient"
DIRECTIONS: Dict[str, str] = {FORWARD: "fwd", DATA: "bwd_data", WEIGHT: "bwd_weight"}
TYPES: Dict[str, str] = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}

# What a convolution can have more of: see Convolution.axes_of.
IMAGES, INPUTS, OUTPUTS, GROUPS = "images", "input channels", "output channels", "groups"

T = TypeVar("T")


class Refused(ValueError):
    """Why Gridwise does not compute a convolution: a sentence."""


def major_to_minor(spec: Ints) -> Ints:
    """The order of an array's axes in memory that kernels take: channels last (N, space, C; and O, space, I of weights). `spec` says
    which axes these are: N, C and space, or O, I and space."""
    return (spec[0], *spec[2:], spec[1])


def _permuted(shape: Ints, spec: Ints) -> Ints:
    return tuple(shape[axis] for axis in spec)


def _placed(values: Sequence[int], spec: Ints) -> Ints:
    """Inverts _permuted."""
    shape = [0] * len(spec)
    for axis, value in zip(spec, values):
        shape[axis] = value
    return tuple(shape)


@dataclasses.dataclass(frozen=True)
class Convolution:
    """A convolution y = x * w, or one of its gradients; each is linear in its two operands.

    Along the axes of space, y[o] = sum over taps t of x[o * stride + t * dilation - low] w[t], where `low` is the first number of
    `padding`, and x outside of its shape is zero.

    Attributes:
      wanted: FORWARD (y of x and w), DATA (dx of dy and w) or WEIGHT (dw of dy and x).
      dtype: the type of all arrays, by NumPy's name: "float16", "bfloat16", "float32".
      x_shape, w_shape: shapes, also of dx and dw.
      x_spec, w_spec, y_spec: the arrays' axes: N, C, space; for w O, I (channels of a group), space.
      strides, dilation: per axis of space.
      padding: (low, high) per axis of space.
      groups: of channels, outermost in C and O.
    """

    wanted: str
    dtype: str
    x_shape: Ints
    w_shape: Ints
    x_spec: Ints
    w_spec: Ints
    y_spec: Ints
    strides: Ints
    padding: Pads
    dilation: Ints
    groups: int

    @property
    def y_shape(self) -> Ints:
        n, _, *sizes = _permuted(self.x_shape, self.x_spec)
        k, _, *taps = _permuted(self.w_shape, self.w_spec)
        space = [
            max((size + low + high - d * (f - 1) - 1) // s + 1, 0)
            for size, f, s, d, (low, high) in zip(sizes, taps, self.strides, self.dilation, self.padding)
        ]
        return _placed((n, k, *space), self.y_spec)

    def _in_order(self, x: T, w: T, y: T) -> Tuple[T, T, T]:
        """Reorders values for x, w and y to those for the operands and the result."""
        return {FORWARD: (x, w, y), DATA: (y, w, x), WEIGHT: (y, x, w)}[self.wanted]

    @property
    def arrays(self) -> Tuple[Tuple[Ints, Ints], Tuple[Ints, Ints], Tuple[Ints, Ints]]:
        """Shape and axes of the operands and of the result."""
        return self._in_order((self.x_shape, self.x_spec), (self.w_shape, self.w_spec), (self.y_shape, self.y_spec))

    @property
    def out_shape(self) -> Ints:
        return self.arrays[2][0]

    def asking(self, wanted: str) -> Convolution:
        return dataclasses.replace(self, wanted=wanted)

    def axes_of(self, what: str) -> Tuple[Optional[int], Optional[int], Optional[int]]:
        """The axes of the operands and of the result along which IMAGES, INPUTS or OUTPUTS (channels), or GROUPS lie outermost; None for an
        array without such an axis. INPUTS and OUTPUTS need a convolution with one group."""
        x, w, y = self.x_spec, self.w_spec, self.y_spec
        axes = {IMAGES: (x[0], None, y[0]), INPUTS: (x[1], w[1], None), OUTPUTS: (None, w[0], y[1]), GROUPS: (x[1], w[0], y[1])}
        return self._in_order(*axes[what])

    def times(self, what: str, times: int) -> Convolution:
        """The convolution with several times the images, channels or groups that axes_of names: independent convolutions in one."""
        along_x, along_w, _ = self.asking(FORWARD).axes_of(what)

        def scaled(shape: Ints, along: Optional[int]) -> Ints:
            return tuple(size * times if axis == along else size for axis, size in enumerate(shape))

        groups = self.groups * times if what == GROUPS else self.groups
        return dataclasses.replace(
            self, x_shape=scaled(self.x_shape, along_x), w_shape=scaled(self.w_shape, along_w), groups=groups
        )

    def of_images(self, n: int) -> Convolution:
        """The convolution with another number of images."""
        shape = list(self.x_shape)
        shape[self.x_spec[0]] = n
        return dataclasses.replace(self, x_shape=tuple(shape))

    def check(self) -> None:
        """Raises Refused if Gridwise cannot compute it."""
        rank = len(self.x_spec) - 2
        if self.dtype not in TYPES:
            raise Refused(f"arrays of {self.dtype} have no kernels")
        if rank not in (1, 2, 3):
            raise Refused(f"{rank} axes of space; kernels have 1 to 3")
        if any(side < 0 for pair in self.padding for side in pair):
            raise Refused(f"padding {self.padding} is negative somewhere")
        if 0 in self.x_shape or 0 in self.w_shape or 0 in self.y_shape:
            raise Refused("empty arrays")

    def problem(self) -> Problem:
        """The gridwise.Problem, for arrays in the memory order of major_to_minor. Raises InvalidArgumentError if it is invalid."""
        n, c, *sizes = _permuted(self.x_shape, self.x_spec)
        k, _, *taps = _permuted(self.w_shape, self.w_spec)
        return Problem(
            DIRECTIONS[self.wanted],
            TYPES[self.dtype],
            batch=n,
            c=c,
            k=k,
            size=sizes,
            filter_size=taps,
            stride=self.strides,
            dilation=self.dilation,
            pad=[low for low, _ in self.padding],
            pad_end=[high for _, high in self.padding],
            groups=self.groups,
            layout="nhwgc",
            weight_layout="gkyxc",
        )

    def __str__(self) -> str:
        n, c, *sizes = _permuted(self.x_shape, self.x_spec)
        k, _, *taps = _permuted(self.w_shape, self.w_spec)
        text = f"{self.wanted} {TYPES.get(self.dtype, self.dtype)} g{self.groups} n{n} c{c} k{k} in {_by(sizes)} filter {_by(taps)}"
        for name, values in (("stride", self.strides), ("dilation", self.dilation)):
            text += f" {name} {_by(values)}" if any(value != 1 for value in values) else ""
        if any(side for pair in self.padding for side in pair):
            text += " pad " + "x".join(str(low) if low == high else f"{low}:{high}" for low, high in self.padding)
        arrays = _letters(self.x_spec, "NC"), _letters(self.w_spec, "OI"), _letters(self.y_spec, "NC")
        return f"{text} {' '.join(arrays)}"


def _letters(spec: Ints, names: str) -> str:
    """Axes as in NHWC and HWIO."""
    return "".join(letter for _, letter in sorted(zip(spec, names + "DHW"[5 - len(spec) :])))


def _by(values: Sequence[int]) -> str:
    return "x".join(map(str, values))


def forward(
    dtype: str,
    lhs_shape: Ints,
    rhs_shape: Ints,
    specs: Tuple[Ints, Ints, Ints],
    strides: Ints,
    padding: Pads,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    feature_group_count: int,
    batch_group_count: int,
) -> Convolution:
    """Returns the convolution that jax.lax.conv_general_dilated(lhs, rhs, ...) computes; `specs` are ConvDimensionNumbers. It is FORWARD,
    of lhs and rhs, or, if lhs is dilated, DATA, of lhs and weights_of_transposed(rhs).

    Raises:
      Refused: Gridwise does not compute it.
    """
    if not all(isinstance(size, int) for size in (*lhs_shape, *rhs_shape)):
        raise Refused("sizes are not known before the program runs")
    if batch_group_count != 1:
        raise Refused(f"batch_group_count is {batch_group_count}; Gridwise has groups of features alone")
    if any(dilation != 1 for dilation in lhs_dilation):
        return _transposed(dtype, lhs_shape, rhs_shape, specs, strides, padding, lhs_dilation, rhs_dilation, feature_group_count)
    convolution = Convolution(
        FORWARD, dtype, lhs_shape, rhs_shape, *specs, strides, padding, rhs_dilation, feature_group_count
    )
    convolution.check()
    return convolution


def _transposed(
    dtype: str,
    lhs_shape: Ints,
    rhs_shape: Ints,
    specs: Tuple[Ints, Ints, Ints],
    strides: Ints,
    padding: Pads,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    groups: int,
) -> Convolution:
    """Returns the convolution of a dilated lhs. Along an axis, lhs dilated by s and padded by (l, h), with T taps r apart, is the data
    gradient of a convolution with stride s and the taps in reverse: out[i] = sum over o, t of lhs[o] rhs[T - 1 - t] where
    i = o s + t r - p and p = (T - 1) r - l."""
    lhs_spec, rhs_spec, out_spec = specs
    if any(stride != 1 for stride in strides):
        raise Refused(f"window_strides {strides} and lhs_dilation {lhs_dilation} at once")
    n, _, *sources = _permuted(lhs_shape, lhs_spec)
    k, c, *taps = _permuted(rhs_shape, rhs_spec)
    pads, space = [], []
    for size, f, s, r, (low, high) in zip(sources, taps, lhs_dilation, rhs_dilation, padding):
        span = (f - 1) * r
        space.append((size - 1) * s + 1 + low + high - span)
        # The last stride of the convolution's input may reach no output, so that its padding may be longer by up to s - 1.
        pads.append((span - low, max(span - high, 0) if span - high > -s else span - high))
    convolution = Convolution(
        DATA,
        dtype,
        _placed((n, k, *space), out_spec),
        _placed((c * groups, k // groups, *taps), (rhs_spec[1], rhs_spec[0], *rhs_spec[2:])),
        out_spec,
        (rhs_spec[1], rhs_spec[0], *rhs_spec[2:]),
        lhs_spec,
        lhs_dilation,
        tuple(pads),
        rhs_dilation,
        groups,
    )
    if min(space) < 1:
        raise Refused("empty arrays")
    convolution.check()
    return convolution
