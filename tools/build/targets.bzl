# SPDX-License-Identifier: MIT
"""The GPU targets of this repository. Facts of a target that code needs are in core/arch/targets."""

# AMD targets that a build is for unless it names others.
DEFAULT_TARGETS = [
    "gfx942",
    "gfx950",
    "gfx1100",
    "gfx1201",
]

# All AMD targets, which the simulator executes: nothing is compiled for the others unless they are asked for, as with
# --config=gfx90a.
AMD_TARGETS = DEFAULT_TARGETS + ["gfx90a"]

# Those that need a device: nothing is built for them unless they are asked for, as with --config=sm_90a.
NVIDIA_TARGETS = ["sm_90a"]

ALL_TARGETS = AMD_TARGETS + NVIDIA_TARGETS

# Families of AMD targets: code that is compiled for the family's name runs on all of its processors. A target's kernels are
# compiled for the target by default, and for the family or another of its processors where //tools/config:targets names that.
# Source: LLVM AMDGPUUsage, "Generic Processors".
PROCESSOR_FAMILIES = {
    "gfx11-generic": struct(
        target = "gfx1100",
        processors = ["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"],
    ),
    "gfx12-generic": struct(
        target = "gfx1201",
        processors = ["gfx1200", "gfx1201"],
    ),
}

# What kernels can be compiled for -> the target whose kernels they are.
TARGET_OF = {target: target for target in ALL_TARGETS} | {
    processor: family.target
    for name, family in PROCESSOR_FAMILIES.items()
    for processor in [name] + family.processors
}

# Those whose code is changed between compiler and assembler: split_duals.awk says why.
TARGETS_BY_ASSEMBLY = ["gfx1100"]

def built_targets():
    """The AMD targets that this build is for: a program for all of them has code for these.

    Returns:
      a value for an attribute of a rule.
    """
    targets = []
    for target in AMD_TARGETS:
        targets = targets + select({
            Label("//tools/config:want_" + target): [target],
            "//conditions:default": [],
        })
    return targets

def with_kernels_of(targets, own_code = False):
    """What is of kernels for targets is left out where none are built for one of them.

    Args:
      targets: GPU targets.
      own_code: whether kernels that are built for a family or another of its processors do not count.

    Returns:
      a value for target_compatible_with.
    """
    constraints = []
    for target in targets:
        constraints = constraints + select({
            Label("//tools/config:" + ("compile_for_" if own_code else "want_") + target): [],
            "//conditions:default": ["@platforms//:incompatible"],
        })
    return constraints
