# SPDX-License-Identifier: MIT
"""The exceptions of the package: one per status of the C API (gridwise_status of gridwise.h)."""

from __future__ import annotations


class GridwiseError(Exception):
    """An error of the library. The message is a sentence; `status` is a gridwise_status of gridwise.h."""

    status: int = 2

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidArgumentError(GridwiseError, ValueError):
    """A problem, an option, a line of text or an address is invalid, or an instance, family or target unknown."""

    status = 3


class NotFoundError(GridwiseError):
    """No device of this machine is of the target."""

    status = 5


class ResourceExhaustedError(GridwiseError):
    """The device or the host has too little memory, or every instance needs more workspace than the options allow."""

    status = 8


class FailedPreconditionError(GridwiseError):
    """A plan is of another target than the current device, or its text of another version of the library."""

    status = 9


class UnimplementedError(GridwiseError):
    """No instance computes the problem, or Gridwise has no kernels for the current device."""

    status = 12


class InternalError(GridwiseError):
    """A kernel or the HIP library failed."""

    status = 13


class UnavailableError(GridwiseError):
    """There is no device, or no driver for it."""

    status = 14


_BY_STATUS = {error.status: error for error in GridwiseError.__subclasses__()}


def error_of(status: int, message: str) -> GridwiseError:
    """Returns the exception of a status other than GRIDWISE_OK."""
    error = _BY_STATUS.get(status, GridwiseError)(message)
    error.status = status
    return error
