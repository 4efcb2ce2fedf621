# SPDX-License-Identifier: MIT
"""Decides whether Gridwise or aten computes a convolution, once per question. A file that processes share keeps the decisions."""

import ctypes
import math
import threading

import torch

import gridwise
from gridwise._decisions import ADVANTAGE, PLANS, SLOW, File, default_path, is_off
from gridwise.torch import devices

NO_FASTER = "aten was as fast, or faster"


class Choice:
    """A decision. `plan` and `executable` are None if aten computes; `apart` means that the plan leaves bias, residual and relu to
    PyTorch; times are microseconds, or None if nothing was measured; `reason` is a sentence."""

    def __init__(self, question, reason, plan=None, apart=False, times=(None, None)):
        self.question, self.reason, self.plan, self.apart = question, reason, plan, apart
        self.aten_us, self.gridwise_us = times
        self.is_measured = False  # what PyTorch does by something that takes as long
        self.device, self._calls = None, ctypes.c_int64()
        self.executable = None if plan is None else plan.load()
        self.out_shape = None if plan is None else question.out_shape

    @property
    def calls(self):
        """The number of calls that used it."""
        return self._calls.value

    @property
    def calls_address(self):
        """The address of the number of calls, which calls without Python increment."""
        return ctypes.addressof(self._calls)

    def count(self):
        self._calls.value += 1

    @property
    def by(self):
        return "aten" if self.executable is None else "gridwise"


class Decider:
    """Makes the decisions of a process. `policy` is "measure", "model" (the planner's first plan, unless it is the slow path) or "always"
    (the slow path, too, for tests); `file` is a File or None; `off` leaves everything to aten."""

    def __init__(self):
        self.policy, self.file = "measure", File(default_path("torch"))
        self.off = is_off("torch")
        self.choices = {}
        self.norms = {}  # those of gridwise.torch.norms
        self.last = None  # choice that was asked for
        self.simulator = None  # it computes tensors of the CPU
        self._gpus, self._lock = {}, threading.RLock()

    def device_of(self, question):
        if question.device is None:
            return self.simulator
        if question.device not in self._gpus:
            self._gpus[question.device] = devices.Gpu(question.device)
        return self._gpus[question.device]

    def choose(self, question, compute):
        """Returns the decision. `compute(choice)` computes the question by a choice, for measurements."""
        choice = self.choices.get(question)
        if choice is None:
            with self._lock:
                choice = self.choices.get(question) or self._decide(question, compute)
        return choice

    def _decide(self, question, compute):
        if self.off:
            return Choice(question, "the environment variable GRIDWISE_TORCH turns Gridwise off")
        reason = question.refusal()
        device = None if reason else self.device_of(question)
        if device is None:
            choice = Choice(question, reason or "tensors of the CPU")
        elif device.is_capturing():
            # A capture allows neither loading nor measuring; the next call outside of one decides.
            return Choice(question, "a graph is captured before the first call")
        else:
            choice = self._ask(question, device, compute)
        self.choices[question] = choice
        return choice

    def _ask(self, question, device, compute):
        try:
            with device.entered():
                choice = self._stored(question, device) or self._choose_plan(question, device, compute)
                choice.device = device
                if choice.executable is not None and device.clock == "device":
                    compute(choice)  # so that what fails fails here
        except (gridwise.GridwiseError, ValueError) as error:
            choice = Choice(question, f"Gridwise: {error}")
        except torch.OutOfMemoryError:
            choice = Choice(question, "no memory to measure in")
        return choice

    def _choose_plan(self, question, device, compute):
        plans = question.problem().plans(PLANS)
        if plans[0].is_fallback and self.policy != "always":
            return Choice(question, SLOW)
        measures = self.policy == "measure" and not torch.are_deterministic_algorithms_enabled()
        if not measures or device.clock != "device":
            return Choice(question, f"{plans[0].instance}, first by estimate", plans[0])
        candidates = [(plan, False) for plan in plans]
        if question.has_epilogue:
            candidates += [(plan, True) for plan in question.problem(apart=True).plans(PLANS)]
        choice = self._measured(question, device, compute, [c for c in candidates if not c[0].is_fallback])
        if self.file and choice.aten_us is not None:
            line = {"key": self.key(question, device), "us": [choice.aten_us, choice.gridwise_us]}
            self.file.store({**line, "plan": choice.plan and choice.plan.line, "apart": choice.apart})
        return choice

    def _measured(self, question, device, compute, candidates):
        choices = [Choice(question, plan.instance, plan, apart) for plan, apart in candidates]
        by_aten = Choice(question, "")
        tries = [lambda c=c: compute(c) for c in (by_aten, *choices)]
        for choice in (by_aten, *choices):
            choice.device, choice.is_measured = device, True
        with torch.no_grad():
            aten_us, *times = device.microseconds(tries)
        gridwise_us, best = min(zip(times, choices), key=lambda pair: pair[0])
        if math.inf in (aten_us, gridwise_us):
            return Choice(question, "the host is too slow for a measurement")
        if gridwise_us >= ADVANTAGE * aten_us:
            return Choice(question, NO_FASTER, times=(aten_us, gridwise_us))
        best.aten_us, best.gridwise_us, best.is_measured = aten_us, gridwise_us, False
        if best.apart:
            best.reason += ", with what follows apart"
        return best

    def _stored(self, question, device):
        said = self.file and self.policy == "measure" and self.file.find(self.key(question, device))
        if not said or "apart" not in said:
            return None
        if said["plan"] is None:
            return Choice(question, NO_FASTER, times=said["us"])
        plan = gridwise.parse_plan(question.problem(said["apart"]), said["plan"])
        return Choice(question, plan.instance, plan, said["apart"], said["us"])

    def key(self, question, device):
        """The key of a measurement: the question, the device and the versions."""
        cudnn = torch.backends.cudnn
        versions = f"gridwise {gridwise.version()}, torch {torch.__version__}, cudnn {cudnn.version()}"
        return f"{question} | {device.name}, {versions}, benchmark {cudnn.benchmark}, deterministic {cudnn.deterministic}"


decider = Decider()
