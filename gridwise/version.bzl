# SPDX-License-Identifier: MIT
"""Gridwise's version. MODULE.bazel, which can load nothing, has it too; .ci/lint.py compares them."""

VERSION = "0.2.0"

# The first number of the ABI of gridwise/c: programs run with any later library of the same one.
SONAME = "libgridwise.so.0"
