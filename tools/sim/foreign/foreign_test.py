#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""That the two commands tell right results from wrong ones, on sources of our own in their form."""

import contextlib
import importlib
import io
import os
import sys
import tempfile
import unittest

import fuzzx
import tinygrad_tests
from hip import Hip

LIBRARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
KERNEL = """; RUN-INPUTS: 5 0x10
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @fuzz_kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %index = zext i32 %item to i64
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %index
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %index
  %x = load i32, ptr addrspace(1) %from
  %y = mul i32 %x, 3
  store i32 %y, ptr addrspace(1) %to
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx950" }
"""
HELPERS = """
import struct
USE_HW = False
def get_gpu_target(): return (0, 0, 0)
def words(*code): return struct.pack(f"<{len(code)}I", *code)
"""
# s_load_b64 s[4:5], s[0:1], 0x0; s_waitcnt 0; v_mov_b32 v1, 7; v_mov_b32 v2, 0; global_store_b32 v2, v1, s[4:5]; s_endpgm
TEST_RDNA = """
import ctypes, unittest
from test.amd.hw.helpers import *
from test.mockgpu.amd.emu import run_asm
class TestStore(unittest.TestCase):
  def run_code(self, first):
    out, code = (ctypes.c_uint32 * 1)(), words(*first, 0xf4040100, 0xf8000000, 0xbf89fc07, 0x7e020287, 0x7e040280, 0xdc6a0000,
                                               0x00040102, 0xbfb00000)
    arguments, code = ctypes.c_uint64(ctypes.addressof(out)), ctypes.create_string_buffer(code)
    run_asm(ctypes.addressof(code), len(code) - 1, 1, 1, 1, 1, 1, 1, ctypes.addressof(arguments))
    return out[0]
  def test_right(self): self.assertEqual(self.run_code([]), 7)
  def test_wrong(self): self.assertEqual(self.run_code([]), 8)
  def test_refused(self): self.run_code([0xffffffff])
  def test_of_another_gpu(self): self.run_code([0x7e0002fa, 0xff014200])  # v_mov_b32 v0, v0 row_bcast:15
"""
TEST_CDNA = """
import unittest
from test.amd.hw.helpers import *
LANES = 1
# s_mov_b32 s4, low; s_mov_b32 s5, high; v_mov_b32 v1, 9; v_mov_b32 v2, 0; global_store_dword v2, v1, s[4:5]; s_endpgm
def _code(instructions, out_reg=2, out_addr=None):
  return words(0xbe8400ff, out_addr & 0xffffffff, 0xbe8500ff, out_addr >> 32, 0x7e020289, 0x7e040280, 0xdc708000, 0x00040102,
               0xbf810000)
class TestCdna(unittest.TestCase):
  def test_store(self): self.assertEqual(_run_emu([]), 9)
"""


def write(folder, path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class FuzzxTest(unittest.TestCase):
    def test_reads_notes(self):
        notes = "[0] input=0x00000005 O0=0x1 O2=0x2 mismatch=true\n| HEAD | Reproduces: lane 1 `O0=0x3`, `O2=0x4`. |\nO0=0x5 ; why\nO2=0x6\n"
        self.assertEqual(fuzzx.recorded_results(notes, [5, 6]), [(0, 1, 2), (1, 3, 4), (None, 5, 6)])
        self.assertEqual(fuzzx.recorded_results("O0=0x5\nO2=0x6", [5]), [(0, 5, 6)])
        self.assertEqual(fuzzx.inputs_of("; RUN-INPUTS: 1,0x10*2 3"), [1, 16, 16, 3])

    def test_compares(self):
        recorded = [(0, 1, 2), (None, 5, 6)]
        self.assertEqual(fuzzx.compare([(1, 5), (2, 6)], recorded)[0], "pair")
        self.assertEqual(fuzzx.compare([(1, 5), (1, 6)], recorded)[0], "value")
        self.assertEqual(fuzzx.compare([(1, 5), (3, 6)], recorded)[0], "other")
        self.assertEqual(fuzzx.compare([(1, 5), (2, 7)], recorded)[0], "other")

    def run_programs(self, *notes):
        """Runs the kernel once for each of the notes."""
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(notes):
                write(folder, f"amdgpu/known-miscompiles/m{number}/reduced.ll", KERNEL)
                write(folder, f"amdgpu/known-miscompiles/m{number}/NOTES.md", text)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                ok = fuzzx.main(Hip(LIBRARY, ("gfx950",)), folder)
            return ok, said.getvalue()

    def test_runs_programs(self):
        right = "[0] input=0x5 O0=0xf O2=0xf\n[1] input=0x10 O0=0x30 O2=0x30\n"
        ok, said = self.run_programs(right)
        self.assertTrue(ok, said)
        self.assertIn("| pair | 1 |", said)
        ok, said = self.run_programs(right, "[1] input=0x10 O0=0x31 O2=0x31\n", "")
        self.assertFalse(ok, said)
        for line in ("| pair | 1 |", "| other | 1 |", "| ran | 1 |",
                     "input 1: 0x00000030, 0x00000030; recorded 0x00000031, 0x00000031"):
            self.assertIn(line, said)


class TinygradTest(unittest.TestCase):
    def test_runs_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            for package in ("test", "test/amd", "test/amd/hw"):
                write(folder, f"{package}/__init__.py", "")
            write(folder, "test/amd/hw/helpers.py", HELPERS)
            write(folder, "test/amd/hw/test_rdna.py", TEST_RDNA)
            write(folder, "test/amd/hw/test_cdna_vop3.py", TEST_CDNA)
            for name in [name for name in sys.modules if name == "test" or name.startswith("test.")]:
                del sys.modules[name]
            importlib.invalidate_caches()
            with contextlib.redirect_stdout(io.StringIO()) as said:
                ok = tinygrad_tests.main(Hip(LIBRARY, ("gfx950", "gfx1100", "gfx1201")), folder)
        self.assertFalse(ok)
        self.assertIn("| test_cdna_vop3 | 1 | 0 | 0 | 0 | 0 | 0 |", said.getvalue())
        self.assertIn("| test_rdna | 1 | 1 | 1 | 1 | 0 | 0 |", said.getvalue())
        self.assertIn("0xffffffff is not an instruction", said.getvalue())


if __name__ == "__main__":
    unittest.main()
