// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/base/config.h"
#include "hopper/kernel/roles.h"
#include "hopper/weight/args.h"
#include "hopper/weight/tile.h"

namespace gridwise::hopper {

/// Recomputes a sum from f32 itself, for row k and a channel of a block; stops if it becomes NaN.
template <Config kC>
GRIDWISE_DEVICE float SumExactly(const WeightArgs& args, const WeightTileAt& tile, int k,
                                 const WeightBlock<kC>& block, int channel) {
  const ExactArgs& exact = args.exact;
  const float* const dy = exact.other + static_cast<long>(tile.group) * exact.other_group +
                          static_cast<long>(k) * exact.other_out;
  int move[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    move[axis] = block.t[axis] * args.strides[axis].tap_source_stride;
  }
  const int end = Min(args.dy_pixels, tile.end * kC.k_tile);
  float sum = 0;
#pragma clang loop unroll(disable)
  for (int pixel = tile.first * kC.k_tile; pixel < end && sum == sum; ++pixel) {
    const PixelAt at = SourceOf(args.gemm, args.strides, PixelOfRow(args.gemm, pixel));
    const float* const x = SourceOf(exact, at, move);  // null: zeros
    const float source =
        x == nullptr ? 0 : x[static_cast<long>(tile.group) * exact.source_group + channel];
    sum += dy[static_cast<long>(pixel) * exact.other_source] * source;
  }
  return sum;
}

/// Where rows and columns of a tile are in tensors of dw's shape, see Finisher.
template <Config kC, bool kXIsA = kC.x_is_a>
struct WeightOutputMap {
  const WeightArgs& args;
  const WeightTileAt& tile;

  struct Row {
    bool is_there;
    int k;
  };
  /// Whether 64 columns may be several blocks, whose channels end apart.
  static constexpr bool kHasGroups = kC.transposes_b();
  /// Vectors of such columns belong to a single group (WeightArgs::stores).
  static constexpr int kRun = kHasGroups ? kC.block_columns() : 0;

  GRIDWISE_DEVICE WeightBlock<kC> BlockOf(int column) const {
    return {args, tile.block + column / kC.block_columns()};
  }
  GRIDWISE_DEVICE Row FindRow(int row) const {
    return {.is_there = tile.k + row < args.k, .k = tile.k + row};
  }
  /// The group, if a tile has several.
  GRIDWISE_DEVICE int GroupOf(const Row& row) const { return Quotient(row.k, args.by_of_group_k); }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    if constexpr (!kC.merges_groups()) {
      return tile.group * strides.group + static_cast<long>(row.k) * strides.row;
    }
    const int group = GroupOf(row), groups = Quotient(args.k, args.by_of_group_k);
    return static_cast<long>(tile.group * groups + group) * strides.group +
           static_cast<long>(row.k - group * args.of_group_k) * strides.row;
  }
  GRIDWISE_DEVICE int Count(int column) const {
    if constexpr (kHasGroups) {
      const int blocks = Taps(args.gemm) * args.c_blocks - tile.block;
      return blocks * kC.block_columns() - column;
    }
    const WeightBlock<kC> block = BlockOf(column);
    return block.tap < Taps(args.gemm) ? args.c - block.channel - column % kC.block_columns() : 0;
  }
  GRIDWISE_DEVICE int CountOfRun(int column) const {
    const WeightBlock<kC> block = BlockOf(column);
    const int of_run = column % kRun, rest = Min(args.c - block.channel, kRun);
    return block.tap < Taps(args.gemm) ? rest - of_run : 0;
  }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    const WeightBlock<kC> block = BlockOf(column);
    int channel = block.channel + column % kC.block_columns();
    // Not of a single group: after its last channel there are columns that are not stored, and
    // VectorColumns counts on their distance.
    if (kC.merges_groups() && args.c > args.of_group_c) {
      channel -= Quotient(channel, args.by_of_group_c) * args.of_group_c;
    }
    long bytes = static_cast<long>(channel) * strides.column;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      bytes += static_cast<long>(block.t[axis]) * strides.axis[axis];
    }
    return bytes;
  }
  GRIDWISE_DEVICE bool Has(const Row& row, int column) const {
    if constexpr (!kC.merges_groups()) return true;
    const int channel = BlockOf(column).channel + column % kC.block_columns();
    return channel < args.c && Quotient(channel, args.by_of_group_c) == GroupOf(row);
  }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if constexpr (kC.has_parts()) {
      const WeightBlock<kC> block = BlockOf(column);
      return SumExactly<kC>(args, tile, row.k, block, block.channel + column % 64);
    }
    return v;
  }
};

template <Config kC>
struct WeightOutputMap<kC, /*kXIsA=*/true> {
  const WeightArgs& args;
  const WeightTileAt& tile;

  struct Row {
    bool is_there;
    WeightBlock<kC> block;
    int channel;
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const WeightBlock<kC> block(args, tile.block + row / kC.block_columns());
    const int channel = block.channel + row % kC.block_columns();
    return {.is_there = block.tap < Taps(args.gemm) && channel < args.c,
            .block = block,
            .channel = channel};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    long bytes = tile.group * strides.group + static_cast<long>(row.channel) * strides.column;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      bytes += static_cast<long>(row.block.t[axis]) * strides.axis[axis];
    }
    return bytes;
  }
  GRIDWISE_DEVICE int Count(int column) const { return args.k - tile.k - column; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return static_cast<long>(tile.k + column) * strides.row;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int) const { return true; }
  GRIDWISE_DEVICE float Mend(float v, const Row&, int) const { return v; }
};

}  // namespace gridwise::hopper
