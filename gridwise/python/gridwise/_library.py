# SPDX-License-Identifier: MIT
"""The shared library libgridwise.so, the structs of its C API, and conversions of arguments to them."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Optional, Sequence, Tuple

from gridwise._errors import error_of

if TYPE_CHECKING or sys.version_info >= (3, 11):
    from typing import TypedDict

    class PlanOptions(TypedDict, total=False):
        """What plans are restricted to, as keyword arguments. None stands for any."""

        family: Optional[str]  # family of kernels, e.g. "tile"
        instance: Optional[str]  # name of an instance
        op: Optional[str]  # op of the family, e.g. "wavelet"
        splits: int  # workgroups that share the K of a tile; 0: the fastest number
        atomic: bool  # splits add their sums atomically, which is not deterministic
        model: bool  # False: rank by estimates, also where the model is better
        workspace_limit: Optional[int]  # bytes; None: what fits the device


DIRECTIONS: Tuple[str, ...] = ("fwd", "bwd_data", "bwd_weight")
TYPES: Tuple[str, ...] = ("f16", "bf16", "f32", "i8", "f8e4m3fn", "f8e4m3fnuz", "i32", "f8e5m2", "f8e5m2fnuz", "tf32")
TYPE_BYTES: Dict[str, int] = dict(zip(TYPES, (2, 2, 4, 1, 1, 1, 4, 1, 1, 4)))
UNARY: Tuple[str, ...] = ("none", "abs", "leaky_relu", "elu", "sigmoid", "tanh", "swish", "softplus", "gelu")
LAYOUTS: Tuple[str, ...] = ("nhwgc", "gnhwc", "ngchw")
WEIGHT_LAYOUTS: Tuple[str, ...] = ("gkyxc", "kyxgc")
CLOCKS: Tuple[str, ...] = ("device", "simulated", "host")
REFUSALS: Tuple[str, ...] = ("other", "type", "direction", "layout", "channels", "groups", "filter", "size")


class Dim(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("in_", "filter", "stride", "dilation", "pad_begin", "pad_end")]


class RawEpilogueTensor(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_int32),
        ("type", ctypes.c_int32),
        ("scale", ctypes.c_double),
        ("stride", ctypes.c_int64 * 6),
    ]


class RawConvProblem(ctypes.Structure):
    _fields_ = (
        [("struct_size", ctypes.c_size_t)]
        + [(name, ctypes.c_int32) for name in ("direction", "type", "out_type", "rank")]
        + [(name, ctypes.c_int64) for name in ("groups", "batch", "c", "k")]
        + [("dims", Dim * 3), ("layout", ctypes.c_int32), ("weight_layout", ctypes.c_int32)]
        + [(name, ctypes.c_int64 * 6) for name in ("x_stride", "w_stride", "y_stride")]
        + [(name, ctypes.c_double) for name in ("alpha", "low", "high")]
        + [("tensors", ctypes.c_int32), ("d", RawEpilogueTensor * 2)]
        + [(name, ctypes.c_int32) for name in ("unary", "adds_a1", "adds_b1")]
        + [(name, ctypes.c_double) for name in ("unary_parameter", "scale_a", "scale_b")]
    )


class RawGemmTensor(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_int32),
        ("type", ctypes.c_int32),
        ("scale", ctypes.c_double),
        ("stride", ctypes.c_int64 * 3),
    ]


class RawGemmProblem(ctypes.Structure):
    _fields_ = (
        [("struct_size", ctypes.c_size_t)]
        + [(name, ctypes.c_int32) for name in ("type", "out_type")]
        + [(name, ctypes.c_int64) for name in ("batch", "m", "n", "k")]
        + [(name, ctypes.c_int64 * 3) for name in ("a", "b", "c")]
        + [(name, ctypes.c_double) for name in ("alpha", "low", "high")]
        + [(name, ctypes.c_int32) for name in ("tensors", "unary")]
        + [("d", RawGemmTensor * 2), ("unary_parameter", ctypes.c_double)]
    )


class RawTerm(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("step", ctypes.c_int64)]


class RawExplanation(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("family", ctypes.c_char_p),
        ("instance", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("refusal", ctypes.c_int32),
        ("estimated_ms", ctypes.c_double),
    ]


class RawOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("family", ctypes.c_char_p),
        ("instance", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("splits", ctypes.c_int32),
        ("atomic", ctypes.c_int32),
        ("estimates_alone", ctypes.c_int32),
        ("workspace_limit", ctypes.c_int64),
    ]


class Tensors(ctypes.Structure):
    """Device addresses: gridwise_tensors of gridwise.h."""

    _fields_: ClassVar[Any] = [("struct_size", ctypes.c_size_t)] + [
        (name, ctypes.c_void_p) for name in ("a", "b", "out", "d0", "d1", "a1", "b1")
    ]

    def __init__(self, *addresses: Optional[int], **named: Optional[int]) -> None:
        super().__init__(ctypes.sizeof(Tensors), *addresses, **named)


_ADDRESS, _NUMBER, _INT, _I32 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.c_int32
_TEXT, _POINTER = ctypes.c_char_p, ctypes.c_void_p  # a pointer: what ctypes.byref gives, or an array

# The results and arguments of the functions whose arguments are not all pointers.
_RESULTS = {
    "message": _TEXT,
    "version": _TEXT,
    "plan_family": _TEXT,
    "plan_instance": _TEXT,
    "plan_line": _TEXT,
    "plan_description": _TEXT,
    "plan_workspace_bytes": _NUMBER,
    "plan_estimated_ms": ctypes.c_double,
    "cache_skipped": _TEXT,
}
_ARGUMENTS = {
    "explanation_count": [_ADDRESS],
    "explanation_at": [_ADDRESS, _INT, ctypes.POINTER(RawExplanation)],
    "cache_skipped": [_ADDRESS, _INT],
    "launch": [_ADDRESS, ctypes.POINTER(Tensors), _ADDRESS, _NUMBER, _ADDRESS],
    "view_memory": [_ADDRESS, _NUMBER, _NUMBER, _POINTER],
    "view_pad": [_ADDRESS, _I32, _NUMBER, _NUMBER, _POINTER],
    "view_slice": [_ADDRESS, _I32, _NUMBER, _NUMBER, _NUMBER, _POINTER],
    "view_embed": [_ADDRESS, _I32, _POINTER, _INT, _POINTER],
    "view_merge": [_ADDRESS, _POINTER, _INT, _POINTER],
    "view_unmerge": [_ADDRESS, _I32, _POINTER, _INT, _POINTER],
    "view_freeze": [_ADDRESS, _I32, _NUMBER],
    "view_see": [_ADDRESS, _I32, _I32, _I32],
    "plan_views": [_ADDRESS, _ADDRESS, _ADDRESS, _I32, _I32, _TEXT, _POINTER],
}


def _open_library() -> ctypes.CDLL:
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(here, "libgridwise.so"), os.path.join(here, "..", "..", "c", "libgridwise.so")]
    path = os.environ.get("GRIDWISE_LIBRARY") or next(filter(os.path.exists, paths), "libgridwise.so")
    library = ctypes.CDLL(path)
    for name, result in _RESULTS.items():
        getattr(library, "gridwise_" + name).restype = result
    for name in ("family", "instance", "line", "description", "workspace_bytes", "estimated_ms"):
        getattr(library, "gridwise_plan_" + name).argtypes = [_ADDRESS]
    for name in ("free", "free_plan", "free_executable", "free_explanations", "free_view", "close_cache"):
        function = getattr(library, "gridwise_" + name)
        function.argtypes, function.restype = [_ADDRESS], None
    for name, arguments in _ARGUMENTS.items():
        getattr(library, "gridwise_" + name).argtypes = arguments
    return library


lib = _open_library()


def find_extension(module: str, name: str, folder: str) -> Optional[str]:
    """Returns the path of a library that belongs to a module, whose file is given: beside it, or where Bazel builds it, in
    gridwise/python/`folder`. None if there is none."""
    here = os.path.dirname(os.path.abspath(module))
    folders = [here, os.path.join(here, "..", "..", folder)]
    if "GRIDWISE_LIBRARY" in os.environ:
        folders.append(os.path.join(os.path.dirname(os.environ["GRIDWISE_LIBRARY"]), "..", "python", folder))
    return next(filter(os.path.exists, (os.path.join(place, name) for place in folders)), None)


def check(status: int) -> None:
    """Raises the exception of a status other than GRIDWISE_OK."""
    if status != 0:
        raise error_of(status, lib.gridwise_message().decode())


def encoded(text: Optional[str]) -> Optional[bytes]:
    """Returns the text as C takes it."""
    return None if text is None else str(text).encode()


def index_of(names: Sequence[str], value: str, field: str) -> int:
    """Returns the number of an enumerator. Raises ValueError if there is none of that name."""
    if value not in names:
        raise ValueError(f"{field} is {value!r}; must be one of {', '.join(names)}")
    return names.index(value)


def raw_options(options: PlanOptions) -> Any:
    """Returns a pointer to gridwise_plan_options. Raises TypeError if an option is unknown."""
    left: Dict[str, Any] = dict(options)
    raw = RawOptions()
    lib.gridwise_plan_options_defaults(ctypes.byref(raw), ctypes.c_size_t(ctypes.sizeof(raw)))
    raw.family, raw.instance, raw.op = (encoded(left.pop(name, None)) for name in ("family", "instance", "op"))
    raw.splits, raw.atomic = left.pop("splits", 0), left.pop("atomic", False)
    raw.estimates_alone = not left.pop("model", True)
    limit = left.pop("workspace_limit", None)
    raw.workspace_limit = -1 if limit is None else limit
    if left:
        known = "family, instance, op, splits, atomic, model and workspace_limit"
        raise TypeError(f"options are {known}, not {', '.join(left)}")
    return ctypes.byref(raw)
