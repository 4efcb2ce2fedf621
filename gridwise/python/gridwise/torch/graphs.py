# SPDX-License-Identifier: MIT
"""Nodes of a torch.fx graph of aten's ops, as torch.export makes it."""

import operator

import torch

ATEN = torch.ops.aten
CONVOLUTIONS = {ATEN.conv1d.default, ATEN.conv2d.default, ATEN.conv3d.default}
NORMS = {ATEN.batch_norm.default, getattr(ATEN, "_native_batch_norm_legit_no_training").default}
ADDS = {ATEN.add.Tensor, ATEN.add_.Tensor, operator.add, operator.iadd}
DEFAULTS = {"bias": None, "stride": 1, "padding": 0, "dilation": 1, "groups": 1}


def like(node):
    """What a node's output is: its sizes, type and device; None if it is no tensor."""
    value = node.meta.get("val")
    return (value.shape, value.dtype, value.device) if isinstance(value, torch.Tensor) else None


def is_changed(node):
    """Whether an op changes a node's tensor in place, so that what reads it may not be computed later than it was."""
    return any(node is argument for user in node.users for argument in _changed_by(user))


def _changed_by(node):
    if node.target is operator.iadd:
        return node.args[:1]
    arguments = getattr(getattr(node.target, "_schema", None), "arguments", ())
    return [value for argument, value in zip(arguments, node.args) if argument.alias_info is not None and argument.alias_info.is_write]


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
    """A node of a new buffer, in the order that `like` lies in."""
    if tensor.dim() == like.dim():
        tensor = torch.empty_like(like).copy_(tensor)
    graph_module.register_buffer(name, tensor)
    return graph_module.graph.get_attr(name)
