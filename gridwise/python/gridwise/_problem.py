# SPDX-License-Identifier: MIT
"""What convolutions and matrix multiplications have in common."""

from __future__ import annotations

import ctypes
import functools
import inspect
import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from gridwise._library import REFUSALS, TYPE_BYTES, TYPES, UNARY, RawExplanation, Tensors, check, encoded, index_of, lib, raw_options
from gridwise._plans import Plan
from gridwise._tensors import Buffer, DeviceTensor, synchronize, tensors_of

if TYPE_CHECKING or sys.version_info >= (3, 11):
    from typing import Unpack

    from gridwise._library import PlanOptions

NUMPY_TYPES: Dict[str, str] = {"f16": "<f2", "f32": "<f4", "tf32": "<f4", "i8": "|i1", "i32": "<i4"}  # NumPy has no others

F = TypeVar("F", bound=Callable[..., Any])


class EpilogueTensor(NamedTuple):
    """A tensor of the output's shape that the epilogue combines with the result. A plain tuple of the same values will do.

    `op` is "add" or "mul". `dtype` is the output's type or "f32". `strides` are in elements, for the axes of the output: n, d, h,
    w, g, c of a group (for dw: g, k of a group, z, y, x, c of a group; for C: batch, row, column). 0 repeats the tensor along an
    axis.
    """

    op: str
    dtype: str
    scale: float
    strides: Sequence[int]


AnyEpilogueTensor = Union[EpilogueTensor, Tuple[str, str, float, Sequence[int]]]


def renamed(**names: str) -> Callable[[F], F]:
    """Makes a function take keywords by their former names, with a DeprecationWarning: renamed(former="current")."""

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **keywords: Any) -> Any:
            for former in names.keys() & keywords.keys():
                name = names[former]
                if name in keywords:
                    raise TypeError(f"{former} is the former name of {name}; give one of them")
                warnings.warn(f"the argument {former} is called {name} now", DeprecationWarning, stacklevel=2)
                keywords[name] = keywords.pop(former)
            return function(*args, **keywords)

        return wrapper  # type: ignore[return-value]

    return wrap


def set_epilogue(
    raw: Any,
    alpha: float,
    low: Optional[float],
    high: Optional[float],
    epilogue: Sequence[AnyEpilogueTensor],
    unary: Union[str, Tuple[str, float]],
) -> None:
    """Sets the fields of an epilogue in a struct of a problem."""
    raw.alpha = alpha
    raw.low = raw.low if low is None else low
    raw.high = raw.high if high is None else high
    raw.tensors = len(epilogue)
    for tensor, (op, dtype, scale, strides) in zip(raw.d, epilogue):
        tensor.op, tensor.type = index_of(("add", "mul"), op, "op"), index_of(TYPES, dtype, "dtype")
        tensor.scale = scale
        tensor.stride[:] = strides
    name, raw.unary_parameter = (unary, 1.0) if isinstance(unary, str) else unary
    raw.unary = index_of(UNARY, name, "unary")


def _explained(explanations: ctypes.c_void_p, index: int) -> Dict[str, Any]:
    explanation = RawExplanation(struct_size=ctypes.sizeof(RawExplanation))
    check(lib.gridwise_explanation_at(explanations, index, ctypes.byref(explanation)))
    said: Dict[str, Any] = {"family": explanation.family.decode(), "instance": explanation.instance.decode()}
    if explanation.reason is None:
        return {**said, "estimated_ms": explanation.estimated_ms}
    return {**said, "reason": explanation.reason.decode(), "refusal": REFUSALS[explanation.refusal]}


class AnyProblem:
    """A problem with two operands and an output. Problem and GemmProblem have its functions.

    Attributes:
      type: the operands' type.
      out_type: the output's.
      a_elements, b_elements, out_elements: elements of the tensors, from the first to the last.
    """

    type: str
    out_type: str
    a_elements: int
    b_elements: int
    out_elements: int
    raw: Any
    _arguments: Mapping[str, Any]

    def _set(self, raw: Any, dtype: str, arguments: Dict[str, Any], elements_of: Callable[..., int]) -> None:
        """Sets the attributes; `arguments` are the locals of the constructor, for __repr__."""
        self.raw, self.type = raw, dtype
        self._arguments = {name: value for name, value in arguments.items() if name != "self"}
        a, b, out, kind = (ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int32())
        check(elements_of(ctypes.byref(self.raw), *map(ctypes.byref, (a, b, out, kind))))
        self.a_elements, self.b_elements, self.out_elements = a.value, b.value, out.value
        self.out_type = TYPES[kind.value]

    def __repr__(self) -> str:
        shown = []
        for name, parameter in inspect.signature(type(self)).parameters.items():
            value = self._arguments[name]
            if parameter.default is inspect.Parameter.empty or value != parameter.default:
                shown.append(f"{name}={value!r}" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else repr(value))
        return f"gridwise.{type(self).__name__}({', '.join(shown)})"

    def bytes_of(self, name: str) -> Optional[int]:
        """Returns the bytes of "a", "b", "a1", "b1" or "out". Returns None for epilogue tensors: they depend on the strides."""
        size = TYPE_BYTES[self.out_type if name == "out" else self.type]
        name = name.removesuffix("1")
        return getattr(self, name + "_elements") * size if name in ("a", "b", "out") else None

    def tensors(
        self,
        a: DeviceTensor,
        b: DeviceTensor,
        out: DeviceTensor,
        d0: DeviceTensor = None,
        d1: DeviceTensor = None,
        a1: DeviceTensor = None,
        b1: DeviceTensor = None,
    ) -> Tensors:
        """Returns the addresses of device tensors, for Executable.launch. The tensors must live until the work is done.

        Args:
          a, b, out: the operands and the output.
          d0, d1: tensors of the epilogue.
          a1, b1: tensors that are added to the operands.

        Raises:
          ValueError: a tensor has the wrong size, is not packed, or is not on a GPU.
          TypeError: an argument is no device tensor.
        """
        values = {"a": a, "b": b, "out": out, "d0": d0, "d1": d1, "a1": a1, "b1": b1}
        return tensors_of({name: self.bytes_of(name) for name in values}, **values)

    def plan(self, target: Optional[str] = None, **options: Unpack[PlanOptions]) -> Plan[Any]:
        """Returns the plan that is predicted to be fastest.

        Args:
          target: e.g. "gfx942"; the current device by default.
          **options: PlanOptions.

        Raises:
          InvalidArgumentError: an option is invalid, or the target, instance or family unknown.
          UnimplementedError: no instance computes the problem; the message has every reason.
          ResourceExhaustedError: every instance needs more workspace than the options allow.
          UnavailableError: there is no target and no device.
        """
        raise NotImplementedError

    def _explain(self, function: Callable[..., int], target: Optional[str], options: PlanOptions) -> List[Dict[str, Any]]:
        explanations = ctypes.c_void_p()
        check(function(ctypes.byref(self.raw), encoded(target), raw_options(options), ctypes.byref(explanations)))
        try:
            return [_explained(explanations, i) for i in range(lib.gridwise_explanation_count(explanations))]
        finally:
            lib.gridwise_free_explanations(explanations)

    def __call__(self, a: Any, b: Any, d0: Any = None, d1: Any = None, a1: Any = None, b1: Any = None) -> Any:
        """Computes the output on the current device, by plan(). Takes NumPy arrays of any shape and returns a flat NumPy array.

        Raises:
          TypeError: NumPy lacks one of the problem's types.
          GridwiseError: as plan() and Executable.
        """
        import numpy  # pyright: ignore[reportMissingImports]

        def upload(array: Any, kind: str) -> Buffer:
            if kind not in NUMPY_TYPES:
                raise TypeError(f"NumPy has no {kind}")
            return Buffer.of(numpy.ascontiguousarray(array, dtype=NUMPY_TYPES[kind]))

        buffers = upload(a, self.type), upload(b, self.type)
        kinds = [TYPES[tensor.type] for tensor in self.raw.d]
        others = {"d0": (d0, kinds[0]), "d1": (d1, kinds[1]), "a1": (a1, self.type), "b1": (b1, self.type)}
        uploaded = {name: upload(array, kind) for name, (array, kind) in others.items() if array is not None}
        out = Buffer(self.out_elements * TYPE_BYTES[self.out_type])
        with self.plan().load() as executable:
            workspace = Buffer(executable.plan.workspace_bytes)
            executable(*buffers, out, workspace, **uploaded)
            synchronize()
        return numpy.frombuffer(out.tobytes(), NUMPY_TYPES[self.out_type])
