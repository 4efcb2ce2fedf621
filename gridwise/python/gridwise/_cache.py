# SPDX-License-Identifier: MIT
"""Plans of convolutions as text, and files of them."""

from __future__ import annotations

import ctypes
from typing import List, Optional

from gridwise._conv import Problem
from gridwise._errors import NotFoundError
from gridwise._library import check, encoded, lib
from gridwise._plans import Plan


def parse_plan(problem: Problem, line: str) -> Plan[Problem]:
    """Returns the plan that `line` describes. Requires that it is a plan of `problem`.

    Raises:
      InvalidArgumentError: it is no such line, or is damaged.
      FailedPreconditionError: it is of another version of the library.
      UnimplementedError: its instance does not compute the problem.
    """
    handle = ctypes.c_void_p()
    check(lib.gridwise_parse_plan(encoded(line), ctypes.byref(handle)))
    return Plan(problem, handle.value)


class Cache:
    """A file of plans of convolutions, which any number of processes may read and extend. It is read once, when it is opened.

    Args:
      path: the file, which need not exist.

    Raises:
      GridwiseError: the file exists and cannot be read.
    """

    path: str
    handle: ctypes.c_void_p

    def __init__(self, path: str) -> None:
        self.path, self.handle = path, ctypes.c_void_p()
        check(lib.gridwise_open_cache(encoded(path), ctypes.byref(self.handle)))

    @property
    def skipped(self) -> List[str]:
        """The reasons why lines of the file could not be used."""
        lines: List[str] = []
        while (line := lib.gridwise_cache_skipped(self.handle, len(lines))) is not None:
            lines.append(line.decode())
        return lines

    def find(self, problem: Problem, target: Optional[str] = None) -> Optional[Plan[Problem]]:
        """Returns the plan of the problem that was stored last, or None.

        Args:
          problem: the convolution; a plan is found for an equal one.
          target: as of Problem.plans.

        Raises:
          InvalidArgumentError: the target is unknown.
        """
        handle = ctypes.c_void_p()
        status = lib.gridwise_cache_find(self.handle, ctypes.byref(problem.raw), encoded(target), ctypes.byref(handle))
        try:
            check(status)
        except NotFoundError:
            return None
        return Plan(problem, handle.value)

    def store(self, plan: Plan[Problem]) -> None:
        """Appends the plan to the file. Later `find`s, of other processes once they open the file, return it.

        Raises:
          InvalidArgumentError: the plan is not of a convolution.
          GridwiseError: the file cannot be written.
        """
        check(lib.gridwise_cache_store(self.handle, plan.handle))

    def __repr__(self) -> str:
        return f"gridwise.Cache({self.path!r})"

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.gridwise_close_cache(self.handle)
