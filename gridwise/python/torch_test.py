#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gridwise.torch: on a GPU if PyTorch has one, else on the simulator behind tensors of the CPU. Skips without PyTorch.

    GRIDWISE_LIBRARY=bazel-bin/gridwise/c/libgridwise.so python3 gridwise/python/torch_test.py

Expectations are aten's own of the same tensors in f32 or f64.
"""

import copy
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "gridwise/python")
os.environ.setdefault("GRIDWISE_TORCH_CACHE", os.path.join(os.environ.get("TEST_TMPDIR", tempfile.mkdtemp()), "torch.jsonl"))

try:
    import torch
    import torch.utils.checkpoint
except ImportError:
    WHY = "there is no PyTorch (Debian's is python3-torch)"
    print("skipped:", WHY)
    if "XML_OUTPUT_FILE" in os.environ:  # Bazel's, which would else say that it passed
        with open(os.environ["XML_OUTPUT_FILE"], "w") as report:
            case = f'<testcase name="all"><skipped message="{WHY}"/></testcase>'
            report.write(f'<testsuites><testsuite name="torch_test">{case}</testsuite></testsuites>')
    sys.exit(0)

from torch import nn  # noqa: E402

import gridwise.torch  # noqa: E402
from gridwise.torch import eager, ops  # noqa: E402
from gridwise.torch.choices import decider  # noqa: E402

ON_GPU = torch.cuda.is_available()
DEVICE = "cuda" if ON_GPU else "cpu"
TARGET = os.environ.get("GRIDWISE_TEST_TARGET", "gfx942")
HALF = torch.float16
LAST = {1: torch.contiguous_format, 2: torch.channels_last, 3: torch.channels_last_3d}
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1.5e-2, torch.float32: 1e-5}


def setUpModule():
    torch.backends.cudnn.allow_tf32 = False
    if not ON_GPU:
        gridwise.torch.simulate(TARGET)


def only_on_gpu(test):
    return unittest.skipUnless(ON_GPU, "needs a GPU")(test)


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        decider.off = False
        gridwise.torch.use(nn.Identity(), decide="always", cache=False)
        gridwise.torch.forget()

    def assert_close(self, actual, expected, dtype=HALF, message=""):
        self.assertEqual(actual.shape, expected.shape, message)
        actual, expected = actual.detach().double(), expected.detach().double()
        error = ((actual - expected).norm() / expected.norm().clamp(min=1e-30)).item()
        self.assertLess(error, TOLERANCE[dtype], message)

    def assert_gridwise(self, count):
        """That Gridwise computed all, so many questions."""
        rows = gridwise.torch.report()
        self.assertEqual([row for row in rows if row.by != "gridwise"], [], str(rows))
        self.assertEqual(len(rows), count, str(rows))


def tensor(*shape, dtype=HALF, order=torch.contiguous_format, grad=True):
    return torch.randn(shape, device=DEVICE).to(dtype).contiguous(memory_format=order).requires_grad_(grad)


def gradients(function, tensors, dy):
    """The output of a function, and gradients of its tensors."""
    y = function(*tensors)
    return (y, *torch.autograd.grad(y, [t for t in tensors if t is not None], dy(y)))


class OpsTest(Case):
    def check(self, x, w, bias, arguments, dtype):
        tensors = (x, w, bias)
        dy = {}

        def upstream(y):
            if not dy:
                dy["value"] = torch.randn_like(y)
            return dy["value"].to(y.dtype)

        actual = gradients(lambda *t: ops.convolution(*t, *arguments), tensors, upstream)
        exact = [None if t is None else t.detach().to(torch.float64).requires_grad_() for t in tensors]
        expected = gradients(lambda *t: torch.ops.aten.convolution(*t, *arguments), exact, upstream)
        for name, a, e in zip(("y", "dx", "dw", "db"), actual, expected):
            self.assert_close(a, e, dtype, f"{name} of {tuple(x.shape)}, {tuple(w.shape)}, {arguments}")
        self.assertEqual(actual[1].stride(), x.stride())
        self.assertEqual(actual[2].stride(), w.stride())

    def test_every_rank_order_and_type(self):
        for rank in (1, 2, 3):
            for transposed in (False, True):
                for order in {torch.contiguous_format, LAST[rank]}:
                    for dtype in (HALF, torch.bfloat16, torch.float32):
                        with self.subTest(rank=rank, transposed=transposed, order=order, dtype=dtype):
                            gridwise.torch.forget()
                            w_shape = (8, 3) if transposed else (6, 4)
                            x = tensor(2, 8, *(9, 7, 6)[:rank], dtype=dtype, order=order)
                            w = tensor(*w_shape, *[3] * rank, dtype=dtype, order=order)
                            ones = [1] * rank
                            arguments = ([2] * rank, ones, ones, transposed, [int(transposed)] * rank, 2)
                            self.check(x, w, tensor(6, dtype=dtype), arguments, dtype)
                            self.assert_gridwise(3)

    def test_dilation_depthwise_and_pointwise(self):
        for x, w, arguments in (
            ((2, 16, 11, 10), (24, 16, 3, 3), ([1, 1], [2, 2], [2, 2], False, [0, 0], 1)),
            ((2, 16, 9, 9), (16, 1, 5, 5), ([1, 1], [2, 2], [1, 1], False, [0, 0], 16)),
            ((2, 16, 5, 5), (32, 16, 1, 1), ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)),
            ((2, 3, 16, 16), (16, 3, 7, 7), ([2, 2], [3, 3], [1, 1], False, [0, 0], 1)),
            ((2, 16, 5, 5), (16, 8, 2, 2), ([2, 2], [0, 0], [1, 1], True, [0, 0], 1)),
        ):
            for w_order in (torch.contiguous_format, torch.channels_last):
                gridwise.torch.forget()
                self.check(tensor(*x, order=torch.channels_last), tensor(*w, order=w_order), None, arguments, HALF)
                self.assert_gridwise(3)

    def test_strides_that_are_not_packed(self):
        x = tensor(2, 8, 9, 18, grad=False)[:, :, :, ::2].requires_grad_()
        w = tensor(12, 8, 3, 3, grad=False)[::2].requires_grad_()
        arguments = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        y = ops.convolution(x, w, None, *arguments)
        y.sum().backward()  # the gradient's strides are 0
        exact = [t.detach().double().requires_grad_() for t in (x, w)]
        torch.ops.aten.convolution(*exact, None, *arguments).sum().backward()
        self.assert_close(x.grad, exact[0].grad)
        self.assert_close(w.grad, exact[1].grad)

    def test_an_address_that_copy_engines_refuse(self):
        x = tensor(1 + 2 * 8 * 5 * 5, grad=False)[1:].view(2, 8, 5, 5)
        self.assertNotEqual(x.data_ptr() % 16, 0)
        w = tensor(8, 8, 3, 3, grad=False)
        arguments = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        expected = torch.ops.aten.convolution(x.double(), w.double(), None, *arguments)
        self.assert_close(ops.convolution(x, w, None, *arguments), expected)

    def test_registrations(self):
        arguments = ([1, 1], [1, 1], [1, 1], False, [0, 0], 2)
        x, w, dy = tensor(2, 8, 6, 6), tensor(6, 4, 3, 3), tensor(2, 6, 6, 6)
        tests = ("test_schema", "test_autograd_registration", "test_faketensor")
        for op, tensors in (
            (ops.convolution, (x, w, None, *arguments)),
            (ops.convolution, (x.detach().contiguous(memory_format=torch.channels_last), w, tensor(6), *arguments)),
            (ops.data_gradient, (dy, w, x.shape, True, *arguments)),
            (ops.weight_gradient, (dy, x, w.shape, False, True, *arguments)),
        ):
            torch.library.opcheck(op, tensors, test_utils=tests)

    def test_gradients_of_gradients(self):
        """In f64, which aten computes: the formulas."""
        for w, transposed in (((6, 4, 3, 3), False), ((8, 3, 3, 3), True)):
            tensors = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((1, 8, 3, 3), w)]
            arguments = ([2, 2], [1, 1], [1, 1], transposed, [0, 0], 2)
            function = lambda x, w: ops.convolution(x, w, None, *arguments)
            self.assertTrue(torch.autograd.gradgradcheck(function, tensors))

    def test_transforms(self):
        x, w = tensor(2, 8, 6, 6, dtype=torch.float32), tensor(6, 4, 3, 3, dtype=torch.float32, grad=False)
        arguments = ([1, 1], [1, 1], [1, 1], False, [0, 0], 2)
        of = lambda function: torch.func.grad(lambda w: function(x.detach(), w, None, *arguments).square().sum())(w)
        self.assert_close(of(ops.convolution), of(torch.ops.aten.convolution.default), torch.float32)


class RefusalsTest(Case):
    """What Gridwise does not compute aten does, and the report has the reason."""

    ARGUMENTS = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)

    def reason(self, x, w):
        y = ops.convolution(x, w, None, *self.ARGUMENTS)
        self.assertTrue(torch.equal(y, torch.ops.aten.convolution(x, w, None, *self.ARGUMENTS)))
        (row,) = gridwise.torch.report()
        self.assertEqual(row.by, "aten")
        return row.reason

    def test_types(self):
        tensors = [torch.randn(shape, dtype=torch.float64, device=DEVICE) for shape in ((2, 4, 5, 5), (4, 4, 3, 3))]
        self.assertEqual(self.reason(*tensors), "tensors of float64 have no kernels")

    def test_empty(self):
        self.assertEqual(self.reason(tensor(0, 4, 5, 5, grad=False), tensor(4, 4, 3, 3, grad=False)), "empty tensors")

    @only_on_gpu
    def test_the_slow_path(self):
        """Strides above 8 that are not the filter's length: hopper/README.md, "Limits"."""
        gridwise.torch.use(nn.Identity(), decide="model", cache=False)
        arguments = ([9, 9], [1, 1], [1, 1], False, [0, 0], 1)
        ops.convolution(tensor(2, 16, 40, 40, grad=False), tensor(16, 16, 3, 3, grad=False), None, *arguments)
        (row,) = gridwise.torch.report()
        self.assertEqual((row.by, row.reason), ("aten", "only the kernel for any problem computes it, which is slow"))

    def test_errors_are_as_atens(self):
        with self.assertRaisesRegex(RuntimeError, "channels|same"):
            ops.convolution(tensor(2, 4, 5, 5), tensor(4, 5, 3, 3), None, *self.ARGUMENTS)
        with self.assertRaisesRegex(RuntimeError, "stride"):
            ops.convolution(tensor(2, 4, 5, 5), tensor(4, 4, 3, 3), None, [0, 0], *self.ARGUMENTS[1:])
        with self.assertRaisesRegex(RuntimeError, "type"):
            ops.convolution(tensor(2, 4, 5, 5), tensor(4, 4, 3, 3, dtype=torch.float32), None, *self.ARGUMENTS)

    def test_a_bias_that_does_not_fit(self):
        """After one that did, of the same tensors: aten refuses it or not, and Gridwise does not see it."""

        def outcome(function, bias):
            try:
                return function(x, w, bias, *self.ARGUMENTS)
            except RuntimeError:
                return None

        x, w = tensor(2, 4, 5, 5, grad=False), tensor(4, 4, 3, 3, grad=False)
        ops.convolution(x, w, tensor(4), *self.ARGUMENTS)
        for bias in (tensor(4, dtype=torch.float32), tensor(3)):
            actual, expected = (outcome(function, bias) for function in (ops.convolution, torch.ops.aten.convolution))
            self.assertEqual(actual is None, expected is None)
            self.assertTrue(expected is None or torch.equal(actual, expected))
        taken = [row for row in gridwise.torch.report() if row.by == "gridwise"]
        self.assertEqual([row.calls for row in taken], [1])

    @only_on_gpu
    def test_tf32(self):
        torch.backends.cudnn.allow_tf32 = True
        try:
            tensors = tensor(2, 4, 5, 5, dtype=torch.float32, grad=False), tensor(4, 4, 3, 3, dtype=torch.float32, grad=False)
            y = ops.convolution(*tensors, None, *self.ARGUMENTS)
            self.assert_gridwise(1)
            self.assertIn(" tf32 ", gridwise.torch.report()[0].problem)
            expected = torch.ops.aten.convolution(*(t.double() for t in tensors), None, *self.ARGUMENTS)
            self.assertLess((y - expected).norm() / expected.norm(), 2e-3)
            if hasattr(torch.backends.cudnn, "conv"):
                gridwise.torch.forget()
                torch.backends.cudnn.conv.fp32_precision = "ieee"  # and that of recurrent networks stays as it is
                ops.convolution(*tensors, None, *self.ARGUMENTS)
                self.assert_gridwise(1)
                torch.backends.cudnn.conv.fp32_precision = "tf32"
        finally:
            torch.backends.cudnn.allow_tf32 = False

    def test_the_environment_turns_all_off(self):
        program = (
            "import torch, gridwise.torch\n"
            "model = gridwise.torch.use(torch.nn.Sequential(torch.nn.Conv2d(4, 4, 3)))\n"
            "print(type(model[0]).__module__)\n"
        )
        environment = {**os.environ, "PYTHONPATH": "gridwise/python:" + os.environ.get("PYTHONPATH", "")}
        for value, module in (("off", "torch.nn.modules.conv"), ("on", "gridwise.torch.modules")):
            said = subprocess.run(
                [sys.executable, "-c", program], env={**environment, "GRIDWISE_TORCH": value}, capture_output=True, check=True
            )
            self.assertEqual(said.stdout.decode().strip(), module)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.body = nn.Conv2d(16, 16, 3, padding="same", groups=4)
        self.reflected = nn.Conv2d(16, 8, 3, padding=1, padding_mode="reflect")
        self.even = nn.Conv2d(8, 8, 2, padding="same")
        self.up = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        x = torch.relu(self.norm(self.stem(x)))
        return self.up(torch.relu(self.even(self.reflected(torch.relu(self.body(x))))))


class ModulesTest(Case):
    LAYERS = 5

    def setUp(self):
        super().setUp()
        self.theirs = Net().to(DEVICE).to(memory_format=torch.channels_last)
        self.ours = gridwise.torch.use(copy.deepcopy(self.theirs), decide="always", cache=False)
        self.x = torch.randn(2, 3, 16, 16, device=DEVICE).contiguous(memory_format=torch.channels_last)

    def test_use_and_restore(self):
        self.assertIs(type(self.ours.body), gridwise.torch.Conv2d)
        self.assertIsInstance(self.ours.body, nn.Conv2d)
        self.assertEqual(self.ours.state_dict().keys(), self.theirs.state_dict().keys())
        self.ours.load_state_dict(self.theirs.state_dict())
        self.assertIs(type(copy.deepcopy(self.ours).up), gridwise.torch.ConvTranspose2d)
        gridwise.torch.restore(self.ours)
        self.assertIs(type(self.ours.body), nn.Conv2d)
        self.assertEqual(vars(self.ours.body).keys(), vars(self.theirs.body).keys())

    def loss_and_gradients(self, net, **autocast):
        net.zero_grad()
        with torch.autocast(DEVICE, enabled=bool(autocast), **autocast):
            y = net(self.x)
        y.float().square().mean().backward()
        return y, {name: p.grad.clone() for name, p in net.named_parameters()}

    def compare(self, ours, theirs, dtype, factor=1.0):
        self.assertEqual(ours[0].dtype, theirs[0].dtype)
        self.assertEqual(ours[0].stride(), theirs[0].stride())
        errors = {"y": (ours[0], theirs[0]), **{name: (g, theirs[1][name]) for name, g in ours[1].items()}}
        for name, (a, e) in errors.items():
            error = ((a - e).float().norm() / e.float().norm().clamp(min=1e-6)).item()
            self.assertLess(error, factor * TOLERANCE[dtype], name)

    def test_training_step(self):
        self.compare(self.loss_and_gradients(self.ours), self.loss_and_gradients(self.theirs), torch.float32, 10)
        self.assert_gridwise(3 * self.LAYERS - 1)  # no gradient of the input

    def test_autocast(self):
        for dtype in (torch.bfloat16, HALF):
            with self.subTest(dtype=dtype):
                gridwise.torch.forget()
                ours, theirs = (self.loss_and_gradients(net, dtype=dtype) for net in (self.ours, self.theirs))
                self.assertEqual(ours[0].dtype, dtype)
                self.compare(ours, theirs, dtype, 10)
                self.assert_gridwise(3 * self.LAYERS - 1)

    def test_report_names_layers(self):
        self.loss_and_gradients(self.ours)
        rows = gridwise.torch.report(self.ours)
        named = {layer for row in rows for layer in row.layers}
        self.assertEqual(named, {"stem", "body", "reflected", "even", "up"})
        self.assertIn(f"Gridwise computes {len(rows)} of {len(rows)}.", str(rows))
        rows = gridwise.torch.report(self.theirs)
        self.assertIn(("stem",), [row.layers for row in rows if "use() has not seen it" in row.reason])

    def test_unbatched_and_empty_batches(self):
        self.ours.eval(), self.theirs.eval()
        for x in (self.x[0], self.x[:0]):
            layer = lambda net: net.stem(x)
            self.assertEqual(layer(self.ours).shape, layer(self.theirs).shape)

    def test_output_size(self):
        x = torch.randn(2, 8, 5, 5, device=DEVICE)
        sizes = [net.up(x, output_size=(9, 10)).shape for net in (self.ours, self.theirs)]
        self.assertEqual(*sizes)

    def test_other_ways_to_run_a_model(self):
        """Saved whole, traced by torch.fx (which sees aten's), exported, checkpointed, in inference mode, profiled."""
        file = io.BytesIO()
        torch.save(self.ours, file)
        file.seek(0)
        loaded = torch.load(file, weights_only=False)
        self.assertIs(type(loaded.body), gridwise.torch.Conv2d)
        ours = self.ours.eval()
        expected = ours(self.x)
        self.assert_close(torch.fx.symbolic_trace(ours)(self.x), expected, torch.float32)
        exported = torch.export.export(ours, (self.x,))
        targets = [str(node.target) for node in exported.graph.nodes]
        self.assertEqual(targets.count("gridwise.convolution.default"), self.LAYERS)
        y = torch.utils.checkpoint.checkpoint(ours, self.x, use_reentrant=False)
        self.assertTrue(torch.equal(y, expected))
        y.sum().backward()
        with torch.inference_mode():
            self.assertTrue(torch.equal(ours(self.x), expected))
        with torch.profiler.profile() as profile:
            ours(self.x)
        # The first where Python is asked, the second where the library of eager calls is.
        names = ("gridwise::convolution", "aten::convolution_overrideable")
        self.assertIn(self.LAYERS, [event.count for event in profile.key_averages() if event.key in names])

    def test_compile_of_any_batch(self):
        torch._dynamo.reset()
        compiled = torch.compile(self.ours, backend="aot_eager", fullgraph=True, dynamic=True)
        for batch in (2, 3, 5):
            x = torch.randn(batch, 3, 16, 14, device=DEVICE, requires_grad=True)
            self.assert_close(compiled(x), self.ours(x), torch.float32)

    def test_compile_has_one_graph(self):
        graphs = []

        def backend(graph, _):
            graphs.append(graph)
            return graph.forward

        torch._dynamo.reset()
        compiled = torch.compile(self.ours, backend=backend, fullgraph=True)
        self.assert_close(compiled(self.x), self.ours(self.x), torch.float32)
        self.assertEqual(len(graphs), 1)
        calls = [node for node in graphs[0].graph.nodes if "gridwise.convolution" in str(node.target)]
        self.assertEqual(len(calls), self.LAYERS)

    def test_compile_trains(self):
        """AOTAutograd traces both gradients; on a GPU inductor compiles what is around them."""
        torch._dynamo.reset()
        compiled = torch.compile(self.ours, backend="inductor" if ON_GPU else "aot_eager", fullgraph=True)
        ours, theirs = self.loss_and_gradients(compiled), self.loss_and_gradients(self.theirs)
        gradients = {name.removeprefix("_orig_mod."): g for name, g in ours[1].items()}
        self.compare((ours[0], gradients), theirs, torch.float32, 10)
        self.assert_gridwise(3 * self.LAYERS - 1)

    @only_on_gpu
    def test_cuda_graph(self):
        x = self.x.clone()
        with torch.no_grad(), torch.autocast("cuda", dtype=HALF):
            self.ours.eval()(x)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = self.ours(x)
            for _ in range(2):
                x.copy_(torch.randn_like(x))
                graph.replay()
                torch.cuda.synchronize()
                self.assert_close(y, self.theirs.eval()(x))
        self.assert_gridwise(self.LAYERS)

    @only_on_gpu
    def test_a_capture_before_the_first_call(self):
        x, w = tensor(2, 8, 6, 6, grad=False), tensor(8, 8, 3, 3, grad=False)
        arguments = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        torch.ops.aten.convolution(x, w, None, *arguments)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = ops.convolution(x, w, None, *arguments)
        graph.replay()
        self.assert_close(y, torch.ops.aten.convolution(x.double(), w.double(), None, *arguments))
        self.assertEqual(len(gridwise.torch.report()), 0)
        ops.convolution(x, w, None, *arguments)
        self.assert_gridwise(1)

    @only_on_gpu
    def test_streams(self):
        x, w = tensor(32, 64, 56, 56, grad=False), tensor(64, 64, 3, 3, grad=False)
        arguments = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        expected = torch.ops.aten.convolution((x + 1).float(), w.float(), None, *arguments)
        ops.convolution(x, w, None, *arguments)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(20):
                torch.randn(1 << 24, device="cuda").sort()  # what comes before is late
            y = ops.convolution(x + 1, w, None, *arguments)
        stream.synchronize()
        self.assert_close(y, expected)


@unittest.skipUnless(eager.library, "there is no library of eager calls")
class EagerTest(Case):
    """Without Python from the second call on: by kernels on a GPU; on the CPU, whose simulator is behind Python, by aten alone."""

    ARGUMENTS = ((1, 1), (1, 1), (1, 1), False, (0, 0), 2)
    DTYPE = HALF if ON_GPU else torch.float64

    def tensors(self, order=torch.channels_last):
        make = lambda *shape: tensor(*shape, dtype=self.DTYPE, order=order)
        return make(2, 8, 6, 6), make(6, 4, 3, 3), tensor(6, dtype=self.DTYPE)

    def counted(self):
        """The number of calls that Python sees from now on."""
        calls = []
        run = ops._run
        self.addCleanup(setattr, ops, "_run", run)
        ops._run = lambda *arguments: calls.append(arguments[0][0]) or run(*arguments)
        return calls

    def check(self, needed, tensors):
        x, w, bias = (t.detach().requires_grad_(is_needed) for t, is_needed in zip(tensors, needed))
        exact = [t.detach().double().requires_grad_(t.requires_grad) for t in (x, w, bias)]
        y = eager.convolution(x, w, bias, *self.ARGUMENTS)
        expected = torch.ops.aten.convolution(*exact, *self.ARGUMENTS)
        dy = torch.randn_like(y)
        y.backward(dy), expected.backward(dy.double())
        self.assert_close(y, expected)
        for actual, reference in zip((x, w, bias), exact):
            self.assertEqual(actual.grad is None, reference.grad is None)
            if actual.grad is not None:
                self.assert_close(actual.grad, reference.grad)

    def test_every_set_of_gradients(self):
        sets = [(i & 1 > 0, i & 2 > 0, i & 4 > 0) for i in range(1, 8)]
        for order in (torch.channels_last, torch.contiguous_format):
            for needed in sets:
                self.check(needed, self.tensors(order))
            calls = self.counted()
            for needed in sets:
                self.check(needed, self.tensors(order))
            self.assertEqual(calls, [])
            gridwise.torch.forget()
            self.check(sets[0], self.tensors(order))
            self.assertGreater(len(calls), 0)

    def test_one_gradient_is_atens(self):
        tensors = self.tensors()
        self.check((True, True, True), tensors)
        for question, choice in decider.choices.items():
            if question.wanted == "weight gradient":
                choice.executable = None
        ops._known.clear(), eager.forget()
        self.check((True, True, True), tensors)
        calls = self.counted()
        self.check((True, True, True), tensors)
        self.assertEqual(calls, [])

    def test_without_gradients(self):
        x, w, bias = (t.detach() for t in self.tensors())
        calls = self.counted()
        for _ in range(3):
            for b in (bias, None):
                y = eager.infer(x, w, b, *self.ARGUMENTS)
                exact = (None if t is None else t.double() for t in (x, w, b))
                self.assert_close(y, torch.ops.aten.convolution(*exact, *self.ARGUMENTS))
        self.assertEqual(len(calls), 2)
        self.assertEqual([row.calls for row in gridwise.torch.report()], [3, 3])

    def test_gradients_of_biases(self):
        """Few pixels, many, a prime number of them, and tensors that are not contiguous."""
        for batch, size in ((1, (5, 5)), (4, (14, 14)), (1, (40, 64)), (1, (23, 23)), (1, (1, 1009))):
            for order in (torch.channels_last, torch.contiguous_format):
                dy = tensor(batch, 6, *size, dtype=self.DTYPE, order=order, grad=False)
                for given in (dy, dy[..., 1:] if size[1] > 1 else dy):
                    self.assert_close(ops._bias_gradient(given), given.double().sum((0, 2, 3)))
                w = tensor(6, 4, 1, 1, dtype=self.DTYPE, order=order)
                x = tensor(batch, 8, *size, dtype=self.DTYPE, order=order)
                for _ in range(2):  # the second time without Python
                    bias = tensor(6, dtype=self.DTYPE)
                    y = eager.convolution(x, w, bias, (1, 1), (0, 0), (1, 1), False, (0, 0), 2)
                    y.backward(dy)
                    self.assert_close(bias.grad, dy.double().sum((0, 2, 3)))

    @only_on_gpu
    def test_a_layer_when_tf32_is_turned_off(self):
        layer = gridwise.torch.use(nn.Conv2d(16, 16, 3).cuda(), decide="always", cache=False)
        x = tensor(2, 16, 8, 8, dtype=torch.float32)
        computed = lambda by: sum(row.by == by for row in gridwise.torch.report())
        try:
            for allowed, expected in ((True, 3), (False, 6), (True, 6)):
                torch.backends.cudnn.allow_tf32 = allowed
                for _ in range(4):
                    y = layer(x)
                    y.sum().backward()
                self.assertEqual((computed("aten"), computed("gridwise")), (0, expected))
                self.assertNotEqual(y.grad_fn.name(), "ConvolutionBackward0")
        finally:
            torch.backends.cudnn.allow_tf32 = False

    def test_what_a_misaligned_call_learns_is_not_kept(self):
        """Nor is it decided for such tensors, which are copied."""
        x, w, _ = (t.detach() for t in self.tensors(torch.contiguous_format))
        misaligned = torch.empty(x.numel() + 1, dtype=x.dtype, device=x.device)[1:].view_as(x).copy_(x)
        expected = torch.ops.aten.convolution(x.double(), w.double(), None, *self.ARGUMENTS)
        decided = []
        choose = decider.choose
        self.addCleanup(setattr, decider, "choose", choose)
        decider.choose = lambda question, compute: decided.append(compute(choose(question, compute))) or choose(question, compute)
        pointers = []
        compute = ops._compute
        self.addCleanup(setattr, ops, "_compute", compute)
        ops._compute = lambda choice, tensors: pointers.append(tensors[0].data_ptr() % 16) or compute(choice, tensors)
        calls = self.counted()
        for tensor, count in ((misaligned, 1), (x, 2), (x, 2), (misaligned, 3), (x, 3)):
            self.assert_close(eager.convolution(tensor, w, None, *self.ARGUMENTS), expected)
            self.assertEqual(len(calls), count)
        self.assert_close(*decided, expected)
        self.assertEqual(pointers[0], 0)

    @only_on_gpu
    def test_a_bias_that_pytorch_adds(self):
        from gridwise.torch.choices import Choice

        choose = lambda question, *_: Choice(question, "", question.problem(apart=True).plans(1)[0], question.bias)
        self.addCleanup(setattr, decider, "_choose_plan", decider._choose_plan)
        decider._choose_plan = choose
        for order in (torch.channels_last, torch.contiguous_format):
            tensors = self.tensors(order)
            self.check((True, True, True), tensors)
            calls = self.counted()
            self.check((True, True, True), tensors)
            self.assertEqual(calls, [])

    def test_gradients_of_gradients(self):
        tensors = [torch.randn(shape, dtype=torch.float64, requires_grad=True, device=DEVICE) for shape in ((1, 8, 3, 3), (6, 4, 3, 3))]
        function = lambda x, w: eager.convolution(x, w, None, *self.ARGUMENTS)
        self.assertTrue(torch.autograd.gradgradcheck(function, tensors))

    def test_errors_have_atens_words(self):
        layer = gridwise.torch.use(nn.Conv2d(8, 6, 3).to(DEVICE, HALF), decide="always", cache=False)
        with self.assertRaisesRegex(RuntimeError, "type"):
            layer(torch.randn(2, 8, 6, 6, device=DEVICE))
        with self.assertRaisesRegex(RuntimeError, "channels"):
            layer(torch.randn(2, 4, 6, 6, device=DEVICE, dtype=HALF))

    def test_layers_that_are_atens_altogether(self):
        """They become PyTorch's again, once their gradients are decided."""
        layer = gridwise.torch.use(nn.Conv2d(8, 6, 3).to(DEVICE, torch.float64), decide="always", cache=False)
        x = tensor(2, 8, 6, 6, dtype=torch.float64)
        self.assertIn("Overrideable", layer(x).grad_fn.name())
        layer(x).sum().backward()
        self.assertIn("Overrideable", layer(x).grad_fn.name())
        self.assertEqual(layer(x).grad_fn.name(), "ConvolutionBackward0")
        gridwise.torch.forget()
        self.assertIn("Overrideable", layer(x).grad_fn.name())


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.Conv2d(16, 16, 1)
        self.norms = nn.ModuleList(nn.BatchNorm2d(16) for _ in range(2))
        for norm in self.norms:
            for values in (norm.weight, norm.bias, norm.running_mean, norm.running_var):
                nn.init.uniform_(values, 0.5, 1.5)

    def forward(self, x):
        y = torch.relu(self.norms[0](self.one(x)))
        y = self.norms[1](self.two(y))
        y += x
        return torch.relu_(y)


class OptimizeTest(Case):
    def setUp(self):
        super().setUp()
        self.x = tensor(2, 16, 8, 8, dtype=torch.float32, order=torch.channels_last, grad=False)

    def fused(self, model):
        """What is fused into each convolution: a residual, relu. Checks the output."""
        model = model.to(DEVICE).eval()
        with torch.no_grad():
            optimized = gridwise.torch.optimize(model, self.x)
            self.assert_close(optimized(self.x), model(self.x), torch.float32)
        calls = [node for node in optimized.graph.nodes if node.op == "call_function"]
        self.assertFalse(any("norm" in str(node.target) for node in calls))
        return [(node.args[3] is not None, node.args[4]) for node in calls if "gridwise.fused" in str(node.target)]

    def test_norms_residuals_and_relus(self):
        model = nn.Sequential(Block(), Block())
        self.assertEqual(self.fused(model), [(False, True), (True, True)] * 2)
        self.assertIs(type(model[0].norms[0]), nn.BatchNorm2d)
        self.assert_gridwise(2)

    def test_what_others_read_is_not_fused(self):
        class Fork(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two = nn.Conv2d(16, 16, 1), nn.Conv2d(16, 16, 1)

            def forward(self, x):
                y = self.one(x)
                z = x * 2
                z += self.two(y)  # in place of something else than a convolution's output
                return torch.relu(y) + z + torch.add(y, x, alpha=3)

        self.assertEqual(self.fused(Fork()), [(False, False)] * 2)

    def test_parallel_convolutions_are_one(self):
        def convolution(size, **arguments):
            return nn.Conv2d(16, 16, size, padding=arguments.get("dilation", 1) * (size // 2), **arguments)

        def normalised(layer):
            norm = nn.BatchNorm2d(16)
            for values in (norm.weight, norm.bias, norm.running_mean, norm.running_var):
                nn.init.uniform_(values, 0.5, 1.5)
            return nn.Sequential(layer, norm)

        class Sum(nn.Module):
            def __init__(self, *branches):
                super().__init__()
                self.branches = nn.ModuleList(branches)

            def forward(self, x):
                first, *rest = (branch(x) for branch in self.branches)
                for other in rest:
                    first = first + other
                return torch.relu(first)

        three, one = normalised(convolution(3, bias=False)), normalised(convolution(1))
        for branches in (
            (one, three, normalised(nn.Identity())),
            (normalised(nn.Identity()), three),
            (convolution(3, stride=2), convolution(1, stride=2)),
            (nn.Conv2d(16, 16, 2, stride=2), convolution(3, stride=2)),
            (convolution(3, groups=4), normalised(nn.Identity()), convolution(1, groups=4)),
            (convolution(5), convolution(3, dilation=2)),
        ):
            self.assertEqual(self.fused(Sum(*branches)), [(False, True)])
        apart = [(False, False), (True, True)]
        for branches in (
            (convolution(3), convolution(1, groups=4)),
            (convolution(3), convolution(3, dilation=2)),
        ):
            self.assertEqual(sorted(self.fused(Sum(*branches))), apart)

    def test_what_is_changed_in_place_is_not_read_later(self):
        class Changed(nn.Module):
            def __init__(self):
                super().__init__()
                self.three, self.one = nn.Conv2d(16, 16, 3, padding=1), nn.Conv2d(16, 16, 1)

            def forward(self, x):
                x = x * 2
                y = self.three(x)
                x.relu_()
                return y + self.one(x)

        self.assertEqual(self.fused(Changed()), [(True, False)])  # the second, whose input is what relu_ returns

    def test_what_a_view_changes_is_not_read_later(self):
        class Changed(nn.Module):
            def __init__(self, is_residual, dropout):
                super().__init__()
                self.one, self.is_residual, self.dropout = nn.Conv2d(16, 16, 1), is_residual, dropout

            def forward(self, x):
                z = x * 2
                same = self.dropout(z)  # z itself in evaluation mode
                y = self.one(x) + same if self.is_residual else self.one(same) + x
                z[:1].relu_()
                return torch.relu(y) + z

        for is_residual in (False, True):
            for dropout in (nn.Identity(), nn.Dropout(), nn.Dropout2d(), nn.AlphaDropout()):
                self.assertEqual(self.fused(Changed(is_residual, dropout)), [])

    def test_atens_stay_apart(self):
        decider.off = True
        self.assertEqual(self.fused(Block()), [])

    def test_what_follows_stays_apart(self):
        """Where Gridwise computes the convolution alone: PyTorch's compiler fuses the rest."""
        from gridwise.torch.choices import Choice

        choose = lambda question, *_: Choice(question, "", question.problem(apart=True).plans(1)[0], question.has_epilogue)
        self.addCleanup(setattr, decider, "_choose_plan", decider._choose_plan)
        decider._choose_plan = choose
        model = Block()
        self.assertEqual(self.fused(model), [])
        with torch.no_grad():
            graph = gridwise.torch.optimize(model, self.x).graph
        targets = [node.target for node in graph.nodes]
        self.assertEqual(targets.count(ops.convolution), 2)
        self.assertNotIn(torch.ops.aten.convolution.default, targets)

    def test_training_mode(self):
        with self.assertRaisesRegex(ValueError, "training mode"):
            gridwise.torch.optimize(Block(), self.x)


class FuseTest(Case):
    """Fuses normalisation with what follows it. Without a GPU, aten computes the layers of the graph that is tested."""

    def compare(self, model, *inputs, dtype=HALF):
        """One step of a model, and of its graph: outputs, gradients and running statistics. Returns the graph."""
        model = model.to(DEVICE).train()
        copied = copy.deepcopy(model)
        fused = gridwise.torch.fuse(copied)
        self.assertEqual(fused.state_dict().keys(), model.state_dict().keys())
        results = []
        for module, parameters in ((fused, copied), (model, model)):
            leaves = [x.detach().clone().requires_grad_() for x in inputs]
            y = module(*leaves)
            generator = torch.Generator(DEVICE).manual_seed(1)
            y.backward(torch.randn(y.shape, generator=generator, device=DEVICE).to(y.dtype))
            gradients = [parameter.grad for parameter in parameters.parameters()]
            results.append((y, *(leaf.grad for leaf in leaves), *gradients, *parameters.buffers()))
        for i, (actual, expected) in enumerate(zip(*results)):
            self.assert_close(actual, expected, dtype, f"{i} of {len(results[0])}")
        return fused

    def layers(self, fused):
        return [(type(layer).__name__, layer.kind) for layer in fused.modules() if hasattr(layer, "kind")]

    def arguments(self, fused):
        """The number of tensors that each layer takes."""
        nodes = [node for node in fused.graph.nodes if node.op == "call_module"]
        return [len(node.args) for node in nodes if hasattr(fused.get_submodule(node.target), "kind")]

    def test_residuals_and_relus(self):
        x = tensor(4, 16, 8, 8, dtype=torch.float32, order=torch.channels_last)
        fused = self.compare(nn.Sequential(Block(), Block()), x, dtype=torch.float32)
        self.assertEqual(self.layers(fused), [("Norm", "relu")] * 4)
        self.assertEqual(self.arguments(fused), [1, 2, 1, 2])
        self.assertFalse(any("relu" in str(node.target) for node in fused.graph.nodes))

    def test_sums_of_several_norms(self):
        class Branches(nn.Module):
            def __init__(self):
                super().__init__()
                self.norms, self.act = nn.ModuleList(nn.BatchNorm2d(6) for _ in range(3)), nn.ReLU(inplace=True)

            def forward(self, x):
                identity = self.norms[0](x)
                y = self.norms[1](2 * x) + self.norms[2](3 * x)
                y += identity
                return self.act(y)

        fused = self.compare(Branches(), tensor(4, 6, 5, 5, dtype=torch.float32), dtype=torch.float32)
        self.assertEqual(sorted(kind for _, kind in self.layers(fused)), ["none", "none", "relu"])
        self.assertEqual(sorted(self.arguments(fused)), [1, 2, 2])

    def test_what_others_read_is_not_fused(self):
        class Fork(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.act = nn.BatchNorm2d(6), nn.ReLU()

            def forward(self, x):
                y = self.norm(x)
                return self.act(y) + y

        fused = self.compare(Fork(), tensor(4, 6, 5, 5, dtype=torch.float32), dtype=torch.float32)
        self.assertEqual(self.layers(fused), [("Norm", "none")])

    def test_what_is_changed_in_place_is_not_read_later(self):
        class Changes(nn.Module):
            def __init__(self, change):
                super().__init__()
                self.norm, self.change = nn.BatchNorm2d(6), change

            def forward(self, x):
                shortcut = x * 2
                y = self.norm(x) + shortcut
                self.change(shortcut)
                return torch.relu(y) + shortcut

        for change in (
            lambda z: z.relu_(),
            lambda z: z.view(-1).relu_(),
            lambda z: torch.nn.functional.relu(z[:1], inplace=True),
            lambda z: torch.ops.aten.relu_.default(z),
        ):
            fused = self.compare(Changes(change), tensor(4, 6, 5, 5, dtype=torch.float32), dtype=torch.float32)
            self.assertEqual(self.layers(fused), [("Norm", "none")])
            self.assertEqual(self.arguments(fused), [2])

    def test_layers_that_stay(self):
        model = nn.Sequential(nn.BatchNorm2d(4), nn.ReLU(), nn.SyncBatchNorm(4), nn.BatchNorm2d(4))
        model[0].register_forward_hook(lambda *_: None)
        model.append(model[3])  # called twice
        fused = gridwise.torch.fuse(model)
        self.assertEqual(self.layers(fused), [])
        model = nn.Sequential(nn.BatchNorm2d(4), nn.ReLU())
        converted = nn.SyncBatchNorm.convert_sync_batchnorm(gridwise.torch.fuse(model))
        self.assertEqual(self.layers(converted), [("Norm", "relu")])
        model = nn.Sequential(nn.BatchNorm2d(4), nn.Identity(), nn.ReLU())
        seen = []
        model[1].register_forward_hook(lambda *_: seen.append(True))
        fused = gridwise.torch.fuse(model)
        fused(torch.randn(2, 4, 3, 3))
        self.assertEqual((self.layers(fused), seen), ([("Norm", "none")], [True]))
        with self.assertRaisesRegex(ValueError, "train"):
            gridwise.torch.fuse(model.eval())

    def test_parameters_are_the_models(self):
        model = nn.Sequential(nn.BatchNorm2d(4), nn.ReLU())
        fused = gridwise.torch.fuse(model)
        self.assertEqual({id(p) for p in fused.parameters()}, {id(p) for p in model.parameters()})
        fused(torch.randn(2, 4, 3, 3))
        self.assertEqual(model[0].num_batches_tracked.item(), 1)
        model.double()
        self.assertEqual(fused(torch.randn(2, 4, 3, 3).double()).dtype, torch.float64)

    @only_on_gpu
    def test_kernels(self):
        shapes = [(2, 64, 5, 7), (3, 18, 7, 5), (64, 18, 14, 14), (2, 2048, 7, 7), (5, 3, 33, 9), (3, 7, 100), (96, 24)]
        shapes += [(2, 12, 3, 5, 7), (1, 100, 300, 200)]
        kinds = [("none", False), ("none", True), ("relu", False), ("relu", True), ("relu6", False), ("hardswish", False), ("silu", False)]
        for shape in shapes:
            for dtype in (HALF, torch.bfloat16):
                for kind, residual in kinds:
                    with self.subTest(shape=shape, dtype=dtype, kind=kind, residual=residual):
                        self.check_kernels(shape, dtype, kind, residual)

    def check_kernels(self, shape, dtype, kind, has_residual):
        from gridwise.torch.norms import ACTIVATIONS, Norm

        gridwise.torch.forget()
        rank, c = len(shape) - 2, shape[1]
        layer = (nn.BatchNorm1d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[rank](c).to(DEVICE)
        nn.init.uniform_(layer.weight, -1, 1.5)
        nn.init.normal_(layer.bias)
        exact = copy.deepcopy(layer).double()
        norm = Norm(layer, kind, "norm")
        x = (torch.randn(shape, device=DEVICE) + 30 * torch.rand(c, *[1] * rank, device=DEVICE)).to(dtype)
        last = (0, *range(2, rank + 2), 1)
        x = x.permute(last).contiguous().permute(0, rank + 1, *range(1, rank + 1)).requires_grad_()
        r = torch.randn_like(x).requires_grad_() if has_residual else None
        dy = torch.randn_like(x)
        y = norm(x, r)
        inputs = [x, *([r] if has_residual else [])]
        actual = [y, *torch.autograd.grad(y, [*inputs, layer.weight, layer.bias], dy)]
        doubles = [t.detach().double().requires_grad_() for t in inputs]
        z = exact(doubles[0])
        if has_residual:
            z = z + doubles[1]
        expected = [ACTIVATIONS[kind](z), *torch.autograd.grad(ACTIVATIONS[kind](z), [*doubles, exact.weight, exact.bias], dy.double())]
        for name, a, e in zip(("y", "dx", "dr", "dgamma", "dbeta") if has_residual else ("y", "dx", "dgamma", "dbeta"), actual, expected):
            self.assert_close(a, e, dtype, name)
        self.assert_close(layer.running_mean, exact.running_mean, torch.float32, "mean")
        self.assert_close(layer.running_var, exact.running_var, torch.float32, "variance")
        self.assertEqual(layer.num_batches_tracked.item(), 1)
        (row,) = [row for row in gridwise.torch.report() if row.wanted == "normalisation"]
        self.assertEqual((row.by, row.calls), ("gridwise", 1))

    @only_on_gpu
    def test_not_finite(self):
        from gridwise.torch.norms import Norm

        x = torch.randn(8, 64, 6, 6, device=DEVICE).half().contiguous(memory_format=torch.channels_last)
        x[0, 3, 0, 0], x[1, 5, 2, 2] = float("inf"), float("nan")
        layer = nn.BatchNorm2d(64).to(DEVICE)
        exact = copy.deepcopy(layer)
        y, expected = Norm(layer, "relu", "norm")(x), torch.relu(exact(x))
        self.assertTrue(torch.equal(y.isnan(), expected.isnan()))
        self.assertTrue(torch.equal(layer.running_mean.isnan(), exact.running_mean.isnan()))

    @only_on_gpu
    def test_measured_once_for_all_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            gridwise.torch.use(nn.Identity(), decide="measure", cache=os.path.join(folder, "cache.jsonl"))
            model = nn.Sequential(nn.BatchNorm2d(64), nn.ReLU()).to(DEVICE)
            x = torch.randn(32, 64, 56, 56, device=DEVICE).half().contiguous(memory_format=torch.channels_last)
            fused, rows = gridwise.torch.fuse(model), []
            for _ in range(2):
                gridwise.torch.forget()
                fused(x.requires_grad_())
                rows += gridwise.torch.report()
            self.assertEqual([row.wanted for row in rows], ["normalisation"] * 2)
            self.assertEqual(rows[0][5:7], rows[1][5:7])
            self.assertGreater(rows[0].aten_us, 0)
            self.assertEqual(rows[0].layers, ("0",))
            self.assertEqual(model[0].num_batches_tracked.item(), 2)  # not by measuring

    @only_on_gpu
    def test_cuda_graph_and_compile(self):
        model = nn.Sequential(Block(), Block()).to(DEVICE).to(memory_format=torch.channels_last)
        fused, x = gridwise.torch.fuse(model), tensor(4, 16, 8, 8, order=torch.channels_last)
        with torch.autocast(DEVICE, HALF):
            expected = fused(x)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = fused(x)
            graph.replay()
            self.assert_close(y, expected)
            self.assert_close(torch.compile(fused, fullgraph=True)(x), expected)


class DecisionsTest(Case):
    ARGUMENTS = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)

    @only_on_gpu
    def test_measured_once_for_all_processes(self):
        path = os.path.join(tempfile.mkdtemp(), "a", "choices.jsonl")
        tensors = tensor(8, 64, 28, 28, order=torch.channels_last, grad=False), tensor(64, 64, 3, 3, grad=False)
        gridwise.torch.use(nn.Identity(), decide="measure", cache=path)
        ops.convolution(*tensors, None, *self.ARGUMENTS)
        (row,) = gridwise.torch.report()
        self.assertGreater(row.aten_us, 1)
        self.assertGreater(row.gridwise_us, 1)
        self.assertEqual(row.by == "gridwise", row.gridwise_us < 0.98 * row.aten_us)
        with open(path, "a") as file:  # as of a process that was ended
            file.write('{"key": "half')
        with open(path) as file:
            line = json.loads(file.read().splitlines()[1])
        self.assertEqual(line["us"], [row.aten_us, row.gridwise_us])
        gridwise.torch.use(nn.Identity(), decide="measure", cache=path + "2")  # forgets
        gridwise.torch.use(nn.Identity(), decide="measure", cache=path)
        ops.convolution(*tensors, None, *self.ARGUMENTS)
        (again,) = gridwise.torch.report()
        self.assertEqual((again.aten_us, again.by), (row.aten_us, row.by))

    @only_on_gpu
    def test_candidates_agree(self):
        """Also where the bias is PyTorch's."""
        from gridwise.torch import choices
        from gridwise.torch.convolution import FORWARD, Arguments, Question

        x, w, bias = tensor(4, 32, 15, 15, order=torch.channels_last, grad=False), tensor(32, 32, 3, 3, grad=False), tensor(32)
        expected = torch.ops.aten.convolution(x.double(), w.double(), bias.double(), *self.ARGUMENTS)
        arguments = Arguments.of(*self.ARGUMENTS)
        question = Question(FORWARD, tuple(x.shape), tuple(w.shape), arguments, HALF, False, True, False, True, x.device.index)
        for apart in (False, True):
            for plan in question.problem(apart).plans(choices.PLANS):
                choice = choices.Choice(question, "", plan, apart)
                choice.device = decider.device_of(question)
                self.assert_close(ops._compute(choice, (x, w, bias)), expected, HALF, f"{plan.instance} {apart}")

    def test_a_file_of_two_processes(self):
        from gridwise.torch.choices import File

        path = os.path.join(tempfile.mkdtemp(), "choices.jsonl")
        one, two = File(path), File(path)
        self.assertIsNone(two.find("a"))
        one.store({"key": "a", "plan": "x"})
        self.assertEqual(two.find("a")["plan"], "x")
        with open(path, "a") as file:
            file.write("noise\n[1]\n")
        two.store({"key": "b", "plan": None})
        self.assertIsNone(one.find("b")["plan"])
        File("/proc/none/choices.jsonl").store({"key": "c", "plan": None})  # cannot be written, and is no error

    def test_model(self):
        gridwise.torch.use(nn.Identity(), decide="model", cache=False)
        x, w = tensor(2, 16, 9, 9, grad=False), tensor(16, 16, 3, 3, grad=False)
        ops.convolution(x, w, None, *self.ARGUMENTS)
        (row,) = gridwise.torch.report()
        self.assertIn("first by estimate", row.reason)
        self.assertIsNone(row.aten_us)

    def test_wrong_words(self):
        with self.assertRaisesRegex(ValueError, "decide is 'guess'; must be one of measure, model, always"):
            gridwise.torch.use(nn.Identity(), decide="guess")


if __name__ == "__main__":
    unittest.main()
