# SPDX-License-Identifier: MIT
"""Transitions on //tools/config:gfx, the target that device code is compiled for."""

load("//tools/build:targets.bzl", "ALL_TARGETS")

def _one_impl(_settings, attr):
    return {"//tools/config:gfx": attr.gfx}

gfx_transition = transition(implementation = _one_impl, inputs = [], outputs = ["//tools/config:gfx"])

def _split_impl(settings, attr):
    wanted = settings["//tools/config:targets"]
    for target in wanted:
        if target not in ALL_TARGETS:
            fail("//tools/config:targets: unknown GPU target '%s'; known: %s" % (target, ", ".join(ALL_TARGETS)))
    return {t: {"//tools/config:gfx": t} for t in attr.targets if t in wanted}

split_transition = transition(
    implementation = _split_impl,
    inputs = ["//tools/config:targets"],
    outputs = ["//tools/config:gfx"],
)
