# SPDX-License-Identifier: MIT
"""The simulator's HIP library, by ctypes, and code objects made by clang."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile

LAUNCH_BUFFER = ctypes.c_void_p(1)  # HIP_LAUNCH_PARAM_...
LAUNCH_SIZE = ctypes.c_void_p(2)
LAUNCH_END = ctypes.c_void_p(3)


class Fault(Exception):
    """What the simulator refused, in its words."""


class Hip:
    """A process's devices, one of each target in `targets`."""

    def __init__(self, path, targets):
        self.path, self.targets, self.library = path, targets, None

    def open(self):
        """Loads the library, in the process that is to use it: its threads do not survive a fork."""
        os.environ["GRIDWISE_SIM_DEVICES"] = ",".join(self.targets)
        self.library = ctypes.CDLL(self.path)
        self.library.gridwiseSimLastFault.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error != 0:
            sentence = self.library.gridwiseSimLastFault().decode() or f"{name} returns {error}"
            raise Fault(sentence)

    def select(self, target):
        self.call("hipSetDevice", self.targets.index(target))

    def allocate(self, contents):
        """Device memory with these bytes; reset() frees it."""
        pointer = ctypes.c_void_p()
        self.call("hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(len(contents)))
        self.call("hipMemcpy", pointer, contents, ctypes.c_size_t(len(contents)), 1)
        return pointer

    def read(self, pointer, bytes_):
        contents = ctypes.create_string_buffer(bytes_)
        self.call("hipMemcpy", contents, pointer, ctypes.c_size_t(bytes_), 2)
        return contents.raw

    def run(self, code_object, kernel, blocks, threads, arguments):
        """Launches and waits. `arguments` are the bytes of the kernel's argument segment."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("hipModuleLoadData", ctypes.byref(module), code_object)
        self.call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        size = ctypes.c_size_t(len(arguments))
        extra = (ctypes.c_void_p * 5)(
            LAUNCH_BUFFER, ctypes.cast(arguments, ctypes.c_void_p), LAUNCH_SIZE,
            ctypes.cast(ctypes.byref(size), ctypes.c_void_p), LAUNCH_END)
        self.call("hipModuleLaunchKernel", function, *blocks, *threads, 0, None, None, extra)
        self.call("hipDeviceSynchronize")
        self.call("hipModuleUnload", module)

    def reset(self):
        """Frees everything on the device, and lets it go on after a fault."""
        self.library.hipDeviceReset()


@functools.cache
def compile_code_object(source, language, target, *options):
    """The code object of `source`, a text in clang's `language` ("assembler", "ir"), for `target`."""
    clang = os.environ.get("CLANG") or shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "kernel.co")
        command = [clang, "-x", language, "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", "-nogpulib",
                   *options, "-", "-o", output]
        done = subprocess.run(command, input=source.encode(), capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace").strip())
        with open(output, "rb") as file:
            return file.read()
