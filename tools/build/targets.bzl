"""The GPU targets of this repository. Facts of a target that code needs are in core/arch/target.h."""

ALL_TARGETS = [
    "gfx942",
    "gfx950",
    "gfx1100",
    "gfx1201",
]

# Those that convolution kernels are compiled for.
CONV_TARGETS = ALL_TARGETS

# Those that the simulator's own kernels are tested on.
SIM_TEST_TARGETS = ALL_TARGETS
