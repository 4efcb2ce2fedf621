# SPDX-License-Identifier: MIT
"""Runs tinygrad's test/amd/hw on the simulator.

A test there is a list of instructions and the registers that it must leave. tinygrad executes it by `run_asm` of its own emulator
(test/mockgpu/amd/emu.py) and, on request, on a GPU; here another `run_asm` stands in for it, with the kernel descriptor that the GPU gets.
"""

import ctypes
import importlib
import os
import struct
import sys
import types
import unittest

from hip import Fault, compile_code_object

TARGETS = {"rdna3": "gfx1100", "rdna4": "gfx1201", "cdna": "gfx950"}
LDS_GRANULE = 512  # unit of the field of COMPUTE_PGM_RSRC2 that run_asm gets
ARGUMENT_BYTES = 8

KERNEL = """
.text
.globl test
.p2align 8
.type test,@function
test:
.fill {code_bytes}, 1, {filler}
.rodata
.p2align 6
.amdhsa_kernel test
  .amdhsa_next_free_vgpr 256
  .amdhsa_next_free_sgpr 96
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_private_segment_fixed_size {scratch}
  {of_target}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: test
    .symbol: test.kd
    .args: [{{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}]
    .kernarg_segment_size: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: {scratch}
    .kernarg_segment_align: 8
    .wavefront_size: {lanes}
    .sgpr_count: 96
    .vgpr_count: 256
    .max_flat_workgroup_size: 1024
...
.end_amdgpu_metadata
"""
FILLER = 0xCC
CODE_BLOCK = 1024


def empty_code_object(target, code_bytes, lds, scratch):
    """One whose kernel `test` is that many bytes of filler."""
    if target.startswith("gfx9"):
        lanes, of_target = 64, ".amdhsa_accum_offset 256"
    else:
        lanes, of_target = 32, ".amdhsa_wavefront_size32 1\n  .amdhsa_enable_private_segment 1"
    source = KERNEL.format(code_bytes=code_bytes, filler=FILLER, lds=lds, scratch=scratch, lanes=lanes, of_target=of_target)
    return compile_code_object(source, "assembler", target)


def assemble(code, target, lds, scratch):
    """A code object whose kernel `test` is `code`."""
    code_bytes = -(-len(code) // CODE_BLOCK) * CODE_BLOCK
    filler = bytes([FILLER]) * code_bytes
    return empty_code_object(target, code_bytes, lds, scratch).replace(filler, code.ljust(code_bytes, b"\0"))


def mapped_bytes(address):
    """How much memory of this process is mapped from `address` on, 64 KiB at most."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            first, end = (int(word, 16) for word in line.split()[0].split("-"))
            if first <= address < end:
                return min(end - address, 65536)
    raise ValueError(f"nothing is mapped at {address:#x}")


def simulated_run_asm(hip):
    """A function with the parameters of tinygrad's run_asm that executes on the simulator."""

    def run_asm(code, code_bytes, gx, gy, gz, lx, ly, lz, arguments, rsrc2=0, scratch_bytes=0, arch="rdna3"):
        target = TARGETS[arch]
        lds = (rsrc2 >> 15 & 0x1FF) * LDS_GRANULE
        code_object = assemble(ctypes.string_at(code, code_bytes), target, lds, scratch_bytes)
        kernel_arguments = ctypes.string_at(arguments, ARGUMENT_BYTES)
        out = struct.unpack("<Q", kernel_arguments)[0]
        hip.select(target)
        try:
            hip.call("hipHostRegister", ctypes.c_void_p(out), ctypes.c_size_t(mapped_bytes(out)), 0)
            hip.run(code_object, "test", (gx, gy, gz), (lx, ly, lz), kernel_arguments)
        finally:
            hip.library.hipHostUnregister(ctypes.c_void_p(out))
            hip.reset()
        return 0

    return run_asm


class Result(unittest.TestResult):
    """Counts, and one line on each test that does not pass.

    fail      registers are others than expected
    fault     the simulator refuses something
    invalid   an instruction is one that the GPU does not have, by LLVM's tables: its text has a comment that says so
    error     the test itself breaks
    skipped   it is for another GPU
    """

    def __init__(self):
        super().__init__()
        self.counts = dict.fromkeys(("pass", "fail", "fault", "invalid", "error", "skipped"), 0)
        self.lines = []

    def say(self, kind, test, text):
        self.counts[kind] += 1
        if kind != "pass":
            name = test.id().removeprefix("test.amd.hw.")
            self.lines.append(f"{kind}: {name}: {text}")

    def addSuccess(self, test):
        self.say("pass", test, "")

    def addFailure(self, test, error):
        self.say("fail", test, " ".join(str(error[1]).split())[:200])

    def addError(self, test, error):
        said = " ".join(str(error[1]).split())
        if not isinstance(error[1], Fault):
            self.say("error", test, f"{error[0].__name__}: {said}"[:400])
        else:
            self.say("invalid" if "/*" in said else "fault", test, said[:400])

    def addSkip(self, test, reason):
        self.say("skipped", test, reason)


def run_cdna_by(run_asm, module):
    """For the emulator's `_run_emu` of test_cdna_vop3, whose code loads the address in a way that no CDNA has: that for GPUs."""

    def run(instructions, out_reg=2):
        out = (ctypes.c_uint32 * module.LANES)()
        address = ctypes.c_uint64(ctypes.addressof(out))
        code = module._code(instructions, out_reg, address.value)
        run_asm(code, len(code), 1, 1, 1, module.LANES, 1, 1, ctypes.addressof(address), arch="cdna")
        return out[0]

    return run


def load_tests(folder, run_asm):
    """Suites by module, with `run_asm` in the emulator's place."""
    sys.path.insert(0, folder)
    sys.modules["test.mockgpu.amd.emu"] = types.SimpleNamespace(run_asm=run_asm)
    helpers = importlib.import_module("test.amd.hw.helpers")
    # Tests for other GPUs are skipped when their modules are imported, but only on hardware.
    helpers.USE_HW, helpers.get_gpu_target = True, lambda: (11, 0, 0)
    names = sorted(name.removesuffix(".py") for name in os.listdir(os.path.join(folder, "test/amd/hw"))
                   if name.startswith("test_"))
    modules = [importlib.import_module(f"test.amd.hw.{name}") for name in names]
    for module in [helpers, *modules]:
        module.USE_HW = False
    cdna = modules[names.index("test_cdna_vop3")]
    cdna._run_emu = run_cdna_by(run_asm, cdna)
    return {name: unittest.defaultTestLoader.loadTestsFromModule(module) for name, module in zip(names, modules)}


def main(hip, folder):
    """Prints a table, and what did not pass. Returns whether there was no failure."""
    hip.open()
    suites = load_tests(folder, simulated_run_asm(hip))
    lines, total = [], Result()
    print("| file | " + " | ".join(total.counts) + " |\n|---|" + "---|" * len(total.counts))
    for name, suite in suites.items():
        result = Result()
        suite.run(result)
        print(f"| {name} | " + " | ".join(str(count) for count in result.counts.values()) + " |", flush=True)
        lines += result.lines
        for kind, count in result.counts.items():
            total.counts[kind] += count
    print("| all | " + " | ".join(str(count) for count in total.counts.values()) + " |")
    print("\n".join(lines))
    return total.counts["pass"] > 0 and not any(total.counts[kind] for kind in ("fail", "fault", "error"))
