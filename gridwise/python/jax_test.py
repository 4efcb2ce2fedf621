#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gridwise.jax: on a GPU if JAX has one, else the transformations alone, whose results jax.lax computes. Skips without JAX.

    GRIDWISE_LIBRARY=bazel-bin/gridwise/c/libgridwise.so python3 gridwise/python/jax_test.py

Expectations are jax.lax's own of the same arrays in f64, on the CPU.
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.path.insert(0, "gridwise/python")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=2"
os.environ.setdefault("GRIDWISE_JAX_CACHE", os.path.join(os.environ.get("TEST_TMPDIR", tempfile.mkdtemp()), "jax.jsonl"))

try:
    import jax
except ImportError:
    WHY = "there is no JAX"
    print("skipped:", WHY)
    if "XML_OUTPUT_FILE" in os.environ:  # Bazel's, which would else say that it passed
        with open(os.environ["XML_OUTPUT_FILE"], "w") as report:
            case = f'<testcase name="all"><skipped message="{WHY}"/></testcase>'
            report.write(f'<testsuites><testsuite name="jax_test">{case}</testsuite></testsuites>')
    sys.exit(0)

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec  # noqa: E402

import gridwise.jax  # noqa: E402
from gridwise._decisions import File  # noqa: E402
from gridwise._xla import forward  # noqa: E402
from gridwise.jax import choices  # noqa: E402
from gridwise.jax import conv_general_dilated as convolve  # noqa: E402
from gridwise.jax.choices import decider  # noqa: E402

jax.config.update("jax_enable_x64", True)
ON_GPU = jax.default_backend() == "gpu"
CPU = jax.local_devices(backend="cpu")
HALF, BRAIN, SINGLE = jnp.float16, jnp.bfloat16, jnp.float32
TOLERANCE = {np.dtype(HALF): 2e-3, np.dtype(BRAIN): 1.5e-2, np.dtype(SINGLE): 1e-5}
NHWC = ("NHWC", "HWIO", "NHWC")
HIGHEST = lax.Precision.HIGHEST


def array(*shape, dtype=HALF, seed=0):
    return jnp.asarray(np.random.RandomState(sum(shape) + seed).standard_normal(shape), dtype)


def exact(tree):
    """In f64 on the CPU."""
    return jax.tree.map(lambda a: jax.device_put(a.astype(jnp.float64), CPU[0]), tree)


class Case(unittest.TestCase):
    def setUp(self):
        decider.off = False
        gridwise.jax.configure("always", cache=False)
        gridwise.jax.forget()
        jax.clear_caches()

    def assert_close(self, actual, expected, message="", dtype=None):
        self.assertEqual(actual.shape, expected.shape, message)
        dtype = dtype or actual.dtype
        actual, expected = (np.asarray(a, np.float64) for a in (actual, expected))
        error = np.linalg.norm(actual - expected) / max(np.linalg.norm(expected), 1e-30)
        self.assertLess(error, TOLERANCE[np.dtype(dtype)], message)

    def assert_gridwise(self, count):
        """That Gridwise computed all, so many questions."""
        rows = gridwise.jax.report()
        if ON_GPU:
            self.assertEqual([row for row in rows if row.by != "gridwise"], [], str(rows))
            self.assertEqual(len(rows), count, str(rows))

    def check(self, x, w, *arguments, **named):
        """The result and both gradients."""

        def of(function):
            def compute(x, w, dy):
                y, gradients = jax.vjp(lambda x, w: function(x, w, *arguments, **named), x, w)
                return (y, *gradients(dy.astype(y.dtype)))

            return compute

        y = jax.eval_shape(functools.partial(convolve, window_strides=arguments[0], padding=arguments[1], **named), x, w)
        dy = array(*y.shape, dtype=x.dtype, seed=1)
        actual = jax.jit(of(convolve))(x, w, dy)
        expected = jax.jit(of(lax.conv_general_dilated))(*exact((x, w, dy)))
        for name, a, e in zip(("y", "dx", "dw"), actual, expected):
            self.assertEqual(a.dtype, x.dtype)
            self.assert_close(a, e, f"{name} of {x.shape}, {w.shape}, {arguments}, {named}")

    def check_function(self, function, *arguments):
        """A function of a convolution and arrays."""
        actual = jax.jit(functools.partial(function, convolve))(*arguments)
        expected = jax.jit(functools.partial(function, lax.conv_general_dilated))(*exact(arguments))
        for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected)):
            self.assert_close(a, e, dtype=arguments[0].dtype)


class ConvolutionTest(Case):
    def test_every_rank_and_type(self):
        for rank, numbers in ((1, ("NWC", "WIO", "NWC")), (2, NHWC), (3, ("NDHWC", "DHWIO", "NDHWC"))):
            for dtype in (HALF, BRAIN, SINGLE):
                with self.subTest(rank=rank, dtype=dtype.__name__):
                    gridwise.jax.forget()
                    x = array(2, *(9, 7, 6)[:rank], 16, dtype=dtype)
                    w = array(*[3] * rank, 8, 24, dtype=dtype)
                    pads = [(1, 1)] * rank
                    self.check(
                        x, w, (2,) * rank, pads, dimension_numbers=numbers, feature_group_count=2, precision=HIGHEST
                    )
                    self.assert_gridwise(3)

    def test_every_order_of_axes(self):
        sizes = {"N": 2, "C": 16, "H": 9, "W": 7, "I": 16, "O": 24}
        for numbers in (NHWC, ("NCHW", "OIHW", "NCHW"), ("NHWC", "OHWI", "NHWC"), ("HWNC", "IHWO", "CWHN"), None):
            with self.subTest(numbers=numbers):
                gridwise.jax.forget()
                lhs, rhs, _ = numbers or ("NCHW", "OIHW", "NCHW")
                x = array(*(sizes[axis] for axis in lhs))
                w = array(*({"H": 3, "W": 5}.get(axis, sizes[axis]) for axis in rhs))
                self.check(x, w, (1, 2), "SAME", dimension_numbers=numbers)
                self.assert_gridwise(3)

    def test_parameters(self):
        x, w = array(2, 14, 13, 16), array(3, 3, 16, 24)
        for arguments, named in (
            (((1, 1), "VALID"), {}),
            (((2, 2), "SAME"), {}),
            (((2, 2), "SAME_LOWER"), {}),
            (((1, 3), [(0, 2), (3, 1)]), {}),  # asymmetric
            (((1, 1), [(2, 2), (2, 2)]), {"rhs_dilation": (2, 2)}),
            (((2, 1), [(4, 0), (1, 1)]), {"rhs_dilation": (3, 1), "lhs_dilation": (1, 1)}),
            (((3, 3), [(0, 0), (0, 0)]), {}),  # pixels that no tap meets
        ):
            gridwise.jax.forget()
            self.check(x, w, *arguments, dimension_numbers=NHWC, **named)
            self.assert_gridwise(3)

    def test_groups(self):
        for c, k, groups, taps in ((16, 16, 16, 3), (16, 32, 16, 3), (32, 32, 4, 1), (96, 96, 2, 3), (3, 16, 1, 7)):
            gridwise.jax.forget()
            x, w = array(2, 12, 12, c), array(taps, taps, c // groups, k)
            self.check(x, w, (1, 1), "SAME", dimension_numbers=NHWC, feature_group_count=groups)
            self.assert_gridwise(3)

    def test_dilated_lhs(self):
        for stride, pads, taps, groups, dilation in (
            ((2, 2), [(1, 2), (1, 2)], 3, 1, (1, 1)),
            ((2, 2), [(2, 1), (1, 1)], 3, 2, (1, 1)),
            ((2, 1), [(2, 2), (2, 2)], 3, 1, (2, 1)),
            ((3, 2), [(1, 3), (0, 2)], 2, 4, (1, 1)),  # the last stride reaches no output
        ):
            for numbers in (NHWC, ("NCHW", "OIHW", "NCHW")):
                with self.subTest(stride=stride, pads=pads, numbers=numbers):
                    gridwise.jax.forget()
                    sizes = {"N": 2, "C": 16, "H": 7, "W": 6}
                    x = array(*(sizes[axis] for axis in numbers[0]))
                    w = array(*({"I": 16 // groups, "O": 24}.get(axis, taps) for axis in numbers[1]))
                    self.check(
                        x,
                        w,
                        (1, 1),
                        pads,
                        lhs_dilation=stride,
                        rhs_dilation=dilation,
                        dimension_numbers=numbers,
                        feature_group_count=groups,
                    )
                    self.assert_gridwise(3)

    def test_programs_run_again(self):
        """With other arrays at other addresses, as where XLA captures launches in a graph."""
        w = array(3, 3, 16, 24)
        program = jax.jit(lambda x: sum(convolve(x * i, w, (1, 1), "SAME", dimension_numbers=NHWC) for i in (1, 2)))
        results = []
        for seed in range(5):
            x = array(2, 8, 8, 16, seed=seed)
            results.append((program(x), x))
        for y, x in results:
            expected = lax.conv_general_dilated(*exact((3 * x, w)), (1, 1), "SAME", dimension_numbers=NHWC)
            self.assert_close(y, expected)
        self.assert_gridwise(1)


class RefusalsTest(Case):
    def check_lax(self, reason, x, w, *arguments, **named):
        gridwise.jax.forget()
        actual = jax.jit(lambda x, w: convolve(x, w, *arguments, **named))(x, w)
        expected = jax.jit(lambda x, w: lax.conv_general_dilated(x, w, *arguments, **named))(x, w)
        self.assertEqual(actual.dtype, expected.dtype)
        np.testing.assert_array_equal(np.asarray(actual), np.asarray(expected))
        (row,) = gridwise.jax.report()
        self.assertEqual(row.by, "lax")
        self.assertRegex(row.reason, reason)

    def test_what_lax_computes(self):
        x, w = array(4, 8, 8, 16), array(3, 3, 16, 24)
        named = {"dimension_numbers": NHWC}
        self.check_lax("batch_group_count is 4", x, w, (1, 1), "SAME", batch_group_count=4, **named)
        self.check_lax("negative", x, w, (1, 1), [(-1, 1), (1, 1)], **named)
        self.check_lax("negative", x, w, (1, 1), [(3, 1), (1, 1)], lhs_dilation=(2, 2), **named)
        self.check_lax("at once", x, w, (2, 2), [(1, 1), (1, 1)], lhs_dilation=(2, 2), **named)
        self.check_lax("round float32", x.astype(SINGLE), w.astype(SINGLE), (1, 1), "SAME", **named)
        self.check_lax("float64 have no kernels", x.astype(jnp.float64), w.astype(jnp.float64), (1, 1), "SAME", **named)
        self.check_lax("another type", x, w, (1, 1), "SAME", preferred_element_type=SINGLE, **named)
        self.check_lax("empty", x[:0], w, (1, 1), "SAME", **named)
        self.check_lax("0 axes of space", array(4, 16), array(16, 24), (), [], dimension_numbers=("NC", "IO", "NC"))
        decider.off = True
        self.check_lax("turns Gridwise off", x, w, (1, 1), "SAME", **named)

    def test_errors_are_laxs(self):
        x, w = array(4, 8, 8, 16), array(3, 3, 8, 24)
        for arguments, named in (
            (((1, 1), "SAME"), {}),
            (((1, 1, 1), "SAME"), {"feature_group_count": 2}),
            (((1, 1), "LIKE"), {"feature_group_count": 2}),
            (((1, 1), "SAME"), {"feature_group_count": 2, "lhs_dilation": (2, 2)}),
        ):
            with self.assertRaises(Exception) as expected:
                lax.conv_general_dilated(x, w, *arguments, dimension_numbers=NHWC, **named)
            with self.assertRaises(type(expected.exception)) as actual:
                convolve(x, w, *arguments, dimension_numbers=NHWC, **named)
            self.assertEqual(str(actual.exception), str(expected.exception))

    def test_sizes_that_are_not_known(self):
        from jax import export

        n = export.symbolic_shape("n")[0]
        x, w = jax.ShapeDtypeStruct((n, 8, 8, 16), HALF), jax.ShapeDtypeStruct((3, 3, 16, 24), HALF)
        for named in ({}, {"lhs_dilation": (2, 2)}):
            gridwise.jax.forget()
            exported = export.export(
                jax.jit(lambda x, w, named=named: convolve(x, w, (1, 1), [(1, 1), (1, 1)], dimension_numbers=NHWC, **named))
            )(x, w)
            self.assertEqual(exported.out_avals[0].shape[0], n)
            (row,) = gridwise.jax.report()
            self.assertEqual(row.reason, "sizes are not known before the program runs")

    def test_other_devices(self):
        x, w = exact((array(2, 8, 8, 16), array(3, 3, 16, 24)))
        x, w = x.astype(HALF), w.astype(HALF)
        y = jax.jit(lambda x, w: convolve(x, w, (1, 1), "SAME", dimension_numbers=NHWC))(x, w)
        self.assertEqual(y.devices(), {CPU[0]})
        self.assert_close(y, lax.conv_general_dilated(*exact((x, w)), (1, 1), "SAME", dimension_numbers=NHWC))
        self.assertEqual(gridwise.jax.report(), [])


class TransformationsTest(Case):
    X, W = array(2, 8, 8, 16), array(3, 3, 16, 32)

    @staticmethod
    def conv(function, x, w, **named):
        return function(x, w, (1, 1), "SAME", dimension_numbers=NHWC, **named)

    def test_vmap(self):
        xs, ws = array(3, 2, 8, 8, 16), array(3, 3, 3, 16, 32)
        for axes, operands in (
            ((0, None), (xs, self.W)),
            ((3, None), (jnp.moveaxis(xs, 0, 3), self.W)),
            ((None, 0), (self.X, ws)),
            ((0, 4), (xs, jnp.moveaxis(ws, 0, 4))),
        ):
            with self.subTest(axes=axes):
                gridwise.jax.forget()
                self.check_function(lambda f, x, w: jax.vmap(lambda x, w: self.conv(f, x, w), axes)(x, w), *operands)
                self.assert_gridwise(1)

    def test_vmap_of_gradients(self):
        """vmap over images, over weights, and over both."""
        xs, ws = array(3, 2, 8, 8, 16), array(3, 3, 3, 8, 32)

        def gradients(f, x, w):
            return jax.grad(lambda x, w: (self.conv(f, x, w, feature_group_count=2) ** 2).mean(), (0, 1))(x, w)

        for axes, operands in (((0, None), (xs, ws[0])), ((None, 0), (xs[0], ws)), ((0, 0), (xs, ws))):
            with self.subTest(axes=axes):
                gridwise.jax.forget()
                self.check_function(lambda f, x, w: jax.vmap(functools.partial(gradients, f), axes)(x, w), *operands)
                self.assert_gridwise(3)

    def test_gradient_of_vmap(self):
        xs = array(3, 2, 8, 8, 16)
        self.check_function(
            lambda f, x, w: jax.grad(lambda x, w: (jax.vmap(lambda x: self.conv(f, x, w))(x) ** 2).mean(), (0, 1))(x, w), xs, self.W
        )
        self.assert_gridwise(3)

    def test_forward_mode(self):
        self.check_function(
            lambda f, x, w: jax.jvp(functools.partial(self.conv, f), (x, w), (x * 2, w + 1)), self.X, self.W
        )
        self.assert_gridwise(1)

    def test_gradients_of_gradients(self):
        def loss(f, x, w):
            return (self.conv(f, x, w) ** 3).mean()

        def norm(f, x, w):
            return sum((g**2).sum() for g in jax.grad(functools.partial(loss, f), (0, 1))(x, w)) * 1e3

        self.check_function(lambda f, x, w: jax.grad(functools.partial(norm, f), (0, 1))(x, w), self.X.astype(BRAIN), self.W.astype(BRAIN))
        self.assert_gridwise(3)

    def test_control_flow_and_checkpoints(self):
        w = array(3, 3, 16, 16) / 12

        def loss(f, x, w):
            def step(x, _):
                return jnp.tanh(self.conv(f, x, w)), None

            return lax.scan(jax.checkpoint(step), x, length=3)[0].sum()

        self.check_function(lambda f, x, w: jax.grad(functools.partial(loss, f), (0, 1))(x, w), self.X, w)
        self.assert_gridwise(3)

    def test_without_jit(self):
        expected = self.conv(lax.conv_general_dilated, *exact((self.X, self.W)))
        self.assert_close(self.conv(convolve, self.X, self.W), expected)
        self.assert_close(self.conv(convolve, np.asarray(self.X), np.asarray(self.W)), expected)
        self.assert_gridwise(1)
        with jax.disable_jit():
            self.assert_close(self.conv(convolve, self.X, self.W), expected)

    def test_flax(self):
        try:
            from flax import linen
        except ImportError:
            self.skipTest("there is no Flax")
        ours, theirs = (
            linen.Conv(32, (3, 3), strides=2, feature_group_count=2, conv_general_dilated=f) for f in (convolve, lax.conv_general_dilated)
        )
        parameters = jax.tree.map(lambda a: a.astype(HALF), ours.init(jax.random.key(0), self.X))
        self.assert_close(jax.jit(ours.apply)(parameters, self.X), jax.jit(theirs.apply)(*exact((parameters, self.X))))
        self.assertIn("gridwise" if ON_GPU else "", [row.by for row in gridwise.jax.report()] + [""])


class ShardingTest(Case):
    """The batch is sharded over two devices: GPUs if there are two, else two parts of the CPU."""

    def setUp(self):
        super().setUp()
        gpus = jax.local_devices() if ON_GPU else []
        self.devices = (gpus if len(gpus) > 1 else CPU)[:2]
        self.expected = jax.jit(functools.partial(self.step, lax.conv_general_dilated))(*exact(self.OPERANDS))

    @staticmethod
    def step(f, x, w, dy):
        y, gradients = jax.vjp(lambda x, w: f(x, w, (2, 2), "SAME", dimension_numbers=NHWC), x, w)
        return (y, *gradients(dy))

    OPERANDS = array(6, 8, 8, 16), array(3, 3, 16, 32), array(6, 4, 4, 32)

    def check_step(self, program, place, decided=True):
        x, w, dy = self.OPERANDS
        operands = place(x, "data"), place(w, None), place(dy, "data")
        compiled = program.lower(*operands).compile()
        self.assertNotIn("all-gather", compiled.as_text())
        self.assertIn("all-reduce", compiled.as_text())  # dw is summed over the devices
        actual = program(*operands)
        for a, e in zip(actual, self.expected):
            self.assert_close(jax.device_get(a), e)
        for a in actual[:2]:
            self.assertEqual([shard.data.shape[0] for shard in a.addressable_shards], [3, 3])
        if self.devices[0].platform == "gpu" and decided:
            self.assert_gridwise(3)
            self.assertTrue(all(" n3 " in row.problem for row in gridwise.jax.report()), str(gridwise.jax.report()))

    def mesh(self, kind):
        return jax.make_mesh((2,), ("data",), (kind,), devices=self.devices)

    def test_automatic(self, decided=True):
        mesh = self.mesh(AxisType.Auto)
        self.check_step(
            jax.jit(functools.partial(self.step, convolve)),
            lambda a, axis: jax.device_put(a, NamedSharding(mesh, PartitionSpec(axis))),
            decided,
        )

    def test_decided_while_xla_partitions(self):
        if self.devices[0].platform != "gpu":
            self.skipTest("needs two GPUs")
        gridwise.jax.configure("measure", cache=False)
        self.test_automatic(decided=False)
        self.assertEqual(len([row for row in gridwise.jax.report() if row.lax_us]), 3, str(gridwise.jax.report()))

    def test_explicit(self):
        mesh = self.mesh(AxisType.Explicit)
        with jax.set_mesh(mesh):
            self.check_step(
                jax.jit(functools.partial(self.step, convolve)),
                lambda a, axis: jax.device_put(a, NamedSharding(mesh, PartitionSpec(axis))),
            )

    def test_shard_map(self):
        mesh = self.mesh(AxisType.Auto)
        batch, all_ = PartitionSpec("data"), PartitionSpec()
        # The gradient of what all devices have alike is the sum of theirs.
        step = jax.shard_map(
            functools.partial(self.step, convolve), mesh=mesh, in_specs=(batch, all_, batch), out_specs=(batch, batch, all_)
        )
        self.check_step(jax.jit(step), lambda a, axis: jax.device_put(a, NamedSharding(mesh, PartitionSpec(axis))))

    def test_what_is_not_divided(self):
        """An odd batch, and weights that are sharded."""
        mesh = self.mesh(AxisType.Auto)
        x, w, dy = self.OPERANDS
        x, w, dy = (
            jax.device_put(a, NamedSharding(mesh, PartitionSpec(*axes)))
            for a, axes in ((x[:5], ()), (w, (None, None, None, "data")), (dy[:5], ()))
        )
        actual = jax.jit(functools.partial(self.step, convolve))(x, w, dy)
        expected = jax.jit(functools.partial(self.step, lax.conv_general_dilated))(*exact(jax.device_get((x, w, dy))))
        for a, e in zip(actual, expected):
            self.assert_close(jax.device_get(a), e)


class DecisionsTest(Case):
    X, W = array(8, 28, 28, 64), array(3, 3, 2, 64)

    def compile(self):
        jax.clear_caches()
        gridwise.jax.forget()
        program = jax.jit(lambda x, w: convolve(x, w, (1, 1), "SAME", dimension_numbers=NHWC, feature_group_count=32))
        self.assert_close(
            program(self.X, self.W),
            lax.conv_general_dilated(*exact((self.X, self.W)), (1, 1), "SAME", dimension_numbers=NHWC, feature_group_count=32),
        )

    @unittest.skipUnless(ON_GPU, "needs a GPU")
    def test_measured_once_for_all_processes(self):
        path = os.environ["GRIDWISE_JAX_CACHE"]
        gridwise.jax.configure("measure")
        self.compile()
        (measured,) = gridwise.jax.report()
        self.assertGreater(min(measured.lax_us, measured.gridwise_us), 1)
        self.assertLess(max(measured.lax_us, measured.gridwise_us), 1e4)
        self.assertEqual(measured.by, "gridwise" if measured.gridwise_us < 0.98 * measured.lax_us else "lax")
        decider.file = File(path)  # as another process
        self.compile()
        self.assertEqual(gridwise.jax.report(), [measured])

    @unittest.skipUnless(ON_GPU, "needs a GPU")
    def test_model(self):
        gridwise.jax.configure("model", cache=False)
        self.compile()
        (row,) = gridwise.jax.report()
        self.assertRegex(row.reason, "first by estimate|only the kernel for any problem")
        self.assertIn("forward f16 g32 n8 c64 k64 in 28x28 filter 3x3 pad 1x1 NHWC HWIO NHWC", str(gridwise.jax.report()))

    def test_what_is_not_decided_in_time(self):
        with (
            unittest.mock.patch.object(choices, "WAIT_S", 0.05),
            unittest.mock.patch.object(choices.call, "library", object()),
            unittest.mock.patch.object(decider, "_asked", lambda *_: time.sleep(1)),
        ):
            specs = (0, 2, 1), (2, 1, 0), (0, 2, 1)
            question = forward("float16", (1, 8, 4), (3, 4, 4), specs, (1,), ((0, 0),), (1,), (1,), 1, 1)
            choice = decider.choose(question, "cpu")
        self.assertEqual(choice.by, "lax")
        self.assertIn("not decided in 0.05 s", choice.reason)
        self.assertEqual(decider.policy, "model")

    def test_wrong_words(self):
        with self.assertRaisesRegex(ValueError, "decide is 'fast'; must be one of measure, model, always"):
            gridwise.jax.configure("fast")


# Our declarations of XLA's structs (jax_ffi/xla_ffi.h), and XLA's, with the members that have other names.
STRUCTS = {
    "Version": ("Api_Version", {"extension": "extension_start", "major": "major_version", "minor": "minor_version"}),
    "Extension": ("Base", {"kind": "type", "next": "next"}),
    "Metadata": ("Metadata", {"version": "api_version", "traits": "traits"}),
    "MetadataExtension": ("Metadata_Extension", {"base": "extension_base", "metadata": "metadata"}),
    "ErrorArguments": ("Error_Create_Args", {"message": "message", "code": "errc"}),
    "StreamArguments": ("Stream_Get_Args", {"context": "ctx", "stream": "stream"}),
    "DeviceArguments": ("DeviceOrdinal_Get_Args", {"context": "ctx", "device": "device_ordinal"}),
    "Api": (
        "Api",
        {
            "version": "api_version",
            "new_error": "XLA_FFI_Error_Create",
            "stream": "XLA_FFI_Stream_Get",
            "device": "XLA_FFI_DeviceOrdinal_Get",
        },
    ),
    "Buffer": ("Buffer", {"data": "data", "rank": "rank", "dims": "dims"}),
    "Attributes": ("Attrs", {"count": "size", "kinds": "types", "names": "names", "values": "attrs"}),
    "Frame": (
        "CallFrame",
        {"api": "api", "context": "ctx", "arguments": "args", "results": "rets", "attributes": "attrs"},
    ),
    "Text": ("ByteSpan", {"data": "ptr", "size": "len"}),
}


class HeaderTest(unittest.TestCase):
    def test_structs_are_xlas(self):
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jax_ffi", "xla_ffi.h")
        if compiler is None or not os.path.exists(header):
            self.skipTest("there is no compiler, or no header")
        lines = ['#include "xla/ffi/api/c_api.h"', f'#include "{header}"', "using namespace gridwise::jax_ffi;"]
        lines.append("using XLA_FFI_Base = decltype(XLA_FFI_Metadata_Extension::extension_base);")  # whose name changed
        for ours, (theirs, members) in STRUCTS.items():
            for a, b in members.items():
                offsets = f"offsetof({ours}, {a}) == offsetof(XLA_FFI_{theirs}, {b})"
                sizes = f"sizeof({ours}::{a}) <= sizeof(XLA_FFI_{theirs}::{b})"
                lines.append(f'static_assert({offsets} && {sizes}, "{ours}::{a}");')
        lines += [
            "static_assert(XLA_FFI_API_MAJOR == kMajor && XLA_FFI_API_MINOR >= kMinor);",
            "static_assert(XLA_FFI_Extension_Metadata == kMetadata && XLA_FFI_AttrType_STRING == kText);",
            "static_assert(XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE == kCommandBufferCompatible);",
        ]
        command = [compiler, "-std=c++20", "-fsyntax-only", "-I", jax.ffi.include_dir(), "-x", "c++", "-"]
        done = subprocess.run(command, input="\n".join(lines), text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
