# SPDX-License-Identifier: MIT
"""Training: a graph of a model in which batch normalisation, an addition and an activation are one layer."""

import collections
import operator
import sys

import torch
import torch.fx
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from gridwise.torch.choices import decider
from gridwise.torch.norms import Norm

ADDS = {operator.add, operator.iadd, torch.add}
LAYERS = {nn.ReLU: "relu", nn.ReLU6: "relu6", nn.Hardswish: "hardswish", nn.SiLU: "silu"}
FUNCTIONS = {F.relu: "relu", torch.relu: "relu", torch.relu_: "relu", F.relu6: "relu6", F.hardswish: "hardswish", F.silu: "silu"}
METHODS = {"relu": "relu", "relu_": "relu"}
WRITES = {operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.setitem}
AFTER_RESIDUALS = {"none", "relu"}


class _Tracer(torch.fx.Tracer):
    def is_leaf_module(self, module, name):
        return isinstance(module, (_BatchNorm, _ConvNd)) or super().is_leaf_module(module, name)


def fuse(model):
    """Returns the model as a torch.fx.GraphModule for training, in which Gridwise computes batch normalisation together with the
    residual that is added to it and the activation (relu, relu6, hardswish or silu) of that, forward and backward, where a
    measurement says that it is faster. report() has the times.

    The graph has the parameters and buffers of the model, under the same names: train it, and use the model itself for all else.
    What the model does by Python's control flow it does as it would now, in training mode; forward and backward hooks of modules
    that contain others are not called. To torch.fx `y += x` is `y = y + x`: do not read y by another name after it. Gradients are of
    the first order. It pays where the device is the limit, as in CUDA graphs.
    Layers that have hooks, are called more than once, or are of other classes than nn.BatchNorm and timm's BatchNormAct2d, such
    as nn.SyncBatchNorm, stay as they are. With GRIDWISE_TORCH=off nothing is fused.

    Raises ValueError if the model is not in training mode, and what torch.fx.Tracer.trace does where it cannot trace the model."""
    if not model.training:
        raise ValueError("the model is not in training mode; call model.train() first")
    tracer = _Tracer()
    graph = tracer.trace(model)
    graph_module = torch.fx.GraphModule(tracer.root, graph, type(model).__name__)
    if decider.off:
        return graph_module
    _drop_identities(graph_module)
    calls = collections.Counter(node.target for node in graph.nodes if node.op == "call_module")
    for node in list(graph.nodes):
        if node.op == "call_module" and calls[node.target] == 1:
            _fuse(graph_module, node)
    graph.lint()
    graph_module.recompile()
    return graph_module


def _layer(graph_module, node):
    return graph_module.get_submodule(node.target) if node.op == "call_module" else None


def _drop_identities(graph_module):
    for node in list(graph_module.graph.nodes):
        layer = _layer(graph_module, node)
        if type(layer) is nn.Identity and len(node.args) == 1 and not _has_hooks(layer):
            node.replace_all_uses_with(node.args[0])
            graph_module.graph.erase_node(node)


def _has_hooks(layer):
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(layer, name, None) for name in names)


def _activation_of(layer):
    """The activation inside a layer of normalisation; None if it cannot be fused."""
    if _has_hooks(layer):
        return None
    if type(layer) in (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d):
        return "none"
    timm = sys.modules.get("timm.layers")
    if timm is not None and type(layer) is timm.BatchNormAct2d and type(layer.drop) is nn.Identity:
        return "none" if type(layer.act) is nn.Identity else _kind(layer.act)
    return None


def _kind(layer):
    return None if layer is None or _has_hooks(layer) else LAYERS.get(type(layer))


def _activation(graph_module, node):
    """The activation that a node applies to its first argument, or None."""
    if node.op == "call_module":
        return _kind(_layer(graph_module, node))
    if node.op == "call_function":
        return FUNCTIONS.get(node.target)
    return METHODS.get(node.target) if node.op == "call_method" else None


def _changes(graph_module, node):
    """Whether a node may write to a tensor, directly or through a view."""
    if node.op == "call_module":
        return bool(getattr(_layer(graph_module, node), "inplace", False))
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    in_place = name.endswith("_") and not name.endswith("__")
    is_asked = any(argument is True for argument in (*node.args[1:], node.kwargs.get("inplace")))
    is_mutable = getattr(getattr(node.target, "_schema", None), "is_mutable", False)  # only overloads of torch.ops have a schema
    return in_place or is_asked or is_mutable or node.target in WRITES or "out" in node.kwargs


def _follower(graph_module, node):
    """The only user of a node, if nothing between them writes to a tensor: then the node can be computed there instead."""
    user = next(iter(node.users)) if len(node.users) == 1 else None
    while user is not None and node.next is not user:
        node = node.next
        if _changes(graph_module, node):
            return None
    return user


def _residual(add, node):
    """The tensor that an addition adds to a node; None if the op is another one, or in place."""
    if add is None or add.op != "call_function" or add.target not in ADDS or len(add.args) != 2 or add.kwargs:
        return None
    other = add.args[1] if add.args[0] is node else add.args[0]
    in_place = add.target is operator.iadd and add.args[0] is not node
    return other if isinstance(other, torch.fx.Node) and other is not node and not in_place else None


def _fuse(graph_module, node):
    """Replaces a layer of normalisation, and the nodes that follow it, by one layer."""
    layer = _layer(graph_module, node)
    kind = _activation_of(layer)
    if kind is None or len(node.args) != 1 or node.kwargs:
        return
    chain, residual = [node], None
    if kind == "none":
        add = _follower(graph_module, node)
        residual = _residual(add, node)
        if residual is not None:
            chain.append(add)
        following = _follower(graph_module, chain[-1])
        activation = None if following is None else _activation(graph_module, following)
        if activation is not None and (residual is None or activation in AFTER_RESIDUALS):
            chain.append(following)
            kind = activation
    parent, _, name = node.target.rpartition(".")
    setattr(graph_module.get_submodule(parent), name, Norm(layer, kind, node.target))
    if len(chain) == 1:
        return
    last = chain[-1]
    with graph_module.graph.inserting_before(last):
        fused = graph_module.graph.call_module(node.target, (node.args[0],) if residual is None else (node.args[0], residual))
    last.replace_all_uses_with(fused)
    for old in reversed(chain):
        graph_module.graph.erase_node(old)
