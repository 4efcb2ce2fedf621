# SPDX-License-Identifier: MIT
"""Decides whether Gridwise or a framework computes a convolution, for gridwise.torch and gridwise.jax, and keeps measurements in a file."""

from __future__ import annotations

import fcntl
import json
import os
from typing import Any, Dict, Optional

POLICIES = ("measure", "model", "always")
PLANS: int = 3  # plans that are measured, the fastest by estimate first
ADVANTAGE: float = 0.98  # Gridwise must take less than this part of the framework's time; the margin exceeds noise
SLOW: str = "only the kernel for any problem computes it, which is slow"


class File:
    """Decisions as lines of JSON. Other processes append to the same file. The key of a line says what it was measured with."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._read = 0
        self._lines: Dict[str, Dict[str, Any]] = {}

    def _update(self) -> None:
        """Reads complete lines that were appended since the last call. Skips damaged ones."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._read)
                text = file.read()
        except OSError:
            return
        end = text.rfind(b"\n") + 1
        self._read += end
        for line in text[:end].splitlines():
            try:
                said = json.loads(line)
                self._lines[said["key"]] = said
            except (ValueError, KeyError, TypeError):
                continue

    def find(self, key: str) -> Optional[Dict[str, Any]]:
        if key not in self._lines:
            self._update()
        return self._lines.get(key)

    def store(self, said: Dict[str, Any]) -> None:
        """Appends a decision. If that fails, only the next process pays, with a measurement."""
        self._lines[said["key"]] = said
        try:
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
            with open(self.path, "ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                # Begins a new line, in case a killed process left an incomplete one.
                file.write(b"\n" + json.dumps(said).encode() + b"\n")
        except OSError:
            pass


def default_path(framework: str) -> str:
    """The default path of the decisions for a framework: for "torch", $GRIDWISE_TORCH_CACHE or
    ~/.cache/gridwise/torch.jsonl."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get(f"GRIDWISE_{framework.upper()}_CACHE") or os.path.join(folder, "gridwise", framework + ".jsonl")


def is_off(framework: str) -> bool:
    """Whether the environment, e.g. GRIDWISE_TORCH=off, leaves all to the framework."""
    return os.environ.get(f"GRIDWISE_{framework.upper()}", "on").lower() in ("off", "0", "no", "false")
