// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/factor.h"
#include "core/arch/hopper.h"
#include "hopper/simt/config.h"
#include "hopper/simt/store.h"
#include "hopper/simt/term.h"

namespace gridwise::hopper {

/// A sum of backward-data from its own terms alone. Tiles multiply the positions between strides,
/// too, as zeros: zero times an infinity or NaN of w is a NaN that the sum does not have.
template <SimtConfig kC>
GRIDWISE_DEVICE float SumOfOwnTerms(const SimtArgs& args, int group, int row, const Index3& pixel,
                                    int column, long first, long end) {
  const auto* const a = static_cast<const Element<kC.type>*>(args.source);
  const auto* const b = static_cast<const Element<kC.type>*>(args.other);
  float sum = 0;
#pragma clang loop unroll(disable)
  for (long i = first; i < end; ++i) {
    const SimtTerm<kC> term(args, group, i);
    if (!term.IsOf(pixel)) continue;
    const long a_at = term.Row(row, pixel), b_at = term.Column(column, {}, 0);
    const float x = a_at < 0 ? 0 : ToFactor<kC.type>(a[a_at]);
    sum += x * ToFactor<kC.type>(b[b_at]);
  }
  return sum;
}

/// The tile that a workgroup computes: some rows and columns of a group, and a split of K.
struct SimtTileIndex {
  int group, split;
  int first_row, first_column;

  GRIDWISE_DEVICE SimtTileIndex(const SimtArgs& args, long tile) {
    split = static_cast<int>(tile % args.splits);
    tile /= args.splits;
    const int column_tile = static_cast<int>(tile % args.column_tiles);
    tile /= args.column_tiles;
    group = static_cast<int>(tile % args.groups);
    first_row = static_cast<int>(tile / args.groups) * SimtConfig::kTile;
    first_column = column_tile * SimtConfig::kTile;
  }
};

/// The pixel of a row, and the tap of a column of backward-weight.
template <SimtConfig kC>
GRIDWISE_DEVICE Index3 PixelOf(const SimtArgs& args, int row) {
  if constexpr (kC.direction == Direction::kBackwardWeight) return {};
  return IndexOf(row, args.axis[0].pixels, args.axis[1].pixels, args.axis[2].pixels);
}
template <SimtConfig kC>
GRIDWISE_DEVICE Index3 TapOf(const SimtArgs& args, int column) {
  if constexpr (kC.direction != Direction::kBackwardWeight) return {};
  return IndexOf(column / args.source_channels, args.axis[0].taps, args.axis[1].taps,
                 args.axis[2].taps);
}

/// Stores a thread's sums of k iterations [first, end) in a row: from column n of the tile.
template <SimtConfig kC>
GRIDWISE_DEVICE void StoreRow(const SimtArgs& args, const SimtTileIndex& tile, int row,
                              const Index3& pixel, int n, Vec<Element<SumType(kC.type)>, 4> values,
                              long first, long end) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int column = tile.first_column + n + e;
    if (column >= args.columns) continue;
    if constexpr (kC.direction == Direction::kBackwardData) {
      if (values[e] != values[e])
        values[e] = SumOfOwnTerms<kC>(args, tile.group, row, pixel, column, first * kC.kStep,
                                      end * kC.kStep);
    }
    const Index3 tap = TapOf<kC>(args, column);
    StoreSum<kC.type>(args.epilogue, tile.split, values[e], [&](const OutputStrides& strides) {
      constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;
      return OffsetOf<kC>(strides, tile.group, row, pixel, column, tap,
                          kWeight ? column % args.source_channels : 0);
    });
  }
}

/// Computes a tile. A thread has 4 x 4 sums; in each k iteration it loads 4 elements of both
/// operands, for the same term.
template <SimtConfig kC>
GRIDWISE_DEVICE void SimtTile(const SimtArgs& args, const SimtTileIndex& tile) {
  constexpr int kTile = kC.kTile, kStep = kC.kStep, kPitch = kTile + 4;
  constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;
  using T = Element<kC.type>;
  using Sum = Element<SumType(kC.type)>;
  GRIDWISE_LDS Sum rows[kStep][kPitch];
  GRIDWISE_LDS Sum columns[kStep][kPitch];
  const int k = ThreadId() % kStep, lane = ThreadId() / kStep;  // and 16, 32 and 48 further on
  Index3 pixels[4], taps[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pixels[i] = PixelOf<kC>(args, tile.first_row + lane + i * 16);
    taps[i] = TapOf<kC>(args, tile.first_column + lane + i * 16);
  }
  const long steps = (args.terms + kStep - 1) / kStep;
  const long first = steps * tile.split / args.splits, end = steps * (tile.split + 1) / args.splits;
  const int m = ThreadId() / 16 * 4, n = ThreadId() % 16 * 4;
  Vec<Sum, 4> sums[4] = {};
#pragma clang loop unroll(disable)
  for (long step = first; step < end; ++step) {
    const SimtTerm<kC> term(args, tile.group, step * kStep + k);
    WaitAt(0, kC.threads());
    const T* const a = static_cast<const T*>(kWeight ? args.other : args.source);
    const T* const b = static_cast<const T*>(kWeight ? args.source : args.other);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = lane + i * 16, column = tile.first_column + row;
      const long a_at = term.Row(tile.first_row + row, pixels[i]);
      const long b_at = term.Column(column, taps[i], kWeight ? column % args.source_channels : 0);
      rows[k][row] = a_at < 0 ? 0 : ToFactor<kC.type>(a[a_at]);
      columns[k][row] = b_at < 0 ? 0 : ToFactor<kC.type>(b[b_at]);
    }
    WaitAt(0, kC.threads());
#pragma unroll
    for (int i = 0; i < kStep; ++i) {
      const auto x = *reinterpret_cast<const Vec<Sum, 4>*>(&rows[i][m]);
      const auto y = *reinterpret_cast<const Vec<Sum, 4>*>(&columns[i][n]);
#pragma unroll
      for (int r = 0; r < 4; ++r) sums[r] += x[r] * y;
    }
  }
#pragma clang loop unroll(disable)
  for (int r = 0; r < 4; ++r) {
    const int row = tile.first_row + m + r;
    if (row >= args.rows) continue;
    const Index3 pixel = PixelOf<kC>(args, row);
    const auto values = r == 0 ? sums[0] : r == 1 ? sums[1] : r == 2 ? sums[2] : sums[3];
    StoreRow<kC>(args, tile, row, pixel, n, values, first, end);
  }
}

/// Workgroups compute tile after tile.
template <SimtConfig kC>
GRIDWISE_DEVICE void SimtTiles(const SimtArgs& args) {
  for (long tile = BlockIdX(); tile < args.tiles; tile += GridSizeX())
    SimtTile<kC>(args, {args, tile});
}

}  // namespace gridwise::hopper
