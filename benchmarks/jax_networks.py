#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times convolutions and a network's training step in JAX, with gridwise.jax and with jax.lax, in one process on a GPU.

    pip install gridwise-*.whl                 # bazel build --config=sm_90a //gridwise/python:wheel
    python3 benchmarks/jax_networks.py [--batch=128] [--layers-only]

The layers' times are those by which gridwise.jax decides: each side's convolutions in a program of their own, in turns. The network is
ResNet-18 (He et al. 2015) with batch normalisation in training mode, images of 224 x 224 x 3, weights in f32, all else in bf16. A step is
forward, cross entropy, backward and stochastic gradient descent, under one jit. The two sides take turns, and medians count.
"""

import argparse
import functools
import statistics
import time

import jax
import jax.numpy as jnp
from jax import lax

import gridwise.jax

NHWC = ("NHWC", "HWIO", "NHWC")
LAYERS = (  # size, channels, output channels, taps, stride, groups; of 64 images
    (56, 64, 64, 3, 1, 1),  # ResNet
    (56, 64, 256, 1, 1, 1),
    (56, 128, 128, 3, 1, 32),  # ResNeXt
    (28, 256, 256, 3, 1, 32),
    (28, 512, 512, 3, 2, 32),
    (28, 192, 192, 7, 1, 192),  # ConvNeXt
)
STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))  # channels, stride


def time_layers():
    for size, c, k, taps, stride, groups in LAYERS:
        x = jnp.zeros((64, size, size, c), jnp.bfloat16)
        w = jnp.zeros((taps, taps, c // groups, k), jnp.bfloat16)

        def loss(x, w, stride=stride, groups=groups):
            y = gridwise.jax.conv_general_dilated(
                x, w, (stride, stride), "SAME", dimension_numbers=NHWC, feature_group_count=groups
            )
            return (y * y).sum()

        jax.jit(jax.value_and_grad(loss, (0, 1))).lower(x, w)
    print(gridwise.jax.report())


# ---- ResNet-18


def make_weights(key):
    keys = iter(jax.random.split(key, 64))

    def conv(taps, c, k):
        return jax.random.normal(next(keys), (taps, taps, c, k)) * (2 / (taps * taps * c)) ** 0.5

    def norm(c):
        return jnp.ones(c), jnp.zeros(c)

    weights, c = {"stem": (conv(7, 3, 64), norm(64)), "blocks": []}, 64
    for k, stride in STAGES:
        for s in (stride, 1):
            block = {"a": (conv(3, c, k), norm(k)), "b": (conv(3, k, k), norm(k))}
            if s != 1 or c != k:
                block["skip"] = (conv(1, c, k), norm(k))
            weights["blocks"].append(block)
            c = k
    weights["head"] = jax.random.normal(next(keys), (c, 1000)) * c**-0.5
    return weights


def network(convolve, weights, x):
    def unit(x, parameters, stride=1):
        w, (scale, shift) = parameters
        y = convolve(x, w.astype(x.dtype), (stride, stride), "SAME", dimension_numbers=NHWC)
        y32 = y.astype(jnp.float32)
        mean, variance = y32.mean((0, 1, 2)), y32.var((0, 1, 2))
        return ((y32 - mean) * (scale * lax.rsqrt(variance + 1e-5)) + shift).astype(x.dtype)

    x = jax.nn.relu(unit(x, weights["stem"], 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for i, block in enumerate(weights["blocks"]):
        stride = STAGES[i // 2][1] if i % 2 == 0 else 1
        skip = unit(x, block["skip"], stride) if "skip" in block else x
        x = jax.nn.relu(unit(jax.nn.relu(unit(x, block["a"], stride)), block["b"]) + skip)
    return x.astype(jnp.float32).mean((1, 2)) @ weights["head"]


def step(convolve, weights, x, labels):
    def loss(weights):
        logits = jax.nn.log_softmax(network(convolve, weights, x))
        return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

    value, gradients = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients), value


def time_network(args):
    x = jax.random.normal(jax.random.key(1), (args.batch, 224, 224, 3), jnp.bfloat16)
    labels = jax.random.randint(jax.random.key(2), (args.batch,), 0, 1000)
    sides, times, losses = {}, {}, {}
    for name, convolve in (("lax", lax.conv_general_dilated), ("gridwise", gridwise.jax.conv_general_dilated)):
        program = jax.jit(functools.partial(step, convolve), donate_argnums=0)
        begin = time.perf_counter()
        compiled = program.lower(make_weights(jax.random.key(0)), x, labels).compile()
        print(f"{name}: compiled in {time.perf_counter() - begin:.1f} s")
        sides[name], times[name], losses[name] = [compiled, make_weights(jax.random.key(0))], [], []
    for turn in range(args.turns + 1):
        for name, (program, weights) in sides.items():
            jax.block_until_ready(weights)
            begin = time.perf_counter()
            for _ in range(args.steps):
                weights, loss = program(weights, x, labels)
            jax.block_until_ready(loss)
            sides[name][1] = weights
            losses[name].append(float(loss))
            if turn > 0:
                times[name].append(1e3 * (time.perf_counter() - begin) / args.steps)
    lax_ms, gridwise_ms = (statistics.median(times[name]) for name in ("lax", "gridwise"))
    print(gridwise.jax.report())
    print("losses:", {name: [round(loss, 4) for loss in values] for name, values in losses.items()})
    print(f"ResNet-18, batch {args.batch}: lax {lax_ms:.2f} ms, gridwise {gridwise_ms:.2f} ms, ratio {lax_ms / gridwise_ms:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--layers-only", action="store_true")
    args = parser.parse_args()
    print(jax.devices()[0].device_kind, "jax", jax.__version__, "gridwise", gridwise.version())
    time_layers()
    if not args.layers_only:
        gridwise.jax.forget()
        time_network(args)


if __name__ == "__main__":
    main()
