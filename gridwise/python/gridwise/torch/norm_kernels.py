# SPDX-License-Identifier: MIT
"""Batch normalisation, an addition and an activation as one op, and its gradients, in Triton, which comes with PyTorch for GPUs.

A tensor of P pixels and C channels, with channels last, is a matrix of `rows` and `columns`, each row `fold` pixels: so the columns
of few channels are a multiple of 64, and lanes load 16 bytes. Statistics of 16-bit tensors are sums in f32:

    forward   of each block of rows the mean m_i and the squares q_i around it;  m = sum n_i m_i / P,
              v = (sum q_i + sum n_i (m_i - m)^2) / P;  z = gamma (x - m) / sqrt(v + eps) + beta + residual,  y = f(z)
    backward  g = dy f'(z);  dbeta = sum g,  dgamma = sum g (x - m) / sqrt(v + eps);
              dx = gamma / sqrt(v + eps) (g - dbeta / P - (x - m) / sqrt(v + eps) dgamma / P)

No sum depends on which block is done first: results are the same in every run.
"""

import functools
import math

import torch
import triton
import triton.language as tl

TILE_ROWS, TILE_COLUMNS = 64, 64
BLOCKS_PER_UNIT = 4  # per multiprocessor; a block has four warps
WARPS = 4
STAGES = 3  # tiles of rows that a block loads at a time
MOST_SUMS = 4096  # partial sums of a channel that one workgroup adds up
SIZES = ["rows", "rows_each", "channels", "fold", "blocks"]  # sizes differ from layer to layer; no code is specialized for them


@triton.jit
def _activated(z, KIND: tl.constexpr):
    if KIND == "relu":
        z = tl.where(z < 0, 0.0, z)
    elif KIND == "relu6":
        z = tl.where(z < 0, 0.0, tl.where(z > 6, 6.0, z))
    elif KIND == "hardswish":
        z = z * tl.where(z < -3, 0.0, tl.where(z > 3, 1.0, z / 6 + 0.5))
    elif KIND == "silu":
        z = z * tl.sigmoid(z)
    return z


@triton.jit
def _gradient(dy, z, KIND: tl.constexpr):
    """dy f'(z). It is zero where PyTorch's gradient is, even if dy is not finite."""
    if KIND == "relu":
        dy = tl.where(z <= 0, 0.0, dy)
    elif KIND == "relu6":
        dy = tl.where((z <= 0) | (z >= 6), 0.0, dy)
    elif KIND == "hardswish":
        dy = tl.where(z < -3, 0.0, tl.where(z <= 3, dy * (z / 3 + 0.5), dy))
    elif KIND == "silu":
        s = tl.sigmoid(z)
        dy = dy * s * (1 + z * (1 - s))
    return dy


@triton.jit(do_not_specialize=SIZES)
def _moments(x, partial, rows, columns, rows_each, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
             STAGES: tl.constexpr):
    """Writes the means and the sums of squared deviations from them, per block."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < columns
    block, blocks = tl.program_id(1), tl.num_programs(1)
    begin = block * rows_each
    end = tl.minimum(begin + rows_each, rows)
    row = begin + tl.arange(0, ROWS)
    first = tl.load(x + row[:, None] * columns + column[None, :], mask=(row < end)[:, None] & inside[None, :], other=0.0)
    # Sums of differences from a mean of some rows: squares of the values themselves would cancel where the mean is large.
    shift = tl.sum(first.to(tl.float32), 0) / tl.minimum(end - begin, ROWS)
    sums, squares = tl.zeros([ROWS, COLUMNS], tl.float32), tl.zeros([ROWS, COLUMNS], tl.float32)
    for at in tl.range(begin, end, ROWS, num_stages=STAGES):
        row = at + tl.arange(0, ROWS)
        mask = (row < end)[:, None] & inside[None, :]
        value = tl.load(x + row[:, None] * columns + column[None, :], mask=mask, other=0.0).to(tl.float32)
        value = tl.where(mask, value - shift[None, :], 0.0)
        sums += value
        squares += value * value
    of_sums = tl.sum(sums, 0)
    mean = of_sums / (end - begin)
    tl.store(partial + block * columns + column, shift + mean, mask=inside)
    tl.store(partial + (blocks + block) * columns + column, tl.sum(squares, 0) - of_sums * mean, mask=inside)


@triton.jit(do_not_specialize=SIZES)
def _statistics(partial, values, running_mean, running_var, count, rows, rows_each, channels, fold, blocks, momentum, eps,
                HAS_RUNNING: tl.constexpr, SIZE: tl.constexpr):
    """Writes mean and 1 / sqrt(variance + eps), and updates the running statistics, one channel per program."""
    channel = tl.program_id(0)
    i = tl.arange(0, SIZE)
    inside = i < blocks * fold
    n = tl.where(inside, tl.minimum(rows_each, rows - i // fold * rows_each), 0).to(tl.float32)
    pixels = (rows * fold).to(tl.float32)
    means = tl.load(partial + i * channels + channel, mask=inside, other=0.0)
    squares = tl.load(partial + (blocks * fold + i) * channels + channel, mask=inside, other=0.0)
    mean = tl.sum(n * means, 0) / pixels
    square = tl.sum(squares + n * (means - mean) * (means - mean), 0)
    tl.store(values + channel, mean)
    tl.store(values + channels + channel, 1 / tl.sqrt(square / pixels + eps))
    if HAS_RUNNING:
        old_mean, old_var = tl.load(running_mean + channel), tl.load(running_var + channel)
        tl.store(running_mean + channel, old_mean + momentum * (mean - old_mean))
        tl.store(running_var + channel, old_var + momentum * (square / (pixels - 1) - old_var))
        if channel == 0:
            tl.store(count, tl.load(count) + 1)


@triton.jit(do_not_specialize=SIZES)
def _normalise(x, residual, y, values, gamma, beta, rows, columns, rows_each, channels, HAS_RESIDUAL: tl.constexpr,
               KIND: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
               STAGES: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < columns
    channel = column % channels
    mean = tl.load(values + channel)
    scale = tl.load(values + channels + channel) * tl.load(gamma + channel).to(tl.float32)
    shift = tl.load(beta + channel).to(tl.float32)
    # The last rows come first: L2 still holds them from the statistics.
    begin = (tl.num_programs(1) - 1 - tl.program_id(1)) * rows_each
    end = tl.minimum(begin + rows_each, rows)
    for at in tl.range(begin, end, ROWS, num_stages=STAGES):
        row = at + tl.arange(0, ROWS)
        mask = (row < end)[:, None] & inside[None, :]
        offset = row[:, None] * columns + column[None, :]
        z = (tl.load(x + offset, mask=mask, other=0.0).to(tl.float32) - mean[None, :]) * scale[None, :] + shift[None, :]
        if HAS_RESIDUAL:
            z += tl.load(residual + offset, mask=mask, other=0.0).to(tl.float32)
        tl.store(y + offset, _activated(z, KIND).to(y.dtype.element_ty), mask=mask)


@triton.jit(do_not_specialize=SIZES)
def _gradient_sums(dy, x, y, g, partial, values, gamma, beta, rows, columns, rows_each, channels, FROM_Y: tl.constexpr,
                   KIND: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
                   STAGES: tl.constexpr):
    """Writes the sums of g and of g (x - m) per block. `FROM_Y`: relu is read off y, since z has a residual in it; g is stored."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < columns
    channel = column % channels
    mean = tl.load(values + channel)
    scale = tl.load(values + channels + channel) * tl.load(gamma + channel).to(tl.float32)
    shift = tl.load(beta + channel).to(tl.float32)
    block, blocks = tl.program_id(1), tl.num_programs(1)
    begin = block * rows_each
    end = tl.minimum(begin + rows_each, rows)
    sums, products = tl.zeros([ROWS, COLUMNS], tl.float32), tl.zeros([ROWS, COLUMNS], tl.float32)
    for at in tl.range(begin, end, ROWS, num_stages=STAGES):
        row = at + tl.arange(0, ROWS)
        mask = (row < end)[:, None] & inside[None, :]
        offset = row[:, None] * columns + column[None, :]
        value = tl.load(dy + offset, mask=mask, other=0.0).to(tl.float32)
        apart = tl.load(x + offset, mask=mask, other=0.0).to(tl.float32) - mean[None, :]
        if FROM_Y:
            value = tl.where(tl.load(y + offset, mask=mask, other=0.0) <= 0, 0.0, value)
            tl.store(g + offset, value.to(g.dtype.element_ty), mask=mask)
        else:
            value = _gradient(value, apart * scale[None, :] + shift[None, :], KIND)
        sums += value
        products += tl.where(mask, value * apart, 0.0)
    tl.store(partial + block * columns + column, tl.sum(sums, 0), mask=inside)
    tl.store(partial + (blocks + block) * columns + column, tl.sum(products, 0), mask=inside)


@triton.jit(do_not_specialize=SIZES)
def _gradients(partial, values, of_parameters, channels, fold, blocks, SIZE: tl.constexpr):
    """Writes the gradients of gamma and beta, one channel per program."""
    channel = tl.program_id(0)
    i = tl.arange(0, SIZE)
    inside = i < blocks * fold
    sums = tl.load(partial + i * channels + channel, mask=inside, other=0.0)
    products = tl.load(partial + (blocks * fold + i) * channels + channel, mask=inside, other=0.0)
    tl.store(of_parameters + channel, tl.sum(products, 0) * tl.load(values + channels + channel))
    tl.store(of_parameters + channels + channel, tl.sum(sums, 0))


@triton.jit(do_not_specialize=SIZES)
def _data_gradient(dy, x, dx, values, gamma, beta, of_parameters, rows, columns, rows_each, channels, fold,
                   KIND: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
                   STAGES: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < columns
    channel = column % channels
    pixels = (rows * fold).to(tl.float32)
    mean, deviation = tl.load(values + channel), tl.load(values + channels + channel)
    scale = deviation * tl.load(gamma + channel).to(tl.float32)
    shift = tl.load(beta + channel).to(tl.float32)
    slope = deviation * tl.load(of_parameters + channel) / pixels
    average = tl.load(of_parameters + channels + channel) / pixels
    begin = (tl.num_programs(1) - 1 - tl.program_id(1)) * rows_each
    end = tl.minimum(begin + rows_each, rows)
    for at in tl.range(begin, end, ROWS, num_stages=STAGES):
        row = at + tl.arange(0, ROWS)
        mask = (row < end)[:, None] & inside[None, :]
        offset = row[:, None] * columns + column[None, :]
        apart = tl.load(x + offset, mask=mask, other=0.0).to(tl.float32) - mean[None, :]
        value = tl.load(dy + offset, mask=mask, other=0.0).to(tl.float32)
        value = _gradient(value, apart * scale[None, :] + shift[None, :], KIND)
        value = scale[None, :] * (value - average[None, :] - slope[None, :] * apart)
        tl.store(dx + offset, value.to(dx.dtype.element_ty), mask=mask)


class Shape:
    """How a tensor is divided: rows and columns, and blocks of rows, so that the device holds about all blocks at a time."""

    def __init__(self, pixels, channels, device):
        self.channels = channels
        self.fold = TILE_COLUMNS // math.gcd(self.channels, TILE_COLUMNS)
        while pixels % self.fold:
            self.fold //= 2
        self.rows, self.columns = pixels // self.fold, self.channels * self.fold
        self.column_tiles = triton.cdiv(self.columns, TILE_COLUMNS)
        units = torch.cuda.get_device_properties(device).multi_processor_count
        most = min(BLOCKS_PER_UNIT * units // self.column_tiles, MOST_SUMS // self.fold)
        blocks = min(triton.cdiv(self.rows, TILE_ROWS), max(1, most))
        self.rows_each = triton.cdiv(triton.cdiv(self.rows, blocks), TILE_ROWS) * TILE_ROWS
        self.blocks = triton.cdiv(self.rows, self.rows_each)

    @property
    def grid(self):
        return self.column_tiles, self.blocks

    @property
    def tile(self):
        return {"ROWS": TILE_ROWS, "COLUMNS": TILE_COLUMNS, "STAGES": STAGES, "num_warps": WARPS}

    @property
    def size(self):
        return triton.next_power_of_2(self.blocks * self.fold)

    def partial(self, x):
        return x.new_empty((2, self.blocks, self.columns), dtype=torch.float32)


_shape = functools.lru_cache(maxsize=None)(Shape)


def _shape_of(x):
    return _shape(x.numel() // x.shape[1], x.shape[1], x.device)


def forward(x, residual, gamma, beta, running, momentum, eps, kind):
    """Returns y, and mean and 1 / sqrt(variance + eps) in f32. `running` are the running mean, variance and number of batches, which are
    updated, or None. x is packed with channels last, the residual as well or None."""
    shape = _shape_of(x)
    partial, values = shape.partial(x), x.new_empty((2, shape.channels), dtype=torch.float32)
    y = torch.empty_like(x)
    _moments[shape.grid](x, partial, shape.rows, shape.columns, shape.rows_each, **shape.tile)
    _statistics[(shape.channels,)](partial, values, *(running or (values,) * 3), shape.rows, shape.rows_each, shape.channels,
                                   shape.fold, shape.blocks, momentum, eps, HAS_RUNNING=running is not None, SIZE=shape.size)
    _normalise[shape.grid](x, x if residual is None else residual, y, values, gamma, beta, shape.rows, shape.columns,
                           shape.rows_each, shape.channels, HAS_RESIDUAL=residual is not None, KIND=kind, **shape.tile)
    return y, values


def backward(dy, x, y, values, gamma, beta, kind):
    """Returns the gradients of x, gamma and beta, and g, the gradient of the residual. y is None without a residual; with one, the kind
    is "relu"."""
    shape = _shape_of(x)
    partial, of_parameters = shape.partial(x), torch.empty_like(values)
    dx = torch.empty_like(x)
    g = dy if y is None else torch.empty_like(x)
    _gradient_sums[shape.grid](dy, x, x if y is None else y, g, partial, values, gamma, beta, shape.rows, shape.columns,
                               shape.rows_each, shape.channels, FROM_Y=y is not None, KIND=kind, **shape.tile)
    _gradients[(shape.channels,)](partial, values, of_parameters, shape.channels, shape.fold, shape.blocks, SIZE=shape.size)
    _data_gradient[shape.grid](g, x, dx, values, gamma, beta, of_parameters, shape.rows, shape.columns, shape.rows_each,
                               shape.channels, shape.fold, KIND=kind if y is None else "none", **shape.tile)
    return dx, of_parameters[0], of_parameters[1], g
