# SPDX-License-Identifier: MIT
"""The bzlmod face of configure.bzl."""

load(":configure.bzl", "gridwise_system_repositories")

system = module_extension(implementation = lambda _mctx: gridwise_system_repositories())
