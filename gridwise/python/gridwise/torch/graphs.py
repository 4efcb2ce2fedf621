# SPDX-License-Identifier: MIT
"""Nodes of a torch.fx graph of aten's ops, as torch.export makes it."""

import operator

import torch
import torch.fx

ATEN = torch.ops.aten
CONVOLUTIONS = {ATEN.conv1d.default, ATEN.conv2d.default, ATEN.conv3d.default}
NORMS = {ATEN.batch_norm.default, getattr(ATEN, "_native_batch_norm_legit_no_training").default}
ADDS = {ATEN.add.Tensor, ATEN.add_.Tensor, operator.add, operator.iadd}
# In evaluation mode they return their input, which their schemas do not say.
DROPOUTS = {ATEN.dropout.default, ATEN.feature_dropout.default, ATEN.alpha_dropout.default, ATEN.feature_alpha_dropout.default}
DEFAULTS = {"bias": None, "stride": 1, "padding": 0, "dilation": 1, "groups": 1}


def like(node):
    """Sizes, type and device of a node's output; None if it is no tensor."""
    value = node.meta.get("val")
    return (value.shape, value.dtype, value.device) if isinstance(value, torch.Tensor) else None


def is_changed(nodes, first, last):
    """Whether an op between two nodes changes a tensor of `nodes` in place, directly or through a view. Then a node that reads them at
    `first` must not be computed at `last`."""
    bases = {_base(node) for node in nodes}
    node = first.next
    while node is not last:
        if any(_base(argument) in bases for argument in _aliased(node, changed=True)):
            return True
        node = node.next
    return False


def _base(node):
    """The node whose tensor a node is, or is a view of."""
    sources = [node]
    while sources:
        node = sources[0]
        sources = node.args[:1] if node.target is operator.getitem or node.target in DROPOUTS else _aliased(node)
    return node


def _aliased(node, changed=False):
    """Nodes of the arguments that an op returns, as they are or as a view; or of those that it changes in place."""
    if node.target is operator.iadd:
        return list(node.args[:1])
    arguments = getattr(getattr(node.target, "_schema", None), "arguments", ())
    given = {**dict(zip((argument.name for argument in arguments), node.args)), **node.kwargs}
    values = (given.get(each.name) for each in arguments if each.alias_info is not None and (each.alias_info.is_write or not changed))
    return [value for value in values if isinstance(value, torch.fx.Node)]


def clean(graph_module):
    graph_module.graph.eliminate_dead_code()
    graph_module.graph.lint()
    graph_module.recompile()


def constant(graph_module, node):
    """The parameter or buffer of a node; None if it is neither."""
    if node is None or node.op != "get_attr":
        return None
    return operator.attrgetter(node.target)(graph_module)


def arguments_of(node):
    """x, w, bias, stride, padding, dilation and groups of a convolution; the lists have an entry for each axis."""
    names = ("input", "weight", *DEFAULTS)
    given = {**DEFAULTS, **dict(zip(names, node.args)), **node.kwargs}
    axes = node.meta["val"].dim() - 2
    for name in ("stride", "padding", "dilation"):
        value = given[name]
        if not isinstance(value, str):
            value = [value] if isinstance(value, int) else list(value)
            given[name] = value * (axes if len(value) == 1 else 1)
    return [given[name] for name in names]


def f32(tensor):
    return None if tensor is None else tensor.float()


def attribute(graph_module, name, tensor, like):
    """Adds a buffer, in the memory order of `like`, and returns its node."""
    if tensor.dim() == like.dim():
        tensor = torch.empty_like(like).copy_(tensor)
    graph_module.register_buffer(name, tensor)
    return graph_module.graph.get_attr(name)
