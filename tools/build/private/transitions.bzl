# SPDX-License-Identifier: MIT
"""Transitions on //tools/config:gfx, the target or processor that device code is compiled for."""

load("//tools/build:targets.bzl", "TARGET_OF")

def _one_impl(_settings, attr):
    return {"//tools/config:gfx": attr.gfx}

gfx_transition = transition(implementation = _one_impl, inputs = [], outputs = ["//tools/config:gfx"])

def _split_impl(settings, attr):
    wanted = settings["//tools/config:targets"]
    for target in wanted:
        if target not in TARGET_OF:
            fail("//tools/config:targets: unknown GPU target '%s'; known: %s" % (target, ", ".join(TARGET_OF.keys())))
    return {p: {"//tools/config:gfx": p} for p, target in TARGET_OF.items() if target in attr.targets and p in wanted}

split_transition = transition(
    implementation = _split_impl,
    inputs = ["//tools/config:targets"],
    outputs = ["//tools/config:gfx"],
)
