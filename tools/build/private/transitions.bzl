# SPDX-License-Identifier: MIT
"""Transitions on //tools/config:gfx, the target or processor that device code is compiled for."""

load("//tools/build:targets.bzl", "PROCESSOR_FAMILIES", "TARGET_OF")

def _one_impl(_settings, attr):
    return {"//tools/config:gfx": attr.gfx}

gfx_transition = transition(implementation = _one_impl, inputs = [], outputs = ["//tools/config:gfx"])

def _split_impl(settings, attr):
    wanted = settings["//tools/config:targets"]
    for target in wanted:
        if target not in TARGET_OF:
            fail("//tools/config:targets: unknown GPU target '%s'; known: %s" % (target, ", ".join(TARGET_OF.keys())))
    chosen = [p for p, target in TARGET_OF.items() if target in attr.targets and p in wanted]
    if attr.families:
        targets = [TARGET_OF[p] for p in chosen]
        chosen = chosen + [f for f in PROCESSOR_FAMILIES if TARGET_OF[f] in targets and f not in chosen]
    return {p: {"//tools/config:gfx": p} for p in chosen}

split_transition = transition(
    implementation = _split_impl,
    inputs = ["//tools/config:targets"],
    outputs = ["//tools/config:gfx"],
)
