# SPDX-License-Identifier: MIT
"""Gridwise in JAX.

    from gridwise.jax import conv_general_dilated       # with the arguments of jax.lax.conv_general_dilated
    y = conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    print(gridwise.jax.report())                        # where each convolution went, and why

    flax.linen.Conv(64, (3, 3), conv_general_dilated=conv_general_dilated)

It works under jit, grad to any order (forward and reverse mode), vmap, checkpoint, scan and shard_map. Arrays that are sharded along the
batch stay so. When a program is compiled for a GPU, each convolution and each gradient goes to the faster of Gridwise and XLA's own.
"""

from gridwise.jax.choices import Report, Row, configure, forget, report
from gridwise.jax.ops import conv_general_dilated

__all__ = ["Report", "Row", "configure", "conv_general_dilated", "forget", "report"]
