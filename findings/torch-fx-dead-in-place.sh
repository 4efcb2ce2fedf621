#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# PyTorch: torch.fx's eliminate_dead_code removes operations in place whose results nobody uses, and the graph computes something else.
#
# Guess    An operation that writes to its input is no dead code: x.relu_() as a statement stays.
# Really   Methods (relu_, copy_), functions (torch.relu_, F.relu with inplace=True, any with out=) and layers with inplace=True are removed where only their
#          effect is used, without a warning. Of operations in place, it keeps only overloads of torch.ops.
# Version  torch 2.11.0 (CPU; seen in 2.14.1 as well)
# Seen     y = x * 1; y.relu_(); return y, of -1 and 2: traced "0.0 2.0", after eliminate_dead_code "-1.0 2.0"
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/python.sh"
packages torch==2.11.0

cat >"$work/finding.py" <<'PY'
import sys

import torch

WAYS = {
    "method": lambda self, y: y.relu_(),
    "copy": lambda self, y: y.copy_(y.relu()),
    "function": lambda self, y: torch.relu_(y),
    "functional": lambda self, y: torch.nn.functional.relu(y, inplace=True),
    "out": lambda self, y: torch.clamp(y, min=0, out=y),
    "layer": lambda self, y: self.layer(y),
    "overload": lambda self, y: torch.ops.aten.relu_.default(y),
}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.ReLU(inplace=True)

    def forward(self, x):
        y = x * 1
        WAYS[sys.argv[1]](self, y)
        return y


def show(y):
    print(*y.tolist())


x = torch.tensor([-1.0, 2.0])
graph_module = torch.fx.symbolic_trace(Model())
show(graph_module(x))
graph_module.graph.eliminate_dead_code()
graph_module.recompile()
show(graph_module(x))
PY
for way in method copy function functional out layer; do
  expect "relu in place as a $way, traced and without dead code" "0.0 2.0,-1.0 2.0" "$("$python" "$work/finding.py" "$way" | paste -sd ,)"
done
expect "the same as an overload of torch.ops" "0.0 2.0,0.0 2.0" "$("$python" "$work/finding.py" overload | paste -sd ,)"
