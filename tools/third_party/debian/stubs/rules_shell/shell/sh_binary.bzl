# SPDX-License-Identifier: MIT
"""Bazel 7 has the rule built in."""

sh_binary = native.sh_binary
