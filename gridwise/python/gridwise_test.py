#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The package gridwise on the simulator, without NumPy."""

import array
import builtins
import ctypes
import inspect
import os
import struct
import sys
import typing
import unittest

sys.path.insert(0, "gridwise/python")
import gridwise  # noqa: E402
from gridwise._tensors import DLTensor  # noqa: E402

TARGET = os.environ["GRIDWISE_TEST_TARGET"]
C, K, SIZE = 16, 8, 6


def halves(values):
    return struct.pack(f"<{len(values)}e", *values)


class Interface:
    """A device tensor of another library, by the CUDA array interface."""

    def __init__(self, buffer, shape, strides=None):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<f2",
            "data": (buffer.address, False),
            "strides": strides,
            "version": 3,
        }


class DLPack:
    """The same, by DLPack: a capsule of a DLManagedTensor, as PyTorch makes it."""

    def __init__(self, buffer, shape, device=10):
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.raw = DLTensor(
            buffer.address - 2, device, 0, len(shape), 2, 16, 1, self.shape, None, 2  # an offset of 2 bytes
        )

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.raw), b"dltensor", None)


class GridwiseTest(unittest.TestCase):
    def setUp(self):
        gridwise.use_device(TARGET)
        self.problem = gridwise.Problem(
            "fwd", "f16", batch=1, c=C, k=K, size=(SIZE, SIZE), filter_size=(3, 3), pad=1, low=-100.0
        )
        self.x = [(i * 7 % 5) - 2 for i in range(self.problem.a_elements)]
        self.w = [(i * 5 % 3) - 1 for i in range(self.problem.b_elements)]
        self.a, self.b = gridwise.Buffer.of(halves(self.x)), gridwise.Buffer.of(halves(self.w))
        self.out = gridwise.Buffer.of(halves([7777] * self.problem.out_elements))

    def expected(self, h, v, k):
        """The definition; sums of small integers are exact."""
        total = 0
        for i in range(3):
            for j in range(3):
                row, column = h + i - 1, v + j - 1
                if 0 <= row < SIZE and 0 <= column < SIZE:
                    for c in range(C):
                        total += self.x[(row * SIZE + column) * C + c] * self.w[((k * 3 + i) * 3 + j) * C + c]
        return float(max(total, -100))

    def check(self):
        values = struct.unpack(f"<{self.problem.out_elements}e", self.out.tobytes())
        pixels = [(h, v, k) for h in range(SIZE) for v in range(SIZE) for k in range(K)]
        self.assertEqual([self.expected(*pixel) for pixel in pixels], list(values))

    def run_plan(self, plan, a, b, out):
        with plan.load() as conv:
            conv(a, b, out, gridwise.Buffer(plan.workspace_bytes))
            gridwise.synchronize()
        self.check()

    def test_buffers(self):
        self.run_plan(self.problem.plans()[0], self.a, self.b, self.out)

    def test_functions_of_operands_and_result(self):
        self.problem = gridwise.Problem(
            "fwd", "f16", batch=1, c=C, k=K, size=(SIZE, SIZE), filter_size=(3, 3), pad=1, scale_a=0.0, unary=("leaky_relu", 1)
        )
        added = gridwise.Buffer.of(halves(self.x))  # and 0 * a is nothing
        with self.problem.plans()[0].load() as conv:
            workspace = gridwise.Buffer(conv.plan.workspace_bytes)
            with self.assertRaisesRegex(gridwise.GridwiseError, "tensor a1 is null"):
                conv(self.a, self.b, self.out, workspace)
            conv(self.a, self.b, self.out, workspace, a1=added)
            gridwise.synchronize()
        self.check()

    def test_addresses(self):
        self.run_plan(self.problem.plans()[0], self.a.address, self.b.address, self.out.address)

    def test_tensors_of_other_libraries(self):
        x_shape, w_shape, y_shape = (1, SIZE, SIZE, C), (K, 3, 3, C), (1, SIZE, SIZE, K)
        strides = (SIZE * SIZE * K * 2, SIZE * K * 2, K * 2, 2)
        self.run_plan(
            self.problem.plans()[0],
            DLPack(self.a, x_shape),
            Interface(self.b, w_shape),
            Interface(self.out, y_shape, strides),
        )

    def test_tensors_that_do_not_fit(self):
        with self.problem.plans()[0].load() as conv:
            refused = {
                "x has": (DLPack(self.a, (1, SIZE, SIZE, C - 1)), self.b, self.out),
                "must be packed": (self.a, Interface(self.b, (K, 3, 3, C), (2, 2 * K, 6 * K, 18 * K)), self.out),
                "must be on a GPU": (DLPack(self.a, (1, SIZE, SIZE, C), device=1), self.b, self.out),
                "must be a device tensor": (self.x, self.b, self.out),
            }
            for message, tensors in refused.items():
                with self.assertRaisesRegex((TypeError, ValueError), message.replace("x has", "a has")):
                    conv(*tensors)

    def test_a_workspace_that_is_too_small(self):
        plan = self.problem.plans(splits=2)[0]
        self.assertGreater(plan.workspace_bytes, 2)
        with plan.load() as conv:
            for workspace, said in ((gridwise.Buffer(2), "workspace is 2 bytes at"), (None, "workspace is 0 bytes at")):
                with self.assertRaisesRegex(gridwise.GridwiseError, said):
                    conv(self.a, self.b, self.out, workspace)

    def test_plans(self):
        plans = self.problem.plans(3)
        self.assertEqual(len({plan.instance for plan in plans}), 3)
        self.assertEqual([plan.instance for plan in plans], [instance["instance"] for instance in self.problem.explain()[:3]])
        plan = gridwise.parse_plan(self.problem, plans[2].line)
        self.assertEqual(plan.instance, plans[2].instance)
        self.assertIn(plan.instance, plan.description)
        self.assertEqual(str(plan), plan.description)
        self.assertRegex(repr(plan), r"^<gridwise.Plan " + plan.instance + r" \(\w+\), \d+\.\d us, workspace \d+>$")
        self.run_plan(plan, self.a, self.b, self.out)
        self.assertEqual(self.problem.plans(target="gfx950", splits=2)[0].line.count("splits=2"), 1)

    def test_explain(self):
        said = self.problem.explain()
        able = [instance for instance in said if "reason" not in instance]
        self.assertEqual(said[: len(able)], able)
        self.assertEqual(able[0]["instance"], self.problem.plans()[0].instance)
        self.assertGreater(able[0]["estimated_ms"], 0)
        refused = said[len(able)]
        self.assertIn(refused["refusal"], gridwise.REFUSALS)
        self.assertTrue(refused["reason"])
        # Groups of more channels than direct kernels are for.
        direct = self.problem.explain(family="direct")
        self.assertTrue(direct)
        self.assertEqual({instance["refusal"] for instance in direct}, {"channels"})

    def test_strides(self):
        def problem(x):
            sizes = {"batch": 2, "c": 4, "k": 4, "size": (3, 5), "filter_size": (1, 1)}
            return gridwise.Problem("fwd", "f16", strides={"x": x, "y": x}, **sizes)

        self.assertEqual(problem((60, 60, 20, 4, 4, 1)).raw.layout, gridwise.LAYOUTS.index("nhwgc"))
        self.assertIn("layout=ngchw", problem((60, 15, 5, 1, 60, 15)).plans()[0].line)
        with self.assertRaises(gridwise.GridwiseError) as error:
            problem((64, 64, 20, 4, 4, 1))
        self.assertIn("x has strides [64 64 20 4 4 1]", str(error.exception))

    def test_tune_and_cache(self):
        times, clock = self.problem.tune(self.a, self.b, self.out, n=2)
        self.assertEqual(clock, "host")
        self.assertEqual(len(times), 2)
        self.assertLessEqual(times[0][0], times[1][0])
        path = os.path.join(os.environ["TEST_TMPDIR"], "plans.txt")
        cache = gridwise.Cache(path)
        self.assertIsNone(cache.find(self.problem))
        cache.store(times[0][1])
        with open(path, "a", encoding="utf-8") as file:
            file.write("noise\n")
        again = gridwise.Cache(path)
        self.assertEqual(again.find(self.problem).line, times[0][1].line)
        self.assertEqual(len(again.skipped), 1)
        self.assertIn("plans.txt:2: the line is", again.skipped[0])

    def test_a_matrix_multiplication(self):
        batch, m, n, k = 2, 9, 7, 12
        problem = gridwise.GemmProblem(
            "f16", m=m, n=n, k=k, batch=batch, a="col", b=(0, 8, 1), low=-3.0, alpha=0.5, epilogue=[("add", "f32", 2.0, (0, 1, 0))]
        )
        self.assertEqual(problem.out_elements, batch * m * n)
        self.assertEqual(problem.b_elements, (k - 1) * 8 + n)
        a = [(i * 7 % 5) - 2 for i in range(problem.a_elements)]
        b = [(i * 5 % 3) - 1 for i in range(problem.b_elements)]
        bias = [i - 4 for i in range(m)]
        expected = [
            max(0.5 * sum(a[(s * k + t) * m + i] * b[t * 8 + j] for t in range(k)) + 2 * bias[i], -3)
            for s in range(batch)
            for i in range(m)
            for j in range(n)
        ]
        self.assertIn(-3, expected)
        out = gridwise.Buffer.of(halves([7777] * problem.out_elements))
        plan = problem.plan()
        self.assertEqual((plan.family, plan.line), ("ck", None))
        self.assertEqual(plan.instance, problem.explain()[0]["instance"])
        with plan.load() as gemm:
            tensors = gridwise.Buffer.of(halves(a)), gridwise.Buffer.of(halves(b)), out, gridwise.Buffer(plan.workspace_bytes)
            with self.assertRaisesRegex(ValueError, "a has .* bytes; must have"):
                gemm(gridwise.Buffer(4), *tensors[1:])
            gemm(*tensors, d0=gridwise.Buffer.of(array.array("f", bias)))
            gridwise.synchronize()
        self.assertEqual(list(struct.unpack(f"<{problem.out_elements}e", out.tobytes())), expected)

    def test_matrix_multiplications_that_are_none(self):
        sizes = {"m": 4, "n": 4, "k": 4}
        with self.assertRaisesRegex(ValueError, "a is 'rows'; must be one of row, col"):
            gridwise.GemmProblem("f16", **sizes, a="rows")
        with self.assertRaisesRegex(ValueError, r"c is \(1, 2\); must be one of row, col, or strides"):
            gridwise.GemmProblem("f16", **sizes, c=(1, 2))
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "m is 0; must be 1 to"):
            gridwise.GemmProblem("f16", **{**sizes, "m": 0})
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "not of a convolution"):
            cache = gridwise.Cache(os.path.join(os.environ["TEST_TMPDIR"], "gemm.txt"))
            cache.store(gridwise.GemmProblem("f16", **sizes).plan())

    def test_views(self):
        """A contraction, C[j][i][l] = sum over x, y of A[x][i][y] * B[l][j][x][y], of every second l of a padded x."""
        I, J, L, X, Y = 6, 2, 3, 4, 5
        a, b, c = gridwise.View(), gridwise.View(), gridwise.View()
        x, i, y = a.slice(a.pad(a.memory(X, I * Y), 1, 0), 1, X), a.memory(I, Y), a.memory(Y, 1)
        a.see(a.memory(1, 0), i, a.merge([x, y]))
        every, j, terms = b.slice(b.memory(2 * L, J * X * Y), 0, L, 2), b.memory(J, X * Y), b.memory(X * Y, 1)
        b.see(b.memory(1, 0), b.merge([j, every]), terms)
        jl, rows = c.unmerge(c.memory(J * I * L, 1), [J, I, L]), c.memory(1, 0)
        c.see(rows, jl[1], c.merge([jl[0], jl[2]]))
        plan = gridwise.plan_views(a, b, c, "f16", "f32")
        self.assertEqual((plan.problem, plan.line, plan.workspace_bytes), (None, None, 0))
        va = [(n * 7 % 5) - 2 for n in range(X * I * Y)]
        vb = [(n * 5 % 7) - 3 for n in range(2 * L * J * X * Y)]
        out = gridwise.Buffer(4 * J * I * L)
        with plan.load() as product:
            product(gridwise.Buffer.of(halves(va)), gridwise.Buffer.of(halves(vb)), out)
            gridwise.synchronize()
        expected = [
            sum(va[(t // Y * I + i) * Y + t % Y] * vb[(2 * l * J + j) * X * Y + t] for t in range(X * Y))
            for j in range(J)
            for i in range(I)
            for l in range(L)
        ]
        self.assertEqual(list(struct.unpack(f"<{len(expected)}f", out.tobytes())), expected)

    def test_views_that_are_none(self):
        view, other = gridwise.View(), gridwise.View()
        axis = view.memory(8, 1)
        with self.assertRaisesRegex(ValueError, "is of another view"):
            other.pad(axis, 1, 1)
        view.freeze(axis, 3)
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "an axis is consumed once"):
            view.embed(axis, [(4, 2), (2, 1)])
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "count is 7; must be 1 to 6"):
            other.merge([other.memory(2, 1) for _ in range(7)])
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "A: an axis is consumed once"):
            gridwise.plan_views(view, other, other, "f16", "f32")

    def test_type_hints_and_docs(self):
        """Every public function has a docstring, and types of all arguments and of its result, which resolve."""
        checked = 0
        for name in gridwise.__all__:
            public = getattr(gridwise, name)
            if not inspect.isclass(public) and not inspect.isfunction(public):
                continue
            functions = {name: public} if inspect.isfunction(public) else dict(inspect.getmembers(public, inspect.isroutine))
            for key, function in functions.items():
                special = key.startswith("_") and key not in ("__init__", "__call__")
                if special or not getattr(function, "__module__", "").startswith("gridwise."):
                    continue
                hints = typing.get_type_hints(function)
                # The name of **options is that of a TypedDict.
                parameters = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
                self.assertEqual(set(hints), {*parameters, "return"}, f"{name}.{key}")
                self.assertTrue(public.__doc__ if key == "__init__" else function.__doc__, f"{name}.{key}")
                shadowed = set(parameters) & set(dir(builtins))
                self.assertFalse(shadowed, f"{name}.{key}")
                checked += 1
        self.assertGreater(checked, 40)

    def test_former_keywords(self):
        sizes = {"c": 4, "k": 4, "size": (9, 9)}
        with self.assertWarnsRegex(DeprecationWarning, "the argument filter is called filter_size now") as warned:
            problem = gridwise.Problem("fwd", "f16", filter=(3, 3), **sizes)
        self.assertEqual(warned.filename, __file__)
        self.assertEqual(problem.b_elements, 4 * 3 * 3 * 4)
        with self.assertWarnsRegex(DeprecationWarning, "the argument type is called dtype now"):
            gridwise.Problem("fwd", type="f16", **sizes)
        with self.assertRaisesRegex(TypeError, "filter is the former name of filter_size"):
            gridwise.Problem("fwd", "f16", filter=3, filter_size=3, **sizes)

    def test_reprs(self):
        for text in (
            "gridwise.Problem('fwd', 'f16', c=4, k=8, size=(9, 9), filter_size=(3, 3), unary=('elu', 0.5))",
            "gridwise.GemmProblem('bf16', m=4, n=5, k=6, b='col')",
        ):
            self.assertEqual(repr(eval(text)), text)
        self.assertRegex(repr(self.a), rf"^<gridwise.Buffer of {2 * len(self.x)} bytes at 0x[0-9a-f]+>$")
        plan = self.problem.plan()
        with plan.load() as conv:
            self.assertEqual(repr(conv), f"<gridwise.Executable {plan.instance} ({plan.family})>")
        self.assertIn(", closed>", repr(conv))
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "executable is null"):
            conv(self.a, self.b, self.out, gridwise.Buffer(plan.workspace_bytes))
        self.assertEqual(repr(gridwise.Cache("/none.txt")), "gridwise.Cache('/none.txt')")

    def test_lifetimes(self):
        """An executable outlives its plan's handle, and a plan its problem."""
        plan = gridwise.Problem("fwd", "f16", batch=1, c=C, k=K, size=(SIZE, SIZE), filter_size=(3, 3), pad=1, low=-100.0).plan()
        executable = plan.load()
        workspace = gridwise.Buffer(plan.workspace_bytes)
        plan.__del__()
        plan.handle = None
        executable(self.a, self.b, self.out, workspace)
        gridwise.synchronize()
        self.check()
        executable.close()
        executable.close()

    def test_errors_have_names(self):
        for error, ask in (
            (gridwise.InvalidArgumentError, lambda: self.problem.plan("gfx1")),
            (gridwise.NotFoundError, lambda: gridwise.use_device("gfx1")),
            (gridwise.ResourceExhaustedError, lambda: self.problem.plan(splits=2, workspace_limit=0)),
            (gridwise.UnimplementedError, lambda: self.problem.plan(family="direct")),
            (gridwise.FailedPreconditionError, lambda: self.problem.plan("gfx950").load()),
        ):
            with self.assertRaises(error) as caught:
                ask()
            self.assertIs(type(caught.exception), error)
            self.assertIsInstance(caught.exception, gridwise.Error)
        self.assertTrue(issubclass(gridwise.InvalidArgumentError, ValueError))

    def test_errors(self):
        with self.assertRaises(gridwise.GridwiseError) as caught:
            gridwise.Problem("fwd", "f16", c=3, k=4, size=(4, 4), groups=2)
        self.assertEqual(caught.exception.status, 3)
        self.assertIn("c is 3; must be a multiple of groups", str(caught.exception))
        with self.assertRaisesRegex(gridwise.GridwiseError, "instance is fast; must be one of"):
            self.problem.plans(instance="fast")
        with self.assertRaisesRegex(gridwise.GridwiseError, "no device is a gfx1"):
            gridwise.use_device("gfx1")
        with self.assertRaisesRegex(TypeError, "not speed"):
            self.problem.plans(speed=1)
        for options, said in (({"family": "fast"}, "family is fast; must be one of"), ({"splits": -1}, "splits is -1")):
            for ask in (self.problem.plans, self.problem.explain):
                with self.assertRaisesRegex(gridwise.GridwiseError, said):
                    ask(**options)

    def test_errors_of_problems(self):
        sizes = {"c": 4, "k": 4, "size": (9, 9), "filter_size": (3, 3)}
        for changed, said in (
            ({"filter_size": (3,)}, r"filter_size is \(3,\); must be one number, or one of each of size's 2 axes"),
            ({"size": (9, 9, 9)}, r"filter_size is \(3, 3\); must be .* size's 3 axes"),
            ({"pad": (1, 1, 1)}, r"pad is \(1, 1, 1\)"),
            ({"layout": "nchw"}, "layout is 'nchw'; must be one of nhwgc, gnhwc, ngchw"),
            ({"out_type": "half"}, "out_type is 'half'; must be one of f16, "),
        ):
            with self.assertRaisesRegex(ValueError, said):
                gridwise.Problem("fwd", "f16", **{**sizes, **changed})
        with self.assertRaisesRegex(ValueError, "direction is 'forward'; must be one of fwd, bwd_data, bwd_weight"):
            gridwise.Problem("forward", "f16", **sizes)
        with self.assertRaisesRegex(gridwise.GridwiseError, "rank is 4; must be <= 3"):
            gridwise.Problem("fwd", "f16", c=4, k=4, size=(1, 1, 1, 1))

    def test_fallback(self):
        problem = gridwise.Problem("fwd", "f16", batch=2, c=64, k=64, size=(16, 16), filter_size=(3, 3), pad=1)
        names = [said["instance"] for said in problem.explain("sm_90a") if "reason" not in said]
        if not names:
            self.skipTest("the library has no kernels for sm_90a")
        self.assertFalse(problem.plans(target="sm_90a")[0].is_fallback)
        plans = [problem.plans(target="sm_90a", instance=name)[0] for name in names]
        self.assertEqual([plan.instance for plan in plans if plan.is_fallback], [f"fwd_{gridwise.FALLBACK}_f16"])

    def test_buffers_hold_what_arrays_do(self):
        data = array.array("f", [1.5, -2.0, 3.25])
        self.assertEqual(gridwise.Buffer.of(data).tobytes(), data.tobytes())

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no NumPy")
        y = self.problem(numpy.array(self.x), numpy.array(self.w))
        self.assertEqual([self.expected(h, v, k) for h in range(SIZE) for v in range(SIZE) for k in range(K)], list(y))


if __name__ == "__main__":
    unittest.main()
