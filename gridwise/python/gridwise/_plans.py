# SPDX-License-Identifier: MIT
"""Plans, and loaded plans."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar, Union

from gridwise._library import Tensors, check, lib
from gridwise._tensors import DeviceTensor, place_of, stream_handle, tensors_of

if TYPE_CHECKING:
    from gridwise._problem import AnyProblem

FALLBACK: str = "simt"  # in the names of Hopper's instances for any problem

# The problem of a plan: a Problem, a GemmProblem, or None for views.
P = TypeVar("P", bound="Optional[AnyProblem]")


class Plan(Generic[P]):
    """How a problem is computed on a target. Problems, `plan_views`, `parse_plan` and `Cache.find` make plans.

    A plan is a value of the host: it needs no device, and lives independently of the problem, of other plans and of the
    executables that are loaded from it. It is freed with the object.

    Attributes:
      problem: the Problem or GemmProblem; None for views.
      family, instance: the names of its kernel.
      line: the plan as text, which `parse_plan` reads; None for other problems than convolutions.
      description: several lines for people; also str(plan).
      workspace_bytes: device memory that a launch needs.
      estimated_ms: the predicted time.
    """

    problem: P
    family: str
    instance: str
    line: Optional[str]
    description: str
    workspace_bytes: int
    estimated_ms: float
    handle: ctypes.c_void_p

    def __init__(self, problem: P, handle: Optional[int]) -> None:
        self.problem, self.handle = problem, ctypes.c_void_p(handle)
        self.family = lib.gridwise_plan_family(self.handle).decode()
        self.instance = lib.gridwise_plan_instance(self.handle).decode()
        line = lib.gridwise_plan_line(self.handle)
        self.line = None if line is None else line.decode()
        self.description = lib.gridwise_plan_description(self.handle).decode()
        self.workspace_bytes = lib.gridwise_plan_workspace_bytes(self.handle)
        self.estimated_ms = lib.gridwise_plan_estimated_ms(self.handle)

    @property
    def is_fallback(self) -> bool:
        """Whether the plan is Hopper's for any problem, without tensor cores: slow, and there when no other instance is."""
        return FALLBACK in self.instance

    def __repr__(self) -> str:
        return f"<gridwise.Plan {self.instance} ({self.family}), {1e3 * self.estimated_ms:.1f} us, workspace {self.workspace_bytes}>"

    def __str__(self) -> str:
        return self.description

    def load(self) -> Executable:
        """Returns an Executable on the current device. Raises what Executable() does."""
        return Executable(self)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.gridwise_free_plan(self.handle)


class Executable:
    """A plan whose kernels are loaded on a device.

    It must live until its work, or the last launch of a graph that captured it, is done: kernels read tables that it owns. It is
    freed at the end of `with`, by close(), or with the object; so synchronize before, and keep a reference until then. The code
    itself stays loaded for the process, so that loading the plan again is cheap.

    Args:
      plan: the plan, whose target must be the current device's.

    Raises:
      FailedPreconditionError: the current device is of another target, or the library has no kernels for it.
      UnavailableError: there is no device.
      ResourceExhaustedError: the device has too little memory.
    """

    plan: Plan[Any]
    handle: ctypes.c_void_p

    def __init__(self, plan: Plan[Any]) -> None:
        self.plan, self.handle = plan, ctypes.c_void_p()
        check(lib.gridwise_load(plan.handle, ctypes.byref(self.handle)))

    def __call__(
        self,
        a: DeviceTensor,
        b: DeviceTensor,
        out: DeviceTensor,
        workspace: DeviceTensor = None,
        d0: DeviceTensor = None,
        d1: DeviceTensor = None,
        a1: DeviceTensor = None,
        b1: DeviceTensor = None,
        *,
        stream: Any = None,
    ) -> None:
        """Starts the work on the stream and returns. The tensors must live until it is done.

        Args:
          a, b, out: the operands and the output.
          workspace: at least plan.workspace_bytes bytes, which nothing else uses until the work is done.
          d0, d1: tensors of the epilogue.
          a1, b1: tensors that are added to the operands.
          stream: a stream of PyTorch or CuPy, a handle, or None for the default stream.

        Raises:
          ValueError: a tensor has the wrong size, is not packed, or is not on a GPU.
          TypeError: an argument is no device tensor.
          InvalidArgumentError: a tensor is missing, or the workspace is too small.
        """
        values = {"a": a, "b": b, "out": out, "d0": d0, "d1": d1, "a1": a1, "b1": b1}
        problem = self.plan.problem
        tensors = tensors_of({}, **values) if problem is None else problem.tensors(**values)
        place, size = (None, 0) if workspace is None else place_of(workspace, "workspace")
        self.launch(tensors, place, self.plan.workspace_bytes if size is None else size, stream_handle(stream))

    def launch(
        self,
        tensors: Tensors,
        workspace: Optional[int],
        workspace_bytes: int,
        stream: Union[ctypes.c_void_p, int, None],
    ) -> None:
        """The same with addresses and a stream's handle, which costs less on the host. Sizes of tensors are not checked.

        Raises:
          InvalidArgumentError: a tensor is missing, or the workspace is too small.
        """
        check(lib.gridwise_launch(self.handle, tensors, workspace, workspace_bytes, stream))

    def close(self) -> None:
        """Frees the executable, whose work must be done. A second call does nothing."""
        lib.gridwise_free_executable(self.handle)
        self.handle = ctypes.c_void_p()

    def __enter__(self) -> Executable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self.handle else ", closed"
        return f"<gridwise.Executable {self.plan.instance} ({self.plan.family}){state}>"

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.close()
