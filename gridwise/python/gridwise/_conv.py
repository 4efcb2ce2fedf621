# SPDX-License-Identifier: MIT
"""Grouped convolutions."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from gridwise._library import CLOCKS, DIRECTIONS, LAYOUTS, TYPES, WEIGHT_LAYOUTS, RawConvProblem, check, encoded, index_of, lib, raw_options
from gridwise._plans import Plan
from gridwise._problem import AnyEpilogueTensor, AnyProblem, renamed, set_epilogue
from gridwise._tensors import DeviceTensor, stream_handle

if TYPE_CHECKING or sys.version_info >= (3, 11):
    from typing import Unpack

    from gridwise._library import PlanOptions

PerAxis = Union[int, Sequence[int]]


def _three(argument: str, values: PerAxis, rank: int, default: int) -> Tuple[int, ...]:
    """Returns the values of d, h, w, from one value per axis or one value for all axes."""
    per_axis = (values,) * rank if isinstance(values, int) else tuple(values)
    if len(per_axis) != rank:
        raise ValueError(f"{argument} is {per_axis}; must be one number, or one of each of size's {rank} axes")
    return (default,) * (3 - rank) + per_axis


class Problem(AnyProblem):
    """A grouped convolution in one direction.

    Args:
      direction: one of DIRECTIONS.
      dtype: the operands' type, one of TYPES.
      batch: images.
      c, k: input and output channels of all groups together.
      size: input pixels of 1 to 3 axes, outermost first.
      filter_size, stride, dilation, pad, pad_end: one number per axis, or one number for all. `pad_end` defaults to `pad`.
      out_type: the output's type. It defaults to that of the operands; for 8-bit operands, to that of their sums.
      layout, weight_layout: one of LAYOUTS, of WEIGHT_LAYOUTS.
      strides: strides in elements, instead of the layouts. A dict of "x" and "y" (n, d, h, w, g, c of a group) and "w" (g, k of
        a group, z, y, x, c of a group). They must match a layout.
      alpha, low, high: out = clamp(unary(d1 op (d0 op (alpha * conv))), low, high).
      epilogue: up to two EpilogueTensors.
      unary: one of UNARY, or (name, parameter).
      scale_a, scale_b: if given, forward uses scale_a * a + a1 instead of a, or scale_b * b + b1 instead of b.

    The keywords `type` and `filter` of version 0.1 stand for `dtype` and `filter_size`, with a DeprecationWarning.

    Raises:
      InvalidArgumentError: the problem is invalid.
      ValueError: an argument is none of the names above, or has another number of axes than `size`.
    """

    @renamed(type="dtype", filter="filter_size")
    def __init__(
        self,
        direction: str,
        dtype: str,
        *,
        batch: int = 1,
        c: int,
        k: int,
        size: Sequence[int],
        filter_size: PerAxis = 1,
        stride: PerAxis = 1,
        dilation: PerAxis = 1,
        pad: PerAxis = 0,
        pad_end: Optional[PerAxis] = None,
        groups: int = 1,
        out_type: Optional[str] = None,
        layout: str = "nhwgc",
        weight_layout: str = "gkyxc",
        strides: Optional[Mapping[str, Sequence[int]]] = None,
        alpha: float = 1.0,
        low: Optional[float] = None,
        high: Optional[float] = None,
        epilogue: Sequence[AnyEpilogueTensor] = (),
        unary: Union[str, Tuple[str, float]] = "none",
        scale_a: Optional[float] = None,
        scale_b: Optional[float] = None,
    ) -> None:
        arguments = dict(locals())
        raw = RawConvProblem()
        lib.gridwise_conv_problem_defaults(ctypes.byref(raw), ctypes.c_size_t(ctypes.sizeof(raw)))
        raw.direction, raw.type = index_of(DIRECTIONS, direction, "direction"), index_of(TYPES, dtype, "dtype")
        raw.out_type = -1 if out_type is None else index_of(TYPES, out_type, "out_type")
        raw.rank, raw.groups, raw.batch, raw.c, raw.k = len(size), groups, batch, c, k
        fields = (
            ("in_", "size", size, 1),
            ("filter", "filter_size", filter_size, 1),
            ("stride", "stride", stride, 1),
            ("dilation", "dilation", dilation, 1),
            ("pad_begin", "pad", pad, 0),
            ("pad_end", "pad_end", pad if pad_end is None else pad_end, 0),
        )
        for field, argument, values, default in fields:
            for dim, value in zip(raw.dims, _three(argument, values, len(size), default)):
                setattr(dim, field, value)
        raw.layout = index_of(LAYOUTS, layout, "layout")
        raw.weight_layout = index_of(WEIGHT_LAYOUTS, weight_layout, "weight_layout")
        for name, values in (strides or {}).items():
            getattr(raw, name + "_stride")[:] = values
        set_epilogue(raw, alpha, low, high, epilogue, unary)
        raw.adds_a1, raw.scale_a = scale_a is not None, 1.0 if scale_a is None else scale_a
        raw.adds_b1, raw.scale_b = scale_b is not None, 1.0 if scale_b is None else scale_b
        self._set(raw, dtype, arguments, lib.gridwise_conv_problem_elements)

    def plan(self, target: Optional[str] = None, **options: Unpack[PlanOptions]) -> Plan[Problem]:
        return self.plans(1, target, **options)[0]

    plan.__doc__ = AnyProblem.plan.__doc__

    def plans(self, n: int = 1, target: Optional[str] = None, **options: Unpack[PlanOptions]) -> List[Plan[Problem]]:
        """Returns up to n plans, one per instance, fastest predicted first; at least one.

        Args:
          n: the number of plans.
          target: e.g. "gfx942" or "MI300A"; the current device by default.
          **options: PlanOptions.

        Raises:
          GridwiseError: as plan(), and InvalidArgumentError if n < 1.
        """
        raw, count = (ctypes.c_void_p * max(n, 0))(), ctypes.c_int()
        check(
            lib.gridwise_rank_plans(
                ctypes.byref(self.raw), encoded(target), raw_options(options), n, raw, ctypes.byref(count)
            )
        )
        return [Plan(self, raw[i]) for i in range(count.value)]

    def explain(self, target: Optional[str] = None, **options: Unpack[PlanOptions]) -> List[Dict[str, Any]]:
        """Returns a dict per instance: first those that compute the problem, in the order of plans(). Each has "family" and
        "instance". If the instance computes the problem, it has "estimated_ms"; otherwise "reason" and "refusal", one of
        REFUSALS.

        Args:
          target: e.g. "gfx942" or "MI300A"; the current device by default.
          **options: PlanOptions.

        Raises:
          InvalidArgumentError: an option is invalid, or the target, instance or family unknown.
          UnavailableError: there is no target and no device.
        """
        return self._explain(lib.gridwise_explain, target, options)

    def tune(
        self,
        a: DeviceTensor,
        b: DeviceTensor,
        out: DeviceTensor,
        d0: DeviceTensor = None,
        d1: DeviceTensor = None,
        a1: DeviceTensor = None,
        b1: DeviceTensor = None,
        *,
        n: int = 5,
        time_limit_s: float = 5.0,
        stream: Any = None,
        **options: Unpack[PlanOptions],
    ) -> Tuple[List[Tuple[float, Plan[Problem]]], str]:
        """Measures the first n plans on the current device, for at most about `time_limit_s` seconds. Overwrites `out`. Returns
        ([(milliseconds, plan)], clock), fastest first. `clock` says what the times measure: one of CLOCKS.

        Args:
          a, b, out, d0, d1, a1, b1, stream: as of Executable.
          n: the number of plans.
          time_limit_s: seconds of the host.
          **options: PlanOptions.

        Raises:
          ValueError, TypeError: as Executable, of tensors.
          GridwiseError: as plans(); and if no plan could be measured, the first one's error.
        """
        tensors = self.tensors(a, b, out, d0, d1, a1, b1)
        raw, times = (ctypes.c_void_p * max(n, 0))(), (ctypes.c_double * max(n, 0))()
        count, clock = ctypes.c_int(), ctypes.c_int()
        check(
            lib.gridwise_tune(
                ctypes.byref(self.raw),
                raw_options(options),
                ctypes.byref(tensors),
                stream_handle(stream),
                ctypes.c_double(time_limit_s),
                n,
                raw,
                times,
                ctypes.byref(count),
                ctypes.byref(clock),
            )
        )
        return [(times[i], Plan(self, raw[i])) for i in range(count.value)], CLOCKS[clock.value]
