# SPDX-License-Identifier: MIT
"""Convolutions of networks: of files of other programs, and of PyTorch models."""

from __future__ import annotations

import contextlib
import csv
import html
import importlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from gridwise._conv import Problem
from gridwise._errors import InvalidArgumentError, NotFoundError

PROGRAM = "GRIDWISE_PROGRAM"  # the environment variable that names the command line's file


class NamedProblem(NamedTuple):
    """A convolution of a network, in one direction.

    Attributes:
      name: of the layer.
      problem: the convolution.
      occurrences: how often it occurs.
      note: where it comes from, and what it leaves out.
    """

    name: str
    problem: Problem
    occurrences: int
    note: str


class Problems(List[NamedProblem]):
    """The convolutions of a network, in the order in which they first occur.

    Attributes:
      report: what was read, left out and wrong; a line each.
    """

    report: str


class Network(List[Dict[str, Any]]):
    """The layers of a network: a list of dicts, so that pandas.DataFrame(network) is a table. Jupyter shows it as a page.

    Keys of a layer: name, count, direction, type, problem (as text), instance, us (of one launch), total_us (of all), share (of
    the network's time), limiter, of_bound (the fraction of its roofline), memory_bytes, workspace_bytes. A layer without a kernel
    has name, count, direction, type, problem and reason.

    Attributes:
      document: all that `gridwise network --json` says.
      page: the page of `--html`, which needs nothing else.
      report: what was read, left out and wrong; a line each.
    """

    document: Dict[str, Any]
    page: str
    report: str

    def __init__(self, document: Dict[str, Any], page: str, report: str) -> None:
        super().__init__(_row(layer) for layer in document["layers"])
        self.document, self.page, self.report = document, page, report

    @property
    def total_us(self) -> float:
        """The time of all layers together, in microseconds."""
        return self.document["total_us"]

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="900" style="border: 0"></iframe>'


def _row(layer: Dict[str, Any]) -> Dict[str, Any]:
    problem = layer["problem"]
    row = {"name": layer["name"], "count": layer["count"], "direction": problem["direction"], "type": problem["type"]}
    row["problem"] = problem["text"]
    if "plan" not in layer:
        return {**row, "reason": layer["reason"]}
    row["instance"] = layer["plan"]["instance"]
    row.update((key, layer[key]) for key in ("us", "total_us", "share", "limiter", "of_bound", "memory_bytes"))
    row["workspace_bytes"] = layer["plan"]["workspace_bytes"]
    return row


def _run(arguments: Sequence[str]) -> Tuple[str, str]:
    """Runs the command line. Returns what it writes to stdout and to stderr."""
    program = os.environ.get(PROGRAM) or shutil.which("gridwise")
    if not program:
        raise NotFoundError(
            f"the program gridwise is not on PATH; build //tools/gridwise and name it in {PROGRAM}, "
            "or unpack the archive of //tools/sim:archive"
        )
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        raise InvalidArgumentError(words[-1].removeprefix("gridwise: ") if words else f"gridwise ends with {done.returncode}")
    return done.stdout, done.stderr


def _warn(report: str) -> None:
    """Warns of what is wrong: all lines but those that say what was read and what is left out."""
    for line in report.splitlines():
        if " convolutions, " not in line and ": left out: " not in line:
            warnings.warn(line, stacklevel=3)


@contextlib.contextmanager
def _files_of(source: Any, inputs: Tuple[Any, ...]) -> Iterator[List[str]]:
    """The files of a source. Those that are written are there as long as the context is entered."""
    if isinstance(source, (str, os.PathLike)):
        yield [os.fspath(source)]
    elif isinstance(source, (list, tuple)):
        yield [os.fspath(path) for path in source]
    else:
        program = _program_of(source, inputs)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, type(source).__name__)
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            yield [path]


def _program_of(model: Any, inputs: Tuple[Any, ...]) -> str:
    """The program of a PyTorch model as text, with sizes and strides."""
    if hasattr(model, "graph_module"):  # a torch.export.ExportedProgram
        exported = model
    elif callable(getattr(model, "forward", None)):
        exported = importlib.import_module("torch.export").export(model, inputs)
    else:
        raise TypeError(f"{type(model).__name__} is no path, torch.nn.Module or torch.export.ExportedProgram")
    return exported.graph_module.print_readable(print_output=False, include_stride=True, include_device=True)


def _options(**values: Any) -> Iterator[str]:
    for name, value in values.items():
        if value is True:
            yield f"--{name}"
        elif value is not None and value is not False:
            yield f"--{name}={value}"


def _problem_of(row: Dict[str, str], direction: str) -> Problem:
    """The problem of a row of a problem set (core/conv/problem_io.h)."""
    rank = int(row["ndim"])

    def axes(*columns: str) -> Tuple[int, ...]:
        return tuple(int(row[column]) for column in columns[3 - rank :])

    def each(name: str) -> Tuple[int, ...]:
        return axes(*(f"{name}_{axis}" for axis in "dhw"))

    pad = each("pad")
    pad_end = each("pad_end") if "pad_end_w" in row else pad
    given: Dict[str, Any] = {"out_type": row.get("out_type"), "layout": row.get("layout"), "weight_layout": row.get("weight_layout")}
    return Problem(
        direction,
        row.get("type") or "f16",
        batch=int(row["N"]),
        c=int(row["C"]),
        k=int(row["K"]),
        groups=int(row["G"]),
        size=axes("Di", "Hi", "Wi"),
        filter_size=axes("Z", "Y", "X"),
        stride=each("stride"),
        dilation=each("dil"),
        pad=pad,
        pad_end=None if pad_end == pad else pad_end,
        **{name: value for name, value in given.items() if value},
    )


def problems_of(source: Union[str, os.PathLike[str], Sequence[Any], Any], *inputs: Any, batch: Optional[int] = None) -> Problems:
    """Returns the convolutions of files of other programs, or of a PyTorch model.

    Args:
      source: a path or several, of any kind that `gridwise help import` lists; a torch.nn.Module or an ExportedProgram.
      *inputs: of a module: those that it is exported for (torch.export.export).
      batch: the number of images; by default the source's.

    The program `gridwise` reads them. It is the file that $GRIDWISE_PROGRAM names, or the one on PATH.

    A line or node that is wrong, or asks for what Gridwise lacks, is a UserWarning, and is in the result's report.

    Raises:
      NotFoundError: there is no program.
      InvalidArgumentError: a file cannot be read or has no convolution; the message has the first wrong line.
      TypeError: the source is none of these.
    """
    with _files_of(source, inputs) as files:
        text, report = _run(["import", *files, *_options(batch=batch)])
    _warn(report)
    problems = Problems(
        NamedProblem(row["name"], _problem_of(row, direction), int(row.get("count") or 1), row.get("note") or "")
        for row in csv.DictReader(io.StringIO(text))
        for direction in row["directions"].split()
    )
    problems.report = report
    return problems


def network(
    source: Union[str, os.PathLike[str], Any],
    *inputs: Any,
    device: str,
    training: bool = False,
    batch: Optional[int] = None,
    dtype: Optional[str] = None,
    layout: Optional[str] = None,
    time: bool = False,
    compare: Optional[str] = None,
) -> Network:
    """Returns what the convolutions of a network take on a device, one by one and together.

    Args:
      source, *inputs: as of problems_of, with one path.
      device: a target or a product, such as "MI300X".
      training: with the gradients of forward convolutions.
      batch, dtype, layout: in place of the source's.
      time: by the simulator's clock, or measured where there is such a GPU; by default by the planner's estimates.
      compare: a second device, for the page and the document.

    Raises: as problems_of.
    """
    with _files_of(source, inputs) as files, tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        options = _options(device=device, training=training, batch=batch, type=dtype, layout=layout, time=time, compare=compare)
        text, report = _run(["network", *files, "--json", f"--html={page}", *options])
        with open(page, encoding="utf-8") as file:
            rows = Network(json.loads(text), file.read(), report)
    return rows
