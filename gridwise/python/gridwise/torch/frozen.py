# SPDX-License-Identifier: MIT
"""Frozen inference: a graph of a model in which weights include batch normalisation, and kernels include bias, residual and relu."""

import copy
import operator

import torch
from torch.nn.utils.fusion import fuse_conv_bn_weights

from gridwise.torch.choices import decider
from gridwise.torch.graphs import ADDS, ATEN, CONVOLUTIONS, NORMS, arguments_of, attribute, clean, constant, f32, is_changed, like
from gridwise.torch.modules import restore
from gridwise.torch.parallel import merge

RELUS = {ATEN.relu.default, ATEN.relu_.default}


def optimize(model, *inputs):
    """Returns the model as a torch.fx.GraphModule for inference with inputs of the sizes and types of `inputs`. The model itself is
    not changed; it must be in evaluation mode, and torch.export.export must be able to trace it.

    Batch normalisation becomes part of the weights before it, and the sum of two convolutions of the same tensor one convolution if
    all taps of one are taps of the other. Where Gridwise computes a convolution faster together with the bias, the residual and the
    relu that follow than aten and they apart, a kernel does all of them (report() has the times). The rest of the graph is aten's:
    torch.compile(optimize(model, x)) fuses it, and mode="reduce-overhead" makes a CUDA graph of all.

    Raises ValueError if the model is in training mode, and what torch.export.export does."""
    if model.training:
        raise ValueError("the model is in training mode; call model.eval() first")
    with torch.no_grad():
        graph_module = torch.export.export(restore(copy.deepcopy(model)), inputs, strict=False).module()
        _fold_norms(graph_module)
        merge(graph_module)
        for node in [node for node in graph_module.graph.nodes if node.target in CONVOLUTIONS]:
            _fuse(graph_module, node)
        clean(graph_module)
        _unfuse(graph_module, *inputs)
    return graph_module


def _fold_norms(graph_module):
    for node in list(graph_module.graph.nodes):
        if node.target not in NORMS:
            continue
        convolution = node.args[0]
        if convolution.target not in CONVOLUTIONS or len(convolution.users) != 1:
            continue
        gamma, beta, mean, variance = (constant(graph_module, argument) for argument in node.args[1:5])
        epsilon = node.args[7] if node.target is ATEN.batch_norm.default else node.args[6]
        x, w_node, bias_node, *rest = arguments_of(convolution)
        w, bias = constant(graph_module, w_node), constant(graph_module, bias_node)
        if w is None or mean is None or (bias_node is not None and bias is None):
            continue
        folded = fuse_conv_bn_weights(*(f32(t) for t in (w, bias, mean, variance)), epsilon, f32(gamma), f32(beta))
        with graph_module.graph.inserting_before(convolution):
            nodes = [
                attribute(graph_module, f"{convolution.name}_{name}", tensor.detach().to(w.dtype), w)
                for name, tensor in zip(("weight", "bias"), folded)
            ]
        convolution.args, convolution.kwargs = (x, *nodes, *rest), {}
        node.replace_all_uses_with(convolution)
        graph_module.graph.erase_node(node)
    clean(graph_module)


def _only_user(node, targets):
    users = list(node.users)
    return users[0] if len(users) == 1 and users[0].target in targets else None


def _fuse(graph_module, node):
    """Replaces a convolution, and the nodes after it that its epilogue can compute, by one node."""
    x, w, bias, stride, padding, dilation, groups = arguments_of(node)
    if isinstance(padding, str):
        return
    last, residual, after = node, None, [node]
    add = _only_user(node, ADDS)
    if add is not None and len(add.args) == 2 and not add.kwargs:
        other = add.args[1] if add.args[0] is node else add.args[0]
        # An addition in place changes its first operand, which others may read.
        in_place = add.target in (ATEN.add_.Tensor, operator.iadd) and add.args[0] is not node
        if isinstance(other, torch.fx.Node) and like(other) == like(node) and other is not node and not in_place:
            last, residual = add, other
            after.append(add)
    relu = _only_user(last, RELUS)
    if relu is not None:
        last = relu
        after.append(relu)
    if bias is None and len(after) == 1:
        return
    if is_changed([x] if residual is None else [x, residual], node, last):
        return
    with graph_module.graph.inserting_before(last):
        fused = graph_module.graph.call_function(
            torch.ops.gridwise.fused.default,
            (x, w, bias, residual, relu is not None, stride, padding, dilation, groups),
        )
    fused.meta.update(last.meta)
    last.replace_all_uses_with(fused)
    for old in reversed(after):
        graph_module.graph.erase_node(old)


class _Unfused(torch.fx.Interpreter):
    """Runs a graph and finds the nodes that no kernel computes whole, and whether Gridwise computes their convolution."""

    def __init__(self, graph_module):
        super().__init__(graph_module)
        self.nodes = []

    def run_node(self, node):
        if node.target is not torch.ops.gridwise.fused.default:
            return super().run_node(node)
        decider.last = None
        result = super().run_node(node)
        choice = decider.last
        if choice is None or choice.by == "aten" or choice.apart:
            self.nodes.append((node, choice is not None and choice.apart))
        return result


def _unfuse(graph_module, *inputs):
    """Restores separate nodes where these are faster: PyTorch's compiler can do more with them."""
    interpreter = _Unfused(graph_module)
    interpreter.run(*inputs)
    for node, is_gridwises in interpreter.nodes:
        x, w, bias, residual, relu, *arguments, groups = node.args
        stride, padding, dilation = arguments
        none = [0] * len(stride)
        with graph_module.graph.inserting_before(node):
            call = graph_module.graph.call_function
            if is_gridwises:
                y = call(torch.ops.gridwise.convolution.default, (x, w, None, stride, padding, dilation, False, none, groups))
                if bias is not None:
                    y = call(ATEN.add.Tensor, (y, call(ATEN.view.default, (bias, [-1, *[1] * len(stride)]))))
            else:
                y = call(ATEN.convolution.default, (x, w, bias, stride, padding, dilation, False, none, groups))
            y = y if residual is None else call(ATEN.add.Tensor, (y, residual))
            y = call(ATEN.relu.default, (y,)) if relu else y
        node.replace_all_uses_with(y)
        graph_module.graph.erase_node(node)
    clean(graph_module)
