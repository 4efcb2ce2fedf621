"""What --//tools/config:families, :directions, :types and :rows choose from."""

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

# Of operands: as users name them, and as lists of rows do.
TYPES = {
    "f16": "kF16",
    "bf16": "kBF16",
    "f32": "kF32",
    "i8": "kI8",
    "f8e4m3fn": "kF8E4M3",
    "f8e4m3fnuz": "kF8E4M3Fnuz",
    "f8e5m2": "kF8E5M2",
    "f8e5m2fnuz": "kF8E5M2Fnuz",
}

# By value of :rows, which rows of a family are built one in SAMPLED_ONE_IN; of others all are. The smoke tier samples rows of
# bf16, whose kernels are those of f16 but for the type. An op of the classic family has few.
SAMPLED_ROWS = {
    "all": {},
    "smoke": {
        "direct": "[.]type = kBF16,",
        "tile": "[.]type = kBF16,",
    },
}

SAMPLED_ONE_IN = 4
