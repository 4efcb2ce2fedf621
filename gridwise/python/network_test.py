#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gridwise.problems_of and gridwise.network, on files, and on a PyTorch model where there is PyTorch."""

import csv
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, "gridwise/python")
os.environ["GRIDWISE_PROGRAM"] = "tools/gridwise/gridwise"
import gridwise  # noqa: E402

TARGET = os.environ["GRIDWISE_TEST_TARGET"]
EXPORTED = "tools/gridwise/import/testdata/torch_export.txt"
TRACE = "tools/gridwise/import/testdata/torch_trace.json.gz"


class NetworkTest(unittest.TestCase):
    def test_problems_of_a_file(self):
        problems = gridwise.problems_of(EXPORTED)
        # The table of testdata/README.md.
        self.assertEqual([each.occurrences for each in problems], [1, 1, 1, 2, 1])
        self.assertEqual(
            repr(problems[1].problem),
            "gridwise.Problem('fwd', 'f32', batch=4, c=32, k=64, size=(32, 32), filter_size=(3, 3), stride=(2, 2), "
            "dilation=(1, 1), pad=(1, 1), groups=4, layout='ngchw')",
        )
        self.assertEqual(repr(problems[4].problem)[:26], "gridwise.Problem('bwd_data")
        self.assertIn("torch_export.txt:5", problems[0].note)
        self.assertEqual(len(gridwise.problems_of([EXPORTED, TRACE], batch=2)), 5 + 14)

    def test_asymmetric_padding_and_one_axis(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.log")
            with open(path, "w", encoding="utf-8") as file:
                file.write("ckProfiler grouped_conv_fwd 2 1 0 1 1 0 1 1 4 2 8 16 3 50 1 1 1 0\n")
            (only,) = gridwise.problems_of(path)
        self.assertEqual(
            repr(only.problem),
            "gridwise.Problem('fwd', 'bf16', batch=2, c=64, k=32, size=(50,), filter_size=(3,), stride=(1,), dilation=(1,), "
            "pad=(1,), pad_end=(0,), groups=4)",
        )

    def test_wrong_lines_are_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.log")
            with open(path, "w", encoding="utf-8") as file:
                file.write("MIOpenDriver conv -n 2 -F 1\nMIOpenDriver conv -n two\nMIOpenDriver pool\n")
            with self.assertWarnsRegex(UserWarning, "a.log:2: -n is 'two'") as caught:
                problems = gridwise.problems_of(path)
        self.assertEqual((len(problems), len(caught.warnings)), (1, 1))
        self.assertIn("left out: 1 pool", problems.report)

    def test_rows(self):
        network = gridwise.network(TRACE, device=TARGET, dtype="f16")
        self.assertEqual(len(network), 14)
        self.assertAlmostEqual(sum(row["total_us"] for row in network), network.total_us, delta=1e-6 * network.total_us)
        self.assertAlmostEqual(sum(row["share"] for row in network), 1, delta=1e-9)
        for row in network:
            self.assertAlmostEqual(row["us"] * row["count"], row["total_us"], delta=1e-9 * row["total_us"])
            self.assertTrue(row["instance"] and row["limiter"] and row["problem"].startswith(row["direction"] + " f16 "))
        # A table, as pandas makes it of dicts: all have the same keys.
        self.assertEqual(len({tuple(row) for row in network}), 1)
        csv.DictWriter(io.StringIO(), network[0]).writerows(network)
        self.assertTrue(network._repr_html_().startswith("<iframe srcdoc=\"&lt;!doctype html"))
        self.assertIn("17 convolutions", network.report)
        one_direction = gridwise.network(EXPORTED, device=TARGET)
        training = gridwise.network(EXPORTED, device=TARGET, training=True)
        # Two gradients each, but for that of the network's input.
        self.assertEqual((len(one_direction), len(training)), (5, 14))

    def test_errors(self):
        with self.assertRaisesRegex(gridwise.InvalidArgumentError, "nothing-here"):
            gridwise.problems_of("nothing-here")
        with self.assertRaisesRegex(TypeError, "int is no path"):
            gridwise.problems_of(3)
        program = os.environ.pop("GRIDWISE_PROGRAM")
        path, os.environ["PATH"] = os.environ.get("PATH", ""), ""
        try:
            with self.assertRaisesRegex(gridwise.NotFoundError, "not on PATH"):
                gridwise.problems_of(EXPORTED)
        finally:
            os.environ["GRIDWISE_PROGRAM"], os.environ["PATH"] = program, path

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("there is no PyTorch")
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, groups=4))
        model = model.half().to(memory_format=torch.channels_last)
        x = torch.ones(2, 3, 16, 16, dtype=torch.float16).to(memory_format=torch.channels_last)
        expected = [
            "gridwise.Problem('fwd', 'f16', batch=2, c=3, k=8, size=(16, 16), filter_size=(3, 3), stride=(1, 1), "
            "dilation=(1, 1), pad=(0, 0))",
            "gridwise.Problem('fwd', 'f16', batch=2, c=8, k=8, size=(14, 14), filter_size=(3, 3), stride=(1, 1), "
            "dilation=(1, 1), pad=(0, 0), groups=4)",
        ]
        for source in (model, torch.export.export(model, (x,))):
            found = gridwise.problems_of(source, *([x] if source is model else []))
            self.assertEqual([repr(each.problem) for each in found], expected)


if __name__ == "__main__":
    unittest.main()
