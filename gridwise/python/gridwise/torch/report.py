# SPDX-License-Identifier: MIT
"""Reports which library computes each layer, and why."""

import collections

from gridwise.torch.choices import decider

_layers = collections.defaultdict(set)  # names, by shapes of input and weight


def note(layer, x):
    """Notes that a layer was called with x."""
    _layers[x.shape, layer.weight.shape].add(layer.gridwise_name)


class Row(collections.namedtuple("Row", "layers wanted problem by reason aten_us gridwise_us calls")):
    """One decision: names of layers, "forward", "data gradient", "weight gradient" or "normalisation", the problem, "gridwise" or
    "aten", why or by which kernel, microseconds of both if they were measured, and how often Python called it since."""

    __slots__ = ()


class Report(list):
    """A list of Rows that prints as a table."""

    def __str__(self):
        lines = [f"{'who':8} {'aten':>9} {'gridwise':>9} {'calls':>6}  what; why; layers"]
        for row in sorted(self, key=lambda row: (row.wanted, row.layers, row.problem)):
            aten, ours = ("-" if us is None else f"{us:.1f} us" for us in (row.aten_us, row.gridwise_us))
            layers = ", ".join(row.layers[:3]) + (f" and {len(row.layers) - 3} more" if len(row.layers) > 3 else "")
            lines.append(f"{row.by:8} {aten:>9} {ours:>9} {row.calls:>6}  {row.problem}; {row.reason}; {layers}")
        taken = [row for row in self if row.by == "gridwise"]
        lines.append(f"Gridwise computes {len(taken)} of {len(self)}.")
        return "\n".join(lines)


def report(model=None):
    """Returns the decisions of this process and, given a model, also its layers that were not changed."""
    rows = Report()
    for question, choice in (*decider.choices.items(), *decider.norms.items()):
        # A layer's input and weight, whatever is wanted of them.
        layers = tuple(sorted(_layers.get((question.x_shape, question.w_shape), ())))
        rows.append(
            Row(layers, question.wanted, str(question), choice.by, choice.reason, choice.aten_us, choice.gridwise_us, choice.calls)
        )
    if model is not None:
        from gridwise.torch.modules import left_alone

        rows.extend(Row((name,), "any", "any", "aten", why, None, None, 0) for name, why in left_alone(model))
    return rows
