#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What write_wheel.py writes is a wheel (PEP 427), and it refuses libraries that a system of the tag may not load."""

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

WRITER, SMALL, SHARED = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)


class WheelTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        os.makedirs(os.path.join(self.folder, "root", "gridwise", "torch"))
        for path, text in {
            "root/gridwise/__init__.py": "a = 1\n",
            "root/gridwise/torch/__init__.py": "",
            "LICENSE": "yes\n",
            "README.md": "# Title\n",
        }.items():
            with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
                file.write(text)

    def write(self, library=SMALL, platform="manylinux_2_34_x86_64", version="1.2.3"):
        """The path of the wheel, or what is said in place of it."""
        at = lambda name: os.path.join(self.folder, name)
        out = at(f"gridwise-{version}-py3-none-{platform}.whl")
        options = {"out": out, "library": library, "license": at("LICENSE")}
        options |= {"readme": at("README.md"), "root": at("root"), "extension": f"gridwise/torch={SMALL}"}
        sources = [at("root/gridwise/torch/__init__.py"), at("root/gridwise/__init__.py")]
        done = subprocess.run([WRITER, *(f"--{k}={v}" for k, v in options.items()), *sources], capture_output=True, text=True)
        return out if done.returncode == 0 else done.stderr.strip()

    def test_files_and_record(self):
        out = self.write()
        with zipfile.ZipFile(out) as wheel:
            self.assertEqual(
                set(wheel.namelist()),
                {"gridwise/__init__.py", "gridwise/torch/__init__.py", "gridwise/libgridwise.so"}
                | {"gridwise/torch/" + os.path.basename(SMALL)}
                | {"gridwise-1.2.3.dist-info/" + name for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")},
            )
            recorded = dict(line.split(",", 1) for line in wheel.read("gridwise-1.2.3.dist-info/RECORD").decode().splitlines())
            self.assertEqual(set(recorded), set(wheel.namelist()))
            for name, said in recorded.items():
                data = wheel.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual(said, "," if name.endswith("RECORD") else f"sha256={digest},{len(data)}")
            self.assertIn("Tag: py3-none-manylinux_2_34_x86_64\n", wheel.read("gridwise-1.2.3.dist-info/WHEEL").decode())
            self.assertIn("\nVersion: 1.2.3\n", wheel.read("gridwise-1.2.3.dist-info/METADATA").decode())

    def test_the_same_again(self):
        with open(self.write(), "rb") as first:
            data = first.read()
        with open(self.write(), "rb") as second:
            self.assertEqual(second.read(), data)

    def test_a_library_of_a_newer_glibc(self):
        said = self.write(platform="manylinux_2_1_x86_64")
        self.assertRegex(said, "wants GLIBC_.*; manylinux_2_1_x86_64 promises no glibc after 2.1")

    def test_a_library_that_wants_others(self):
        self.assertRegex(self.write(library=SHARED), r"the library wants lib\w+\.so.*, which is not of manylinux_2_34_x86_64")


if __name__ == "__main__":
    unittest.main()
