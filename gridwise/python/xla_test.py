#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gridwise._xla without JAX: problems computed on the simulator, against XLA's definition of a convolution in plain Python."""

import itertools
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, "gridwise/python")
import gridwise  # noqa: E402
from gridwise import _xla  # noqa: E402
from gridwise._xla import DATA, GROUPS, IMAGES, WEIGHT, Refused, forward, major_to_minor  # noqa: E402

TARGET = os.environ["GRIDWISE_TEST_TARGET"]
NHWC = ("NHWC", "HWIO", "NHWC")


def specs_of(numbers):
    """XLA's dimension numbers of names, as lax.conv_dimension_numbers makes them."""
    lhs, rhs, out = numbers
    space = [axis for axis in rhs if axis not in "OI"]
    return tuple(
        tuple(array.index(axis) for axis in (*names, *space)) for array, names in ((lhs, "NC"), (rhs, "OI"), (out, "NC"))
    )


class Array(dict):
    """Numbers by their index. Others are zero."""

    def __init__(self, shape, values=None):
        super().__init__(zip(itertools.product(*map(range, shape)), values or itertools.repeat(0.0)))
        self.shape = shape

    @classmethod
    def random(cls, shape, seed):
        numbers = random.Random(seed)
        return cls(shape, (float(numbers.randint(-4, 4)) for _ in itertools.count()))

    def permuted(self, axes):
        """With axis i where axes[i] was, as numpy.transpose."""
        moved = Array(tuple(self.shape[axis] for axis in axes))
        for index, value in self.items():
            moved[tuple(index[axis] for axis in axes)] = value
        return moved

    def bytes(self):
        return struct.pack(f"<{len(self)}f", *self.values())  # in the order of the keys


def placed(spec, *values):
    index = [0] * len(spec)
    for axis, value in zip(spec, values):
        index[axis] = value
    return tuple(index)


def convolve(lhs, rhs, specs, strides, padding, lhs_dilation, rhs_dilation, groups):
    """XLA's ConvWithGeneralPadding, straight from its definition, and for each product the indices that meet."""
    lhs_spec, rhs_spec, out_spec = specs
    n, c, *sizes = (lhs.shape[axis] for axis in lhs_spec)
    k, per_group, *taps = (rhs.shape[axis] for axis in rhs_spec)
    assert per_group * groups == c
    space = [
        ((size - 1) * dilation + 1 + low + high - (tap - 1) * r - 1) // s + 1
        for size, tap, s, (low, high), dilation, r in zip(sizes, taps, strides, padding, lhs_dilation, rhs_dilation)
    ]
    out, meetings = Array(placed(out_spec, n, k, *space)), []
    for i, ko, *o in itertools.product(range(n), range(k), *map(range, space)):
        for ci, *t in itertools.product(range(per_group), *map(range, taps)):
            at = [a * s + b * r - low for a, b, s, r, (low, _) in zip(o, t, strides, rhs_dilation, padding)]
            if any(p % d or not 0 <= p // d < size for p, d, size in zip(at, lhs_dilation, sizes)):
                continue
            channel = ko // (k // groups) * per_group + ci
            x, w = placed(lhs_spec, i, channel, *(p // d for p, d in zip(at, lhs_dilation))), placed(rhs_spec, ko, ci, *t)
            y = placed(out_spec, i, ko, *o)
            out[y] += lhs[x] * rhs[w]
            meetings.append((x, w, y))
    return out, meetings


def computed(convolution, a, b):
    """By Gridwise, of arrays that lie as major_to_minor says."""
    *operands, (shape, spec) = convolution.arrays
    uploaded = []
    for array, (expected, axes) in zip((a, b), operands):
        assert array.shape == expected, (array.shape, expected)
        uploaded.append(gridwise.Buffer.of(array.permuted(major_to_minor(axes)).bytes()))
    order = major_to_minor(spec)
    moved = tuple(shape[axis] for axis in order)
    problem = convolution.problem()
    out = gridwise.Buffer(problem.bytes_of("out"))
    with problem.plan().load() as executable:
        executable(*uploaded, out, gridwise.Buffer(executable.plan.workspace_bytes))
        gridwise.synchronize()
        values = struct.unpack(f"<{out.bytes // 4}f", out.tobytes())
    back = tuple(order.index(axis) for axis in range(len(order)))
    return Array(moved, values).permuted(back)


def weights_of_transposed(rhs, specs, groups):
    """As gridwise.jax.call has it: taps in reverse, and the groups with the input channels."""
    o, i, *space = specs[1]
    shape = list(rhs.shape)
    k, c = shape[o] // groups, shape[i]
    shape[o], shape[i] = k, c * groups
    moved = Array(tuple(shape))
    for index, value in rhs.items():
        to = list(index)
        to[o], to[i] = index[o] % k, index[o] // k * c + index[i]
        for axis in space:
            to[axis] = rhs.shape[axis] - 1 - index[axis]
        moved[tuple(to)] = value
    return moved


class ConvolutionTest(unittest.TestCase):
    def setUp(self):
        gridwise.use_device(TARGET)

    def check(self, numbers, sizes, taps, strides, padding, lhs_dilation=None, rhs_dilation=None, groups=1, c=4, k=6):
        """The result, and the gradients of its products with numbers."""
        specs, ones = specs_of(numbers), (1,) * len(sizes)
        lhs_dilation, rhs_dilation = lhs_dilation or ones, rhs_dilation or ones
        lhs = Array.random(placed(specs[0], 2, c, *sizes), 1)
        rhs = Array.random(placed(specs[1], k, c // groups, *taps), 2)
        expected, meetings = convolve(lhs, rhs, specs, strides, padding, lhs_dilation, rhs_dilation, groups)
        convolution = forward(
            "float32", lhs.shape, rhs.shape, specs, strides, padding, lhs_dilation, rhs_dilation, groups, 1
        )
        if any(dilation != 1 for dilation in lhs_dilation):
            self.assertEqual(convolution.wanted, DATA)
            return self.assertEqual(computed(convolution, lhs, weights_of_transposed(rhs, specs, groups)), expected)
        self.assertEqual(computed(convolution, lhs, rhs), expected)
        dy = Array.random(expected.shape, 3)
        dx, dw = Array(lhs.shape), Array(rhs.shape)
        for x, w, y in meetings:
            dx[x] += dy[y] * rhs[w]
            dw[w] += dy[y] * lhs[x]
        self.assertEqual(computed(convolution.asking(DATA), dy, rhs), dx)
        self.assertEqual(computed(convolution.asking(WEIGHT), dy, lhs), dw)

    def test_orders_of_axes(self):
        for numbers in (NHWC, ("NCHW", "OIHW", "NCHW"), ("HWNC", "IHWO", "CWHN")):
            with self.subTest(numbers=numbers):
                self.check(numbers, (5, 4), (3, 2), (1, 1), ((1, 1), (0, 1)))

    def test_ranks_and_parameters(self):
        self.check(("NWC", "WIO", "NWC"), (9,), (3,), (2,), ((0, 3),))
        self.check(("NDHWC", "DHWIO", "NDHWC"), (3, 4, 3), (2, 1, 3), (1, 2, 1), ((1, 0), (0, 0), (1, 1)))
        self.check(NHWC, (6, 5), (3, 2), (2, 1), ((2, 1), (1, 0)), rhs_dilation=(1, 2))
        self.check(NHWC, (7, 7), (1, 2), (3, 3), ((0, 0), (0, 0)))
        self.check(NHWC, (5, 5), (3, 3), (1, 1), ((1, 1), (1, 1)), groups=2)
        self.check(NHWC, (4, 4), (3, 3), (1, 1), ((1, 1), (1, 1)), groups=4, k=4)

    def test_dilated_lhs(self):
        self.check(NHWC, (4, 3), (3, 3), (1, 1), ((1, 2), (2, 1)), lhs_dilation=(2, 2))
        self.check(NHWC, (3, 3), (3, 2), (1, 1), ((1, 1), (1, 2)), lhs_dilation=(3, 2), groups=2)
        self.check(("NCW", "OIW", "NCW"), (4,), (3,), (1,), ((2, 3),), lhs_dilation=(2,), rhs_dilation=(2,))

    def test_refusals(self):
        def refused(reason, dtype="float16", padding=((0, 0),), strides=(1,), lhs_dilation=(1,), batch_groups=1, size=8):
            with self.assertRaisesRegex(Refused, reason):
                forward(
                    dtype, (1, size, 4), (3, 4, 4), specs_of(("NWC", "WIO", "NWC")), strides, padding, lhs_dilation, (1,), 1, batch_groups
                )

        refused("float64 have no kernels", dtype="float64")
        refused(r"padding \(\(-1, 1\),\) is negative", padding=((-1, 1),))
        refused(r"padding \(\(-1, 2\),\) is negative", padding=((3, 0),), lhs_dilation=(2,))
        refused("window_strides .* and lhs_dilation .* at once", strides=(2,), lhs_dilation=(2,))
        refused("batch_group_count is 2", batch_groups=2)
        refused("empty", size=0)
        refused("empty", size=2)
        refused("not known before", size="n")

    def test_text(self):
        convolution = forward(
            "bfloat16", (2, 8, 9, 16), (3, 5, 4, 24), specs_of(NHWC), (2, 1), ((1, 1), (2, 3)), (1, 1), (1, 1), 4, 1
        )
        self.assertEqual(
            str(convolution), "forward bf16 g4 n2 c16 k24 in 8x9 filter 3x5 stride 2x1 pad 1x2:3 NHWC HWIO NHWC"
        )
        self.assertEqual(convolution.of_images(5).out_shape, (5, 4, 10, 24))
        self.assertEqual(convolution.times(GROUPS, 3).arrays[0][0], (2, 8, 9, 48))
        self.assertEqual(convolution.times(GROUPS, 3).groups, 12)
        self.assertEqual(convolution.asking(WEIGHT).axes_of(IMAGES), (0, 0, None))


if __name__ == "__main__":
    unittest.main()
