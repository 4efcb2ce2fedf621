# SPDX-License-Identifier: MIT
"""The GPU targets of this repository. Facts of a target that code needs are in core/arch/targets."""

# Those that the simulator executes.
AMD_TARGETS = [
    "gfx942",
    "gfx950",
    "gfx1100",
    "gfx1201",
]

# Those that need a device: nothing is built for them unless they are asked for, as with --config=sm_90a.
NVIDIA_TARGETS = ["sm_90a"]

ALL_TARGETS = AMD_TARGETS + NVIDIA_TARGETS

# Those that all convolution kernels are compiled for.
CONV_TARGETS = AMD_TARGETS

# Those that the simulator's own kernels are tested on.
SIM_TEST_TARGETS = AMD_TARGETS

# Those whose code is changed between compiler and assembler: split_duals.awk says why.
TARGETS_BY_ASSEMBLY = ["gfx1100"]

def with_kernels_of(targets):
    """What is of kernels for targets is left out where none are built for one of them.

    Args:
      targets: GPU targets.

    Returns:
      a value for target_compatible_with.
    """
    constraints = []
    for target in targets:
        constraints = constraints + select({
            Label("//tools/config:want_" + target): [],
            "//conditions:default": ["@platforms//:incompatible"],
        })
    return constraints
