# SPDX-License-Identifier: MIT
"""Multiplications of views."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, Sequence, Tuple

from gridwise._library import TYPES, RawTerm, check, encoded, index_of, lib
from gridwise._plans import Plan


class Axis:
    """An axis of a view, as its transforms name it."""

    view: View
    number: int

    def __init__(self, view: View, number: int) -> None:
        self.view, self.number = view, number

    def __repr__(self) -> str:
        return f"<gridwise.Axis {self.number}>"


class View:
    """A tensor in memory, presented as a batch of matrices without a copy.

    A view is composed from the tensor's memory upwards. A transform consumes axes and makes new ones; see() names the three
    that remain. This is x of a forward convolution, as a matrix of output pixels by (tap, channel):

        x = gridwise.View()
        n, h, c = x.memory(batch, n_stride), x.memory(size, h_stride), x.memory(channels, 1)
        tap, out = x.embed(x.pad(h, pad, pad), [(taps, dilation), (outputs, stride)])
        x.see(x.memory(1, 0), x.merge([n, out]), x.merge([tap, c]))

    Each function raises InvalidArgumentError if its transform makes no sense, e.g. if an axis was consumed before or a number is
    out of range. The view then stays invalid. It raises ValueError for an axis of another view.
    """

    handle: ctypes.c_void_p

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        check(lib.gridwise_make_view(ctypes.byref(self.handle)))

    def _number(self, axis: Axis) -> int:
        if axis.view is not self:
            raise ValueError(f"{axis!r} is of another view")
        return axis.number

    def _compose(self, function: Callable[..., int], *arguments: Any, results: int) -> Tuple[Axis, ...]:
        axes = (ctypes.c_int32 * max(results, 1))()
        check(function(self.handle, *arguments, *([axes] if results else [])))
        return tuple(Axis(self, axes[i]) for i in range(results))

    def memory(self, length: int, stride: int) -> Axis:
        """Adds an axis of the tensor: `length` indices, `stride` elements apart. memory(1, 0) is an axis for a tensor that lacks it."""
        return self._compose(lib.gridwise_view_memory, length, stride, results=1)[0]

    def pad(self, axis: Axis, begin: int, end: int) -> Axis:
        """Adds `begin` indices before the axis and `end` after it, at which elements are 0."""
        return self._compose(lib.gridwise_view_pad, self._number(axis), begin, end, results=1)[0]

    def slice(self, axis: Axis, begin: int, length: int, step: int = 1) -> Axis:
        """Takes `length` indices of the axis from `begin` on, `step` apart, which may be negative."""
        return self._compose(lib.gridwise_view_slice, self._number(axis), begin, length, step, results=1)[0]

    def embed(self, axis: Axis, terms: Sequence[Tuple[int, int]]) -> Tuple[Axis, ...]:
        """Replaces the axis by 1 to 6 axes, whose indices together are an index of it: the sum of step * index over the terms
        (length, step). All sums must be inside of the axis; pad it first if they would not be."""
        raw = (RawTerm * len(terms))(*(RawTerm(length, step) for length, step in terms))
        return self._compose(lib.gridwise_view_embed, self._number(axis), raw, len(terms), results=len(terms))

    def merge(self, axes: Sequence[Axis]) -> Axis:
        """Makes one axis of 1 to 6 axes, of which the last varies fastest."""
        raw = (ctypes.c_int32 * len(axes))(*map(self._number, axes))
        return self._compose(lib.gridwise_view_merge, raw, len(axes), results=1)[0]

    def unmerge(self, axis: Axis, lengths: Sequence[int]) -> Tuple[Axis, ...]:
        """Splits the axis into 1 to 6 axes with these lengths, whose product must be its length. The last varies fastest."""
        raw = (ctypes.c_int64 * len(lengths))(*lengths)
        return self._compose(lib.gridwise_view_unmerge, self._number(axis), raw, len(lengths), results=len(lengths))

    def freeze(self, axis: Axis, index: int) -> None:
        """Fixes the axis at `index` and hides it."""
        self._compose(lib.gridwise_view_freeze, self._number(axis), index, results=0)

    def see(self, matrices: Axis, rows: Axis, columns: Axis) -> None:
        """Ends the composition: the view shows these axes. The third is that of the terms of A and B, and of the columns of C. All
        other axes must have been consumed."""
        self._compose(lib.gridwise_view_see, *map(self._number, (matrices, rows, columns)), results=0)

    def __repr__(self) -> str:
        return f"<gridwise.View at {self.handle.value or 0:#x}>"

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.gridwise_free_view(self.handle)


def plan_views(a: View, b: View, c: View, dtype: str, out_type: str, *, target: Optional[str] = None) -> Plan[None]:
    """Plans C[b][m][n] = sum over k of A[b][m][k] * B[b][n][k].

    Args:
      a, b, c: views that show A as b x m x k, B as b x n x k, and C as b x m x n. The plan does not need them afterwards.
      dtype: the type of A and B, one of TYPES.
      out_type: the type of C.
      target: e.g. "gfx942"; the current device by default.

    Returns:
      A plan of one launch, the kernel with the least estimated time. It needs no workspace. Its executables take tensors of any
      size.

    Raises:
      InvalidArgumentError: a view is invalid or unfinished, their lengths do not match, or C cannot have `out_type`.
      UnimplementedError: no kernel accepts the views; gridwise_views.h lists what none accepts.
      ValueError: a type is not known.
    """
    plan = ctypes.c_void_p()
    types = index_of(TYPES, dtype, "dtype"), index_of(TYPES, out_type, "out_type")
    check(lib.gridwise_plan_views(a.handle, b.handle, c.handle, *types, encoded(target), ctypes.byref(plan)))
    return Plan(None, plan.value)
