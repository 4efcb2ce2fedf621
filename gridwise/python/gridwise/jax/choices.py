# SPDX-License-Identifier: MIT
"""Decides whether Gridwise or jax.lax computes a convolution, once per question, when a program is compiled."""

import collections
import concurrent.futures
import math
import statistics
import threading
import time

import jax
import jaxlib

import gridwise
from gridwise._decisions import ADVANTAGE, PLANS, POLICIES, SLOW, File, default_path, is_off
from gridwise._library import TYPE_BYTES
from gridwise._xla import TYPES
from gridwise.jax import call

NO_FASTER = "lax was as fast, or faster"
MAX_COPIES, COPIED_BYTES = 8, 2 << 30  # operands and results in a measurement
RUN_S, SAMPLES = 0.01, 5  # how long, and how often, a measurement runs a program
WAIT_S = 60  # for a decision, which may be needed while XLA is compiling


class Choice(collections.namedtuple("Choice", "reason line workspace_bytes lax_us gridwise_us", defaults=(None, 0, None, None))):
    """A decision. `line` is the plan's text, or None if lax computes. Times are microseconds, or None if nothing was measured."""

    __slots__ = ()

    @classmethod
    def of(cls, plan, reason, *times):
        return cls(reason, plan.line, plan.workspace_bytes, *times)

    @property
    def by(self):
        return "lax" if self.line is None else "gridwise"


class Row(collections.namedtuple("Row", "problem by reason lax_us gridwise_us")):
    """One decision: the problem, "gridwise" or "lax", why or by which kernel, and microseconds of both if they were measured."""

    __slots__ = ()


class Report(list):
    """A list of Rows that prints as a table."""

    def __str__(self):
        lines = [f"{'who':8} {'lax':>9} {'gridwise':>9}  what; why"]
        for row in sorted(self, key=lambda row: row.problem):
            times = ("-" if us is None else f"{us:.1f} us" for us in (row.lax_us, row.gridwise_us))
            lines.append(f"{row.by:8} {' '.join(f'{text:>9}' for text in times)}  {row.problem}; {row.reason}")
        taken = sum(row.by == "gridwise" for row in self)
        lines.append(f"Gridwise computes {taken} of {len(self)}.")
        return "\n".join(lines)


class Decider:
    """Makes the decisions of a process. `policy` is "measure", "model" or "always", see configure(); `file` is a File or None; `off` leaves
    everything to lax."""

    def __init__(self):
        self.policy, self.file, self.off = "measure", File(default_path("jax")), is_off("jax")
        self.choices = {}  # by platform and question
        self.refusals = {}  # reasons, by what was not asked
        self._lock = threading.RLock()

    def choose(self, question, platform):
        with self._lock:
            if (platform, question) not in self.choices:
                self.choices[platform, question] = self._decide(question, platform)
            return self.choices[platform, question]

    def _decide(self, question, platform):
        if call.library is None:
            return Choice("there is no libgridwise_jax.so")
        try:
            device = jax.local_devices(backend=platform)[0]
        except RuntimeError:
            return Choice(f"there is no device of {platform} here to plan for")
        # In another thread: JAX has state per thread, and this one is compiling.
        answer = []
        thread = threading.Thread(target=lambda: answer.append(self._asked(question, device)), daemon=True)
        thread.start()
        thread.join(WAIT_S)
        if answer:
            return answer[0]
        if thread.is_alive():
            self.policy = "model"
            return Choice(f"it was not decided in {WAIT_S} s; other decisions are made without measurements now")
        return Choice("the decision failed; the error is on standard error")

    def _asked(self, question, device):
        try:
            gridwise.use_device(target_of(device))
            return self._stored(question, device) or self._choose_plan(question, device)
        except (gridwise.GridwiseError, ValueError) as error:
            return Choice(f"Gridwise: {error}")
        except jax.errors.JaxRuntimeError as error:
            return Choice(f"nothing could be measured: {str(error).splitlines()[0]}")

    def _choose_plan(self, question, device):
        problem = question.problem()
        first = problem.plan()
        if first.is_fallback and self.policy != "always":
            return Choice(SLOW)
        # All processes of a program must compile the same code; measurements could differ.
        if self.policy != "measure" or jax.process_count() > 1:
            return Choice.of(first, f"{first.instance}, first by estimate")
        plan = _fastest(problem) or first
        lax_us, gridwise_us = microseconds(question, plan, device)
        if gridwise_us < ADVANTAGE * lax_us:
            choice = Choice.of(plan, plan.instance, lax_us, gridwise_us)
        else:
            choice = Choice(NO_FASTER, None, 0, lax_us, gridwise_us)
        if self.file:
            self.file.store({"key": _key(question, device), "us": [lax_us, gridwise_us], "plan": choice.line})
        return choice

    def _stored(self, question, device):
        said = self.file and self.policy == "measure" and self.file.find(_key(question, device))
        if not said:
            return None
        if said["plan"] is None:
            return Choice(NO_FASTER, None, 0, *said["us"])
        plan = gridwise.parse_plan(question.problem(), said["plan"])
        return Choice.of(plan, plan.instance, *said["us"])


decider = Decider()


def target_of(device):
    """The target of a GPU of JAX, e.g. "sm_90a" or "gfx942"."""
    capability = device.compute_capability
    if capability.startswith("gfx"):
        return capability.split(":")[0]
    major, minor = capability.split(".")
    return f"sm_{major}{minor}" + ("a" if int(major) >= 9 else "")


def _key(question, device):
    """The key of a measurement: the question, the device and the versions."""
    versions = f"gridwise {gridwise.version()}, jaxlib {jaxlib.__version__}, {device.client.platform_version.split()[-1]}"
    return f"{question} | {device.device_kind}, {versions}"


def _fastest(problem):
    """Measures the first plans and returns the fastest; None if memory does not suffice or there is only the fallback."""
    sizes = [problem.bytes_of(name) for name in ("a", "b", "out")]
    try:
        plans, _ = problem.tune(*map(gridwise.Buffer, sizes), n=PLANS)
    except gridwise.ResourceExhaustedError:
        return None
    return next((plan for _, plan in plans if not plan.is_fallback), None)


def microseconds(question, plan, device):
    """Measures lax and a plan. Each is timed in a program of several such convolutions with separate operands, so that caches hold little
    from the last run and the host stays ahead of the device. The two alternate; the results are medians."""
    ways = (
        lambda a, b: call.by_lax(question, a, b),
        lambda a, b: call.by_plan(question, plan.line, plan.workspace_bytes, a, b),
    )
    bytes_ = sum(math.prod(shape) for shape, _ in question.arrays) * TYPE_BYTES[TYPES[question.dtype]]
    copies = max(1, min(MAX_COPIES, COPIED_BYTES // bytes_))
    shapes = [shape for shape, _ in question.arrays[:2]]
    with jax.default_device(device):
        operands = [[_random(shape, question.dtype, seed + 2 * i) for seed, shape in enumerate(shapes)] for i in range(copies)]

    def compiled(way):
        return jax.jit(lambda pairs: [way(a, b) for a, b in pairs]).lower(operands).compile()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        programs = list(pool.map(compiled, ways))
    for program in programs:
        _seconds(program, operands, 1)
    runs = [max(1, math.ceil(RUN_S / max(_seconds(program, operands, 1), 1e-6))) for program in programs]
    times = [[], []]
    for _ in range(SAMPLES):
        for program, n, measured in zip(programs, runs, times):
            measured.append(_seconds(program, operands, n) / n)
    return [1e6 * statistics.median(measured) / copies for measured in times]


def _seconds(program, operands, runs):
    begin = time.perf_counter()
    for _ in range(runs):
        results = program(operands)
    jax.block_until_ready(results)
    return time.perf_counter() - begin


def _random(shape, dtype, seed):
    return _normal(jax.random.key(seed), shape, dtype)


_normal = jax.jit(jax.random.normal, static_argnums=(1, 2))


def configure(decide="measure", cache=None):
    """Says how convolutions of programs that are compiled later are decided, in the whole process:

        "measure"  by a measurement of both sides, which takes seconds for each new convolution or gradient, mostly for compiling, and
                   is kept in a file for other processes. Where JAX runs in several processes, "model"
        "model"    Gridwise, by its first plan, unless that is the fallback for any problem: the same in every run
        "always"   Gridwise, even where it is slow; for tests

    `cache` is the path of the file; the default is $GRIDWISE_JAX_CACHE or ~/.cache/gridwise/jax.jsonl, and False means none. lax computes
    whatever Gridwise does not; report() says why. The environment variable GRIDWISE_JAX=off leaves all to lax. Raises ValueError if
    `decide` is none of these."""
    if decide not in POLICIES:
        raise ValueError(f"decide is {decide!r}; must be one of {', '.join(POLICIES)}")
    path = default_path("jax") if cache is None else cache
    if decide != decider.policy or (decider.file and decider.file.path) != (path or None):
        decider.policy, decider.file = decide, File(path) if path else None
        forget()


def forget():
    """Drops all decisions of this process. Programs that are compiled keep theirs: jax.clear_caches() drops them."""
    decider.choices.clear()
    decider.refusals.clear()


def report():
    """Returns the decisions of this process, Rows that print as a table."""
    rows = Report(
        Row(str(question), choice.by, choice.reason, choice.lax_us, choice.gridwise_us)
        for (_, question), choice in decider.choices.items()
    )
    rows.extend(Row(what, "lax", why, None, None) for what, why in decider.refusals.items())
    return rows
