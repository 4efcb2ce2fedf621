# SPDX-License-Identifier: MIT
"""Merges sums of convolutions of the same tensor into one convolution, such as the branches of RepVGG's blocks. Weights are constants."""

import collections
import itertools

import torch

from gridwise.torch.graphs import ADDS, CONVOLUTIONS, NORMS, arguments_of, attribute, clean, constant, f32, is_changed, like


class _Term(collections.namedtuple("_Term", "x w bias stride padding dilation groups")):
    """A convolution of the node x, with tensors in f32; bias may be None."""

    __slots__ = ()

    def covers(self, other):
        """The index of each tap of another term among this one's, along each axis; None if one is missing."""
        if (self.x, self.stride, self.groups) != (other.x, other.stride, other.groups):
            return None
        taps = []
        for axis in range(len(self.stride)):
            dilation, move = self.dilation[axis], self.padding[axis] - other.padding[axis]
            at = [divmod(tap * other.dilation[axis] + move, dilation) for tap in range(other.w.shape[axis + 2])]
            if any(rest != 0 or not 0 <= tap < self.w.shape[axis + 2] for tap, rest in at):
                return None
            taps.append([tap for tap, _ in at])
        return taps

    def plus(self, other):
        """The sum with a term; None unless this one has all of its taps."""
        taps = self.covers(other)
        if taps is None:
            return None
        w = self.w.clone()
        for of_other in itertools.product(*(range(len(at)) for at in taps)):
            tap = tuple(at[i] for at, i in zip(taps, of_other))
            w[(..., *tap)] += other.w[(..., *of_other)]
        biases = [term.bias for term in (self, other) if term.bias is not None]
        return self._replace(w=w, bias=sum(biases) if biases else None)


def _term(graph_module, node):
    """What a node computes; None if it is no convolution with constant weights."""
    if node.target not in CONVOLUTIONS:
        return None
    x, w, bias, stride, padding, dilation, groups = arguments_of(node)
    tensors = [constant(graph_module, w), constant(graph_module, bias)]
    if tensors[0] is None or (bias is not None and tensors[1] is None) or isinstance(padding, str):
        return None
    return _Term(x, *map(f32, tensors), stride, padding, dilation, groups)


def _norm(graph_module, node, beside):
    """A batch normalisation of a term's tensor, as a convolution with as many groups as that term; else None."""
    if node.target not in NORMS or node.args[0] is not beside.x:
        return None
    gamma, beta, mean, variance = (constant(graph_module, argument) for argument in node.args[1:5])
    channels, of_group = like(node)[0][1], beside.w.shape[1]
    if mean is None or channels != beside.w.shape[0] or channels != of_group * beside.groups:
        return None
    epsilon = node.args[7] if node.target is torch.ops.aten.batch_norm.default else node.args[6]
    scale = torch.rsqrt(variance.float() + epsilon) * (1 if gamma is None else gamma.float())
    bias = (0 if beta is None else beta.float()) - mean.float() * scale
    axes = len(beside.stride)
    w = beside.w.new_zeros(beside.w.shape[:2])
    w[range(channels), [channel % of_group for channel in range(channels)]] = scale
    ones = [1] * axes
    return _Term(beside.x, w.reshape(*w.shape, *ones), bias, ones, [0] * axes, ones, beside.groups)


def _sum(graph_module, nodes):
    terms = [_term(graph_module, node) for node in nodes]
    for i in (0, 1):
        if terms[i] is None and terms[1 - i] is not None:
            terms[i] = _norm(graph_module, nodes[i], beside=terms[1 - i])
    if None in terms:
        return None
    return terms[0].plus(terms[1]) or terms[1].plus(terms[0])


def _are_parallel(node):
    """Whether a node is the only user of two nodes with the same input, adds them, and nothing changes that input before the sum."""
    if node.target not in ADDS or len(node.args) != 2 or node.kwargs:
        return False
    a, b = node.args
    for arg in node.args:
        is_linear = isinstance(arg, torch.fx.Node) and arg.target in CONVOLUTIONS | NORMS
        if not is_linear or list(arg.users) != [node] or like(arg) != like(node):
            return False
    return a is not b and a.args[0] is b.args[0] and not any(is_changed([arg.args[0]], arg, node) for arg in node.args)


def merge(graph_module):
    """Replaces additions of two convolutions, or of a convolution and a batch normalisation, by one convolution if all taps of one of
    them are taps of the other. Sums of more than two are merged step by step."""
    for node in filter(_are_parallel, list(graph_module.graph.nodes)):
        term = _sum(graph_module, node.args)
        if term is None:
            continue
        convolutions = [arg for arg in node.args if arg.target in CONVOLUTIONS]
        of = next(arg for arg in convolutions if constant(graph_module, arguments_of(arg)[1]).shape == term.w.shape)
        w = constant(graph_module, arguments_of(of)[1])
        with graph_module.graph.inserting_before(node):
            tensors = [
                None if tensor is None else attribute(graph_module, f"{node.name}_{name}", tensor.to(w.dtype), w)
                for name, tensor in (("weight", term.w), ("bias", term.bias))
            ]
            convolution = graph_module.graph.call_function(of.target, (term.x, *tensors, *term[3:]))
        convolution.meta.update(node.meta)
        node.replace_all_uses_with(convolution)
        graph_module.graph.erase_node(node)
    clean(graph_module)
