# SPDX-License-Identifier: MIT
"""What --//tools/config:families, :directions and :types choose from."""

FAMILIES = [
    "tile",
    "direct",
    "ck",
    "hopper",
]

DIRECTIONS = [
    "fwd",
    "bwd_data",
    "bwd_weight",
]

# Types of operands: the names that users write, and those in lists of instances.
TYPES = {
    "f16": "kF16",
    "bf16": "kBF16",
    "f32": "kF32",
    "i8": "kI8",
    "f8e4m3fn": "kF8E4M3",
    "f8e4m3fnuz": "kF8E4M3Fnuz",
    "f8e5m2": "kF8E5M2",
    "f8e5m2fnuz": "kF8E5M2Fnuz",
    "tf32": "kTF32",
}
