#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a wheel (PEP 427), the same for the same inputs, and refuses a library that its platform tag promises too much of."""

import argparse
import base64
import hashlib
import os
import re
import sys
import zipfile

# Libraries that every system of a manylinux tag has (PEP 600), and that this one may want.
COMMON = {
    *("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"),
    *("libgcc_s.so.1", "libstdc++.so.6"),
}
DATE = (2020, 1, 1, 0, 0, 0)

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: Grouped convolution kernels for AMD GPUs and NVIDIA Hopper, for PyTorch, JAX and by themselves
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.9
Provides-Extra: jax
Requires-Dist: jax>=0.11; extra == "jax"
Provides-Extra: torch
Requires-Dist: torch>=2.11; extra == "torch"
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: gridwise
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def dynamic_strings(library):
    """The strings of .dynstr: names of libraries and of versions are among them (System V ABI, "Dynamic Section")."""
    number = lambda at, size: int.from_bytes(library[at : at + size], "little")
    sections, size, count = number(0x28, 8), number(0x3A, 2), number(0x3C, 2)
    for i in range(count):
        at = sections + i * size
        if number(at + 4, 4) == 11:  # SHT_DYNSYM, whose link is the strings
            strings = sections + number(at + 40, 4) * size
            start = number(strings + 24, 8)
            return library[start : start + number(strings + 32, 8)].decode("ascii", "replace").split("\0")
    raise SystemExit("the library has no dynamic symbols")


def check(library, platform):
    """Ends with a sentence where a system of the tag may lack what the library wants."""
    strings = dynamic_strings(library)
    glibc = tuple(map(int, re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", platform).groups()))
    for string in strings:
        version = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", string)
        if version and tuple(map(int, version.groups())) > glibc:
            raise SystemExit(f"the library wants {string}; {platform} promises no glibc after {glibc[0]}.{glibc[1]}")
        if re.fullmatch(r"[\w+-]+\.so(\.\d+)*", string) and string not in COMMON and not string.startswith("libgridwise"):
            raise SystemExit(f"the library wants {string}, which is not of {platform}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("out", "library", "license", "readme", "root"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--extension", action="append", default=[], metavar="FOLDER=LIBRARY")
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    name, version, _, _, platform = os.path.basename(options.out).removesuffix(".whl").split("-")
    read = lambda path: open(path, "rb").read()

    library = read(options.library)
    check(library, platform)

    info = f"{name}-{version}.dist-info"
    files = {os.path.relpath(source, options.root): read(source) for source in options.sources}
    package = min(files, key=len).split("/")[0]
    files[f"{package}/lib{package}.so"] = library
    for extension in options.extension:
        folder, _, path = extension.partition("=")
        files[f"{folder}/{os.path.basename(path)}"] = read(path)
        check(read(path), platform)
    metadata = METADATA.format(name=name, version=version, readme=read(options.readme).decode())
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = WHEEL.format(platform=platform).encode()
    files[f"{info}/licenses/LICENSE"] = read(options.license)
    record = []
    with zipfile.ZipFile(options.out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path, data in sorted(files.items(), key=lambda item: (item[0].startswith(info), item[0])):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
            write(out, path, data)
        write(out, f"{info}/RECORD", "".join(record + [f"{info}/RECORD,,\n"]).encode())


def write(out, path, data):
    entry = zipfile.ZipInfo(path, DATE)
    entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
    out.writestr(entry, data)


if __name__ == "__main__":
    sys.exit(main())
