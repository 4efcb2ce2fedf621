# SPDX-License-Identifier: MIT
"""Devices that launch and measure: a GPU with PyTorch's stream and allocator, or the simulator for tensors of the CPU."""

import contextlib
import math
import statistics

import torch

import gridwise

NOTHING = contextlib.nullcontext()
FLUSHED_BYTES = 256 << 20  # more than an L2 cache has


class Gpu:
    """PyTorch's device "cuda" with an index, also in PyTorch for ROCm."""

    clock = "device"

    def __init__(self, index):
        self.index = index
        torch.cuda.init()
        self.name = torch.cuda.get_device_name(index)

    def entered(self):
        """Makes the device the current one, which plans and launches require."""
        return NOTHING if torch._C._cuda_getDevice() == self.index else torch.cuda.device(self.index)

    def is_capturing(self):
        return torch.cuda.is_current_stream_capturing()

    def launch(self, executable, a, b, out, *epilogue):
        bytes_ = executable.plan.workspace_bytes
        # On the current stream, in whose order the allocator reuses the memory.
        workspace = torch.empty(bytes_, dtype=torch.uint8, device=out.device) if bytes_ else None
        executable.launch(
            gridwise.Tensors(*(tensor.data_ptr() for tensor in (a, b, out, *epilogue))),
            workspace.data_ptr() if bytes_ else None,
            bytes_,
            torch._C._cuda_getCurrentRawStream(self.index),
        )

    def microseconds(self, functions, samples=7, ahead=10):
        """The median time of each function on the device; they alternate. Before each call 256 MB are written (0.1 ms), so that caches hold
        nothing from the last one. Before each round that is done `ahead` times, so that the host is ahead of the device. Times do not
        count if the device had to wait for a kernel."""
        flushed = torch.empty(FLUSHED_BYTES, dtype=torch.uint8, device=torch.device("cuda", self.index))
        events = [[] for _ in functions]
        for function in functions:
            function()  # loads kernels, and lets cuDNN choose
        for _ in range(3 * samples):
            for _ in range(ahead):
                flushed.zero_()
            for function, measured in zip(functions, events):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                flushed.zero_()
                begin.record()
                function()
                is_late = begin.query()
                end.record()
                if not is_late:
                    measured.append((begin, end))
            if all(len(measured) >= samples for measured in events):
                break
        torch.cuda.synchronize(self.index)
        times = [[1e3 * begin.elapsed_time(end) for begin, end in measured] for measured in events]
        return [statistics.median(measured) if measured else math.inf for measured in times]


class Simulator:
    """The simulator as the GPU for tensors of the CPU, which are copied. Its times are the planner's estimates, and aten's are
    unknown."""

    clock = "estimate"

    def __init__(self, target):
        self.index, self.name = None, f"{target}, simulated"
        self.target = target

    def entered(self):
        gridwise.use_device(self.target)  # for this thread: autograd has its own
        return NOTHING

    def is_capturing(self):
        return False

    def launch(self, executable, a, b, out, *epilogue):
        def bytes_of(tensor):  # as they lie in memory, in whatever order
            return tensor.detach().as_strided((tensor.numel(),), (1,)).view(torch.uint8).numpy().tobytes()

        a, b, *epilogue = (gridwise.Buffer.of(bytes_of(tensor)) for tensor in (a, b, *epilogue))
        result = gridwise.Buffer.of(b"\xff" * (out.numel() * out.element_size()))
        workspace = gridwise.Buffer(executable.plan.workspace_bytes)
        executable(a, b, result, workspace, *epilogue)
        gridwise.synchronize()
        data = torch.frombuffer(bytearray(result.tobytes()), dtype=out.dtype)
        out.as_strided((out.numel(),), (1,)).copy_(data)
