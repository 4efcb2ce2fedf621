# SPDX-License-Identifier: MIT
"""Batched matrix multiplications."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

from gridwise._library import TYPES, RawGemmProblem, check, encoded, index_of, lib, raw_options
from gridwise._plans import Plan
from gridwise._problem import AnyEpilogueTensor, AnyProblem, set_epilogue

if TYPE_CHECKING or sys.version_info >= (3, 11):
    from typing import Unpack

    from gridwise._library import PlanOptions

ORDERS = ("row", "col")

MatrixOrder = Union[str, Sequence[int]]


def _strides(name: str, order: MatrixOrder, rows: int, columns: int) -> Sequence[int]:
    """Returns (batch, row, column): those given, or those of packed matrices."""
    if isinstance(order, str):
        by_row = index_of(ORDERS, order, name) == 0
        return (rows * columns, columns, 1) if by_row else (rows * columns, 1, rows)
    if len(order) != 3:
        raise ValueError(f"{name} is {tuple(order)}; must be one of {', '.join(ORDERS)}, or strides of batch, row, column")
    return order


class GemmProblem(AnyProblem):
    """A batched matrix multiplication. A is m x k, B is k x n, and C is m x n:

        C[b][i][j] = clamp(unary(d1 op (d0 op (alpha * sum over t of A[b][i][t] * B[b][t][j]))), low, high)

    Args:
      dtype: the type of A and B, one of TYPES.
      m, n, k: the sizes.
      batch: the number of matrices.
      out_type: C's type. It defaults to that of the operands; for 8-bit operands, to that of their sums.
      a, b, c: "row" or "col" for packed matrices in that order; or strides in elements, of batch, row and column. A stride of 0
        repeats an operand.
      alpha, low, high: as above.
      epilogue: up to two EpilogueTensors, with strides of batch, row and column.
      unary: one of UNARY, or (name, parameter).

    Raises:
      InvalidArgumentError: the problem is invalid.
      ValueError: an argument is none of the names above.
    """

    def __init__(
        self,
        dtype: str,
        *,
        m: int,
        n: int,
        k: int,
        batch: int = 1,
        out_type: Optional[str] = None,
        a: MatrixOrder = "row",
        b: MatrixOrder = "row",
        c: MatrixOrder = "row",
        alpha: float = 1.0,
        low: Optional[float] = None,
        high: Optional[float] = None,
        epilogue: Sequence[AnyEpilogueTensor] = (),
        unary: Union[str, Tuple[str, float]] = "none",
    ) -> None:
        arguments = dict(locals())
        raw = RawGemmProblem()
        lib.gridwise_gemm_problem_defaults(ctypes.byref(raw), ctypes.c_size_t(ctypes.sizeof(raw)))
        raw.type = index_of(TYPES, dtype, "dtype")
        raw.out_type = -1 if out_type is None else index_of(TYPES, out_type, "out_type")
        raw.batch, raw.m, raw.n, raw.k = batch, m, n, k
        raw.a[:], raw.b[:] = _strides("a", a, m, k), _strides("b", b, k, n)
        raw.c[:] = _strides("c", c, m, n)
        set_epilogue(raw, alpha, low, high, epilogue, unary)
        self._set(raw, dtype, arguments, lib.gridwise_gemm_problem_elements)

    def plan(self, target: Optional[str] = None, **options: Unpack[PlanOptions]) -> Plan[GemmProblem]:
        plan = ctypes.c_void_p()
        check(
            lib.gridwise_make_gemm_plan(
                ctypes.byref(self.raw), encoded(target), raw_options(options), ctypes.byref(plan)
            )
        )
        return Plan(self, plan.value)

    plan.__doc__ = AnyProblem.plan.__doc__

    def explain(self, target: Optional[str] = None, **options: Unpack[PlanOptions]) -> List[Dict[str, Any]]:
        """Returns a dict per instance, as Problem.explain does. The first is the one of plan().

        Args:
          target: e.g. "gfx942"; the current device by default.
          **options: PlanOptions.

        Raises:
          InvalidArgumentError: an option is invalid, or the target, instance or family unknown.
          UnavailableError: there is no target and no device.
        """
        return self._explain(lib.gridwise_explain_gemm, target, options)
