"""The GPU targets of this repository. Facts of a target that code needs are in ck/arch/target.h."""

ALL_TARGETS = ["gfx942"]
