# SPDX-License-Identifier: MIT
"""Bazel 7 has the rule built in."""

sh_test = native.sh_test
