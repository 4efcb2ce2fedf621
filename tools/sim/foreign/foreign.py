#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs other projects' tests whose results were recorded on AMD GPUs on the simulator.

    foreign.py LIBRARY tinygrad FOLDER    test/amd/hw of tinygrad's sources in FOLDER
    foreign.py LIBRARY fuzzx FOLDER       amdgpu/known-miscompiles of FuzzX's sources in FOLDER

LIBRARY is the simulator's libamdhip64.so. Prints a table; the exit code is 1 if a result is another than the recorded one.
"""

import os
import sys

import fuzzx
import tinygrad_tests
from hip import Hip

COMMANDS = {"tinygrad": tinygrad_tests.main, "fuzzx": fuzzx.main}
TARGETS = ("gfx950", "gfx1100", "gfx1201")


def main(arguments):
    if len(arguments) != 3 or arguments[1] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        return 2
    library, command, folder = arguments
    caller = os.environ.get("BAZELW_WORKING_DIRECTORY") or os.environ.get("BUILD_WORKING_DIRECTORY") or ""
    hip = Hip(os.path.abspath(library), TARGETS)
    return 0 if COMMANDS[command](hip, os.path.join(caller, folder)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
