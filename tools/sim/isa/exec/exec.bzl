# SPDX-License-Identifier: MIT
"""Handlers compiled once per x86 level and chosen when the simulator starts."""

load("@rules_cc//cc:defs.bzl", "cc_library")

_LEVELS = {
    "v1": ["-march=x86-64"],
    "v3": ["-march=x86-64-v3"],
    "v4": [
        "-march=x86-64-v4",
        "-mprefer-vector-width=512",
    ],
}

LEVELS = _LEVELS.keys()

# Every product and sum is rounded as the instruction says: never fused, never reordered.
_COPTS = [
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-stack-protector",
    "-fomit-frame-pointer",
]

def for_levels(item):
    """Lists `item` for each level in --//tools/sim/isa:levels.

    Args:
      item: a string in which {level} and {LEVEL} stand for the level's name.

    Returns:
      The list, as a select.
    """
    wanted = []
    for level in _LEVELS:
        wanted = wanted + select({
            "//tools/sim/isa:want_" + level: [item.format(level = level, LEVEL = level.upper())],
            "//conditions:default": [],
        })
    return wanted

def exec_library(name, srcs, hdrs = [], deps = [], **kwargs):
    """A cc_library of handler files for every level, under the namespace that GRIDWISE_SIM_LEVEL names (see uop.h)."""
    for level, march in _LEVELS.items():
        cc_library(
            name = "%s_%s" % (name, level),
            srcs = srcs,
            hdrs = hdrs,
            copts = _COPTS + march,
            local_defines = ["GRIDWISE_SIM_LEVEL=exec_level_" + level],
            tags = ["manual"],  # a build of everything builds the levels that are wanted
            deps = deps,
            visibility = ["//visibility:private"],
        )
    cc_library(
        name = name,
        deps = for_levels(name + "_{level}"),
        **kwargs
    )
