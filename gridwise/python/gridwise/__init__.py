# SPDX-License-Identifier: MIT
"""Gridwise in Python, on top of the C API (gridwise/c/gridwise.h). Needs no package.

    import gridwise
    gridwise.use_device("gfx942")
    problem = gridwise.Problem("fwd", "f16", batch=2, c=64, k=64, size=(16, 16), filter_size=(3, 3), pad=1)
    y = problem(x, w)                                  # NumPy arrays
    with problem.plan().load() as conv:                # device tensors, e.g. PyTorch's
        conv(x, w, y, workspace, stream=torch.cuda.current_stream())

Problem is a convolution, GemmProblem a matrix multiplication, and plan_views multiplies views. problems_of finds the
convolutions of logs, traces and models of other programs, and network says what they take.

A device tensor is a Buffer, an address, or any object in device memory that has __cuda_array_interface__ or __dlpack__
(PyTorch, CuPy, JAX). It must be packed, in the problem's layout.

Errors: if the library reports an error, functions raise a subclass of GridwiseError, which their docstrings name. Any function
may raise its other subclasses if the HIP library fails. Functions raise ValueError or TypeError if an argument has a wrong value
or type.

The environment variable GRIDWISE_LIBRARY names the library's file. By default it is libgridwise.so next to this file or in
../../c. `gridwise.torch` is for PyTorch models, `gridwise.jax` for JAX programs.
"""

from gridwise._cache import Cache, parse_plan
from gridwise._conv import PerAxis, Problem
from gridwise._errors import (
    FailedPreconditionError,
    GridwiseError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
    UnimplementedError,
)
from gridwise._gemm import GemmProblem
from gridwise._library import CLOCKS, DIRECTIONS, LAYOUTS, REFUSALS, TYPE_BYTES, TYPES, UNARY, WEIGHT_LAYOUTS, Tensors
from gridwise._network import NamedProblem, Network, Problems, network, problems_of
from gridwise._plans import FALLBACK, Executable, Plan
from gridwise._problem import NUMPY_TYPES, EpilogueTensor
from gridwise._tensors import Buffer, DeviceTensor, address_of, synchronize, use_device, version
from gridwise._views import Axis, View, plan_views

Error = GridwiseError  # its name in version 0.1

__all__ = [
    "CLOCKS",
    "DIRECTIONS",
    "FALLBACK",
    "LAYOUTS",
    "NUMPY_TYPES",
    "REFUSALS",
    "TYPES",
    "TYPE_BYTES",
    "UNARY",
    "WEIGHT_LAYOUTS",
    "Axis",
    "Buffer",
    "Cache",
    "DeviceTensor",
    "EpilogueTensor",
    "Error",
    "Executable",
    "FailedPreconditionError",
    "GemmProblem",
    "GridwiseError",
    "InternalError",
    "InvalidArgumentError",
    "NamedProblem",
    "Network",
    "NotFoundError",
    "PerAxis",
    "Plan",
    "Problem",
    "Problems",
    "ResourceExhaustedError",
    "Tensors",
    "UnavailableError",
    "UnimplementedError",
    "View",
    "address_of",
    "network",
    "parse_plan",
    "plan_views",
    "problems_of",
    "synchronize",
    "use_device",
    "version",
]
