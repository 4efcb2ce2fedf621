# SPDX-License-Identifier: MIT
"""Functions of JAX that compute a convolution: by a plan, in a custom call of XLA, or by jax.lax."""

import ctypes
import functools

import jax
import numpy as np
from jax import lax

from gridwise._library import find_extension, lib
from gridwise._xla import DATA, FORWARD, major_to_minor

TARGET = "gridwise_convolution"  # XLA's name of the custom call
PLATFORMS = ("CUDA", "ROCM")


class _Library(ctypes.Structure):
    """gridwise_jax_library of jax_ffi/handler.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("parse_plan", "free_plan", "load", "launch", "message")]


def _register():
    """Registers the library with XLA. Returns it, or None if there is none: then jax.lax computes everything."""
    path = find_extension(__file__, "libgridwise_jax.so", "jax_ffi")
    if path is None:
        return None
    library = ctypes.CDLL(path)
    functions = (getattr(lib, "gridwise_" + name) for name, _ in _Library._fields_)
    library.gridwise_jax_open(ctypes.byref(_Library(*(ctypes.cast(function, ctypes.c_void_p) for function in functions))))
    handlers = {stage: jax.ffi.pycapsule(getattr(library, "gridwise_jax_" + stage)) for stage in ("initialize", "execute")}
    for platform in PLATFORMS:
        jax.ffi.register_ffi_target(TARGET, handlers, platform=platform)
    return library


library = _register()


def by_plan(convolution, line, workspace_bytes, a, b):
    """Computes the result by a plan, given as its line of text. XLA brings arrays into the order of major_to_minor."""
    *operands, (shape, spec) = convolution.arrays
    results, layouts = [jax.ShapeDtypeStruct(shape, convolution.dtype)], [major_to_minor(spec)]
    if workspace_bytes > 0:
        results.append(jax.ShapeDtypeStruct((workspace_bytes,), np.uint8))
        layouts.append((0,))
    call = jax.ffi.ffi_call(
        TARGET, results, input_layouts=[major_to_minor(spec) for _, spec in operands], output_layouts=layouts
    )
    return call(a, b, plan=line)[0]


def _swapped(spec):
    return (spec[1], spec[0], *spec[2:])


def by_lax(convolution, a, b):
    """Computes the result by jax.lax, in the form in which JAX differentiates convolutions, which XLA's backends recognize."""
    c = convolution
    convolve = functools.partial(
        lax.conv_general_dilated, precision=lax.Precision.HIGHEST if c.dtype == "float32" else None
    )
    if c.wanted == FORWARD:
        return convolve(
            a,
            b,
            c.strides,
            c.padding,
            rhs_dilation=c.dilation,
            dimension_numbers=lax.ConvDimensionNumbers(c.x_spec, c.w_spec, c.y_spec),
            feature_group_count=c.groups,
        )
    axes = [
        (c.x_shape[x], c.w_shape[w], c.y_shape[y], *rest)
        for x, w, y, *rest in zip(c.x_spec[2:], c.w_spec[2:], c.y_spec[2:], c.strides, c.dilation, c.padding)
    ]
    if c.wanted == DATA:
        pads = [
            ((f - 1) * d - low, x - 1 + low - (y - 1) * s)  # so that there are x pixels
            for x, f, y, s, d, (low, _) in axes
        ]
        return convolve(
            a,
            lax.rev(_inputs_as_outputs(b, c), c.w_spec[2:]),
            (1,) * len(pads),
            pads,
            lhs_dilation=c.strides,
            rhs_dilation=c.dilation,
            dimension_numbers=lax.ConvDimensionNumbers(c.y_spec, _swapped(c.w_spec), c.x_spec),
            feature_group_count=c.groups,
        )
    pads = [
        (low, (f - 1) * d + (y - 1) * s + 1 - x - low)  # so that there are f taps
        for x, f, y, s, d, (low, _) in axes
    ]
    return convolve(
        b,
        a,
        c.dilation,
        pads,
        rhs_dilation=c.strides,
        dimension_numbers=lax.ConvDimensionNumbers(_swapped(c.x_spec), _swapped(c.y_spec), _swapped(c.w_spec)),
        batch_group_count=c.groups,
    )


def _moved_groups(w, source, target, groups):
    """Moves the groups, which are outermost along one axis, to another axis."""
    if groups == 1:
        return w
    shape = list(w.shape)
    split = lax.reshape(w, (*shape[:source], groups, shape[source] // groups, *shape[source + 1 :]))
    axes = [axis for axis in range(split.ndim) if axis != source]
    axes.insert(target, source)  # before the target, as axes without the groups are counted
    shape[source] //= groups
    shape[target] *= groups
    return lax.reshape(lax.transpose(split, axes), shape)


def _inputs_as_outputs(w, convolution):
    return _moved_groups(w, convolution.w_spec[0], convolution.w_spec[1], convolution.groups)


def weights_of_transposed(rhs, convolution):
    """The weights of the convolution whose data gradient equals jax.lax.conv_general_dilated(lhs, rhs, lhs_dilation=...)."""
    moved = _moved_groups(rhs, convolution.w_spec[1], convolution.w_spec[0], convolution.groups)
    return lax.rev(moved, convolution.w_spec[2:])
