# SPDX-License-Identifier: MIT
"""conv_general_dilated, as a primitive of JAX: a convolution and its two gradients, each of which is linear in its operands. So the
gradients of one are the others, to any order. Who computes it is decided when it is lowered, for a platform, after all transformations."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from gridwise._xla import DATA, FORWARD, GROUPS, IMAGES, INPUTS, OUTPUTS, WEIGHT, Refused, forward
from gridwise.jax.call import PLATFORMS, by_lax, by_plan, weights_of_transposed
from gridwise.jax.choices import decider


def conv_general_dilated(
    lhs,
    rhs,
    window_strides,
    padding,
    lhs_dilation=None,
    rhs_dilation=None,
    dimension_numbers=None,
    feature_group_count=1,
    batch_group_count=1,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
):
    """jax.lax.conv_general_dilated, with the same arguments, result, errors and transformations.

    Gridwise computes arrays of float16, bfloat16 and, if `precision` is HIGHEST, float32, with 1 to 3 axes of space, groups of features,
    padding that is not negative, rhs_dilation, and window_strides or lhs_dilation. jax.lax computes all else, and on other devices than
    GPUs everything; gridwise.jax.report() says why.

    The order of axes in memory is XLA's choice, unless arrays enter or leave the program: `dimension_numbers` say no more than which
    axis is which. Kernels take images whose channels are last (NHWC) and weights whose input channels are (OHWI), for which XLA copies
    nothing. It copies others, once for all convolutions that use them.
    """
    arguments = {
        "window_strides": window_strides,
        "padding": padding,
        "lhs_dilation": lhs_dilation,
        "rhs_dilation": rhs_dilation,
        "dimension_numbers": dimension_numbers,
        "feature_group_count": feature_group_count,
        "batch_group_count": batch_group_count,
    }
    others = {"precision": precision, "preferred_element_type": preferred_element_type, "out_sharding": out_sharding}
    lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
    lax_convolve = functools.partial(lax.conv_general_dilated, **arguments, **others)
    expected = jax.eval_shape(lax_convolve, lhs, rhs)  # or lax's error
    try:
        _check(lhs, rhs, expected, precision, out_sharding)
        convolution = _convolution_of(lhs, rhs, **arguments)
        if convolution.arrays[0][0] != lhs.shape or convolution.out_shape != expected.shape:
            raise Refused(f"lax makes an array of shape {expected.shape} of it, Gridwise of {convolution.out_shape}")
        spec = _shards(lhs, rhs, convolution)
    except Refused as refused:
        decider.refusals[f"lhs {lhs.dtype.name}{list(lhs.shape)}, rhs {rhs.dtype.name}{list(rhs.shape)}"] = str(refused)
        return lax_convolve(lhs, rhs)
    if convolution.wanted == DATA:
        rhs = weights_of_transposed(rhs, convolution)
    if spec is None:
        return _convolve(convolution, lhs, rhs)
    return _convolve_shards(convolution, spec, lhs, rhs)


def _check(lhs, rhs, expected, precision, out_sharding):
    """Raises Refused for arguments that a Convolution cannot express."""
    if decider.off:
        raise Refused("the environment variable GRIDWISE_JAX turns Gridwise off")
    if lhs.dtype != rhs.dtype or expected.dtype != lhs.dtype:
        raise Refused(f"the result is of {expected.dtype.name}, another type than that of an operand")
    if lhs.dtype == jnp.float32 and not _is_highest(precision):
        raise Refused("lax may round float32; with precision=jax.lax.Precision.HIGHEST Gridwise is asked")
    if out_sharding is not None:
        raise Refused("there is an out_sharding")


def _is_highest(precision):
    if precision is None:
        precision = jax.config.jax_default_matmul_precision
    both = precision if isinstance(precision, (list, tuple)) else (precision,)
    return all(one in (lax.Precision.HIGHEST, "highest", "float32") for one in both)


def _convolution_of(
    lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count, batch_group_count
):
    specs = lax.conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    strides, lhs_dilation, rhs_dilation = (
        (1,) * (lhs.ndim - 2) if values is None else tuple(map(int, values))
        for values in (window_strides, lhs_dilation, rhs_dilation)
    )
    if isinstance(padding, str):
        sizes = [lhs.shape[axis] for axis in specs.lhs_spec[2:]]
        spans = [(rhs.shape[axis] - 1) * dilation + 1 for axis, dilation in zip(specs.rhs_spec[2:], rhs_dilation)]
        padding = lax.padtype_to_pads(sizes, spans, strides, padding)
    return forward(
        lhs.dtype.name,
        lhs.shape,
        rhs.shape,
        tuple(specs),
        strides,
        tuple(map(tuple, padding)),
        lhs_dilation,
        rhs_dilation,
        feature_group_count,
        batch_group_count,
    )


def _shards(lhs, rhs, convolution):
    """The axes of a mesh along which the batch is sharded in lhs's type, as those of explicit sharding are; None if there are none. Raises
    Refused if any other axis is sharded so."""
    images, _, _ = convolution.axes_of(IMAGES)
    specs = list(jax.typeof(lhs).sharding.spec), list(jax.typeof(rhs).sharding.spec)
    spec = specs[0][images] if len(specs[0]) > images else None
    if any(name is not None for axis, name in enumerate(specs[0]) if axis != images) or any(name is not None for name in specs[1]):
        raise Refused("another axis than the batch is sharded explicitly")
    return spec


@functools.partial(jax.jit, static_argnums=(0, 1), inline=True)
def _convolve_shards(convolution, spec, lhs, rhs):
    """Convolves arrays whose batch is sharded: each device computes its images."""
    lhs_axis, _, out_axis = convolution.axes_of(IMAGES)

    def along(axis):
        return PartitionSpec(*(spec if i == axis else None for i in range(lhs.ndim)))

    def convolve(a, b):
        return _convolve(convolution.of_images(a.shape[lhs_axis]), a, b)

    mesh = jax.typeof(lhs).sharding.mesh
    return jax.shard_map(convolve, mesh=mesh, in_specs=(along(lhs_axis), along(None)), out_specs=along(out_axis))(lhs, rhs)


# ---- The primitive. Its parameter `call` is the jaxpr that is lowered, in which custom_partitioning sees to sharded arrays.

convolution_p = Primitive("gridwise_convolution")


@functools.partial(jax.jit, static_argnums=0, inline=True)
def _convolve(convolution, a, b):
    varying = [jax.typeof(operand).mat.varying for operand in (a, b)]
    a, b = (
        lax.pcast(operand, tuple(sorted(frozenset.union(*varying) - axes)), to="varying") for operand, axes in zip((a, b), varying)
    )
    return convolution_p.bind(a, b, convolution=convolution, call=_partitioned(convolution))


def _abstract(a, b, *, convolution, call=None):
    (a_shape, _), (b_shape, _), _ = convolution.arrays
    if (a.shape, b.shape) != (a_shape, b_shape) or {a.dtype.name, b.dtype.name} != {convolution.dtype}:
        raise TypeError(f"{convolution} is not of {a} and {b}")
    return a.update(shape=convolution.out_shape, weak_type=False)


# What each operation's gradient by its first and second operand is, given the other operand and the gradient of the result; and whether
# the gradient of the result comes first.
_GRADIENTS = {
    FORWARD: ((DATA, True), (WEIGHT, True)),  # dx of dy, w; dw of dy, x
    DATA: ((FORWARD, True), (WEIGHT, False)),  # operands: ddx, w; dy, ddx
    WEIGHT: ((FORWARD, False), (DATA, False)),  # operands: x, ddw; dy, ddw
}


def _transpose(which, cotangent, a, b, *, convolution, call):
    wanted, comes_first = _GRADIENTS[convolution.wanted][which]
    other = a if which else b
    operands = (cotangent, other) if comes_first else (other, cotangent)
    return _convolve(convolution.asking(wanted), *operands)


def _batched(operands, axes, *, convolution, call):
    """The vmap rule: one convolution for all mapped ones, with more images, with more of the channels that the unmapped operand lacks, or
    with more groups."""
    times = next(operand.shape[axis] for operand, axis in zip(operands, axes) if axis is not None)
    mapped = [axis is not None for axis in axes]
    what = GROUPS
    if mapped == [True, False] and convolution.wanted != WEIGHT:
        what = IMAGES
    elif not all(mapped) and convolution.groups == 1:
        what = next(w for w in (INPUTS, OUTPUTS) if [axis is not None for axis in convolution.axes_of(w)[:2]] == mapped)
    *into, out = convolution.axes_of(what)
    operands = (_joined(operand, axis, target, times) for operand, axis, target in zip(operands, axes, into))
    result = _convolve(convolution.times(what, times), *operands)
    return result.reshape(*result.shape[:out], times, result.shape[out] // times, *result.shape[out + 1 :]), out


def _joined(operand, axis, into, times):
    """Makes the mapped axis `axis` the outer part of the axis `into`, which is counted without it. Does nothing if `into` is None."""
    if into is None:
        return operand
    if axis is None:
        operand, axis = jnp.broadcast_to(operand, (times, *operand.shape)), 0
    moved = jnp.moveaxis(operand, axis, into)
    return moved.reshape(*moved.shape[:into], -1, *moved.shape[into + 2 :])


convolution_p.def_abstract_eval(_abstract)
convolution_p.def_impl(lambda a, b, *, convolution, call: by_lax(convolution, a, b))  # where jit is disabled
ad.defbilinear(convolution_p, functools.partial(_transpose, 0), functools.partial(_transpose, 1))
batching.primitive_batchers[convolution_p] = _batched
mlir.register_lowering(
    convolution_p,
    mlir.lower_fun(lambda a, b, *, convolution, call: jaxpr_as_fun(call)(a, b)[0], multiple_results=False),
)


# ---- On several devices


@functools.cache
def _partitioned(convolution):
    """The jaxpr of a convolution of arrays that may be sharded along the batch."""

    @custom_partitioning
    def compute(a, b):
        return kernel_p.bind(a, b, convolution=convolution)

    names = [[f"{array}{axis}" for axis in range(len(spec))] for array, (_, spec) in zip("abc", convolution.arrays)]
    replicated = [name for array in names for name in array]
    for array, axis in zip(names, convolution.axes_of(IMAGES)):
        if axis is not None:
            replicated.remove(array[axis])
            array[axis] = "n"
    a, b, out = map(" ".join, names)
    compute.def_partition(
        functools.partial(_partition, convolution),
        sharding_rule=f"{a}, {b} -> {out}",
        need_replication_factors=tuple(replicated),
        reduction_factors=("n",) if convolution.wanted == WEIGHT else (),
    )
    # Traced without the mesh of the caller, which types would otherwise carry.
    with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), ())):
        return jax.make_jaxpr(compute)(*(jax.ShapeDtypeStruct(shape, convolution.dtype) for shape, _ in convolution.arrays[:2]))


def _partition(convolution, mesh, arguments, result):
    """What each device computes if the batch is sharded: its images; for a weight gradient, the sum over all images."""
    del result
    images = convolution.axes_of(IMAGES)
    spec = getattr(arguments[0].sharding, "spec", ())
    names = spec[images[0]] if len(spec) > images[0] else None
    names = () if names is None else names if isinstance(names, tuple) else (names,)
    n = arguments[0].shape[images[0]]
    shards = 1
    for name in names:
        shards *= mesh.shape[name]
    if n % shards != 0:  # the last shard would hold images that are none
        names, shards = (), 1
    part = convolution.of_images(n // shards)

    def sharding(axis, array):
        axes = [None] * len(array[1])
        if axis is not None and names:
            axes[axis] = names
        return NamedSharding(mesh, PartitionSpec(*axes))

    def compute(a, b):
        out = kernel_p.bind(a, b, convolution=part)
        return lax.psum(out, names) if convolution.wanted == WEIGHT and names else out

    a, b, out = (sharding(axis, array) for axis, array in zip(images, convolution.arrays))
    return mesh, compute, out, (a, b)


# ---- On one device

kernel_p = Primitive("gridwise_kernel")


def _by(platform, a, b, *, convolution):
    choice = decider.choose(convolution, platform)
    if choice.line is None:
        return by_lax(convolution, a, b)
    return by_plan(convolution, choice.line, choice.workspace_bytes, a, b)


def _lowered_by_lax(a, b, *, convolution):
    return by_lax(convolution, a, b)


kernel_p.def_abstract_eval(_abstract)
kernel_p.def_impl(_lowered_by_lax)
mlir.register_lowering(kernel_p, mlir.lower_fun(_lowered_by_lax, multiple_results=False))
for platform in map(str.lower, PLATFORMS):
    mlir.register_lowering(kernel_p, mlir.lower_fun(functools.partial(_by, platform), multiple_results=False), platform=platform)
