// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/factor.h"
#include "core/arch/hopper.h"
#include "core/launch/combine.h"
#include "core/launch/output_type.h"
#include "hopper/simt/config.h"
#include "hopper/simt/term.h"

namespace gridwise::hopper {

template <DataType kType>
GRIDWISE_DEVICE float ReadFloat(const char* from, bool is_f32) {
  return is_f32 ? *reinterpret_cast<const float*>(from)
                : static_cast<float>(*reinterpret_cast<const Element<kType>*>(from));
}

/// Finishes a sum of products of kType and stores it; `at(strides)` is its offset in a tensor of
/// the output's shape.
template <DataType kType>
GRIDWISE_DEVICE void StoreSum(const EpilogueArgs& args, int split, Element<SumType(kType)> sum,
                              auto&& at) {
  char* const to = static_cast<char*>(args.out) + split * args.split_bytes + at(args.strides);
  if constexpr (SumType(kType) == DataType::kI32) {
    if (args.out_type == static_cast<int>(DataType::kI32)) {
      *reinterpret_cast<int*>(to) = sum;
      return;
    }
  }
  if (args.adds) {
    AddTo(reinterpret_cast<float*>(to), static_cast<float>(sum));
    return;
  }
  float v = args.alpha * static_cast<float>(sum);
  WithFloatOutput<kType>(args.out_type, [&]<DataType kOut>() {
    for (int i = 0; i < args.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args.tensor[i];
      const char* const from = static_cast<const char*>(tensor.data) + at(tensor.strides);
      v = Combine(tensor, v, ReadFloat<kOut>(from, tensor.is_f32));
    }
    *reinterpret_cast<Element<kOut>*>(to) = static_cast<Element<kOut>>(Clamp(args, v));
  });
}

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

/// The pixel of a row, except in backward-weight, where rows are channels.
template <SimtConfig kC>
GRIDWISE_DEVICE Index3 PixelOfRow(const SimtArgs& args, int row) {
  const SimtAxis(&axis)[3] = args.axis;
  if constexpr (kC.direction == Direction::kBackwardWeight) return {};
  return IndexOf(row, axis[0].pixels, axis[1].pixels, axis[2].pixels);
}
/// The filter tap of a column in backward-weight.
template <SimtConfig kC>
GRIDWISE_DEVICE Index3 TapOfColumn(const SimtArgs& args, int column) {
  const SimtAxis(&axis)[3] = args.axis;
  if constexpr (kC.direction != Direction::kBackwardWeight) return {};
  return IndexOf(column / args.source_channels, axis[0].taps, axis[1].taps, axis[2].taps);
}

/// The first of a thread's 4 x 4 sums in the output, and the terms that were summed.
struct SimtSums {
  int split, group;
  int row, column;
  long begin, end;
};

template <SimtConfig kC, class Sums>
GRIDWISE_DEVICE void StoreSums(const SimtArgs& args, const SimtSums& to, const Sums (&sums)[4]) {
  constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;
#pragma clang loop unroll(disable)
  for (int r = 0; r < 4; ++r) {
    const int row = to.row + r;
    if (row >= args.rows) continue;
    const Index3 row_pixel = PixelOfRow<kC>(args, row);
    Sums values = r == 0 ? sums[0] : r == 1 ? sums[1] : r == 2 ? sums[2] : sums[3];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int column = to.column + e;
      if (column >= args.columns) continue;
      if constexpr (kC.direction == Direction::kBackwardData) {
        if (values[e] != values[e])
          values[e] = SumOfOwnTerms<kC>(args, to.group, row, row_pixel, column, to.begin, to.end);
      }
      const Index3 column_tap = TapOfColumn<kC>(args, column);
      StoreSum<kC.type>(args.epilogue, to.split, values[e], [&](const OutputStrides& strides) {
        return OffsetOf<kC>(strides, to.group, row, row_pixel, column, column_tap,
                            kWeight ? column % args.source_channels : 0);
      });
    }
  }
}

/// A tile of a group, over all terms of a split. A thread has 4 x 4 sums; in each step it loads 4
/// elements of both operands, for the same term.
template <SimtConfig kC>
GRIDWISE_DEVICE void SimtTile(const SimtArgs& args, long tile) {
  constexpr int kTile = kC.kTile, kStep = kC.kStep, kPitch = kTile + 4;
  constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;
  using T = Element<kC.type>;
  using Sum = Element<SumType(kC.type)>;
  GRIDWISE_LDS Sum rows[kStep][kPitch];
  GRIDWISE_LDS Sum columns[kStep][kPitch];
  const int split = static_cast<int>(tile % args.splits);
  tile /= args.splits;
  const int column_tile = static_cast<int>(tile % args.column_tiles);
  tile /= args.column_tiles;
  const int group = static_cast<int>(tile % args.groups);
  const int first_row = static_cast<int>(tile / args.groups) * kTile;
  const int first_column = column_tile * kTile;
  const int k = ThreadId() % kStep, lane = ThreadId() / kStep;  // and 16, 32 and 48 further on
  Index3 pixel[4], tap[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pixel[i] = PixelOfRow<kC>(args, first_row + lane + i * 16);
    tap[i] = TapOfColumn<kC>(args, first_column + lane + i * 16);
  }
  const long steps = (args.terms + kStep - 1) / kStep;
  const long first = steps * split / args.splits, end = steps * (split + 1) / args.splits;
  const int m = ThreadId() / 16 * 4, n = ThreadId() % 16 * 4;
  Vec<Sum, 4> sums[4] = {};
#pragma clang loop unroll(disable)
  for (long step = first; step < end; ++step) {
    const SimtTerm<kC> term(args, group, step * kStep + k);
    WaitAt(0, kC.threads());
    const T* const a = static_cast<const T*>(kWeight ? args.other : args.source);
    const T* const b = static_cast<const T*>(kWeight ? args.source : args.other);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = lane + i * 16, column = first_column + row;
      const long a_at = term.Row(first_row + row, pixel[i]);
      const long b_at = term.Column(column, tap[i], kWeight ? column % args.source_channels : 0);
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
  StoreSums<kC>(args,
                {.split = split,
                 .group = group,
                 .row = first_row + m,
                 .column = first_column + n,
                 .begin = first * kStep,
                 .end = end * kStep},
                sums);
}

/// Workgroups compute tile after tile.
template <SimtConfig kC>
GRIDWISE_DEVICE void SimtTiles(const SimtArgs& args) {
  for (long tile = BlockIdX(); tile < args.tiles; tile += GridSizeX()) SimtTile<kC>(args, tile);
}

}  // namespace gridwise::hopper
