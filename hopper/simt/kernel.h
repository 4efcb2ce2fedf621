// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/factor.h"
#include "core/arch/hopper.h"
#include "core/launch/combine.h"
#include "core/launch/output_type.h"
#include "hopper/simt/config.h"

namespace gridwise::hopper {

/// A pixel of an image, or a filter tap.
struct Index3 {
  int outer;  // the image, or a channel
  int at[3];  // d, h, w
};

/// The index `i` of [outer][d][h][w].
GRIDWISE_DEVICE Index3 IndexOf(int i, int d, int h, int w) {
  const int by_w = i / w, by_h = by_w / h, outer = by_h / d;
  return {.outer = outer, .at = {by_h - outer * d, by_w - by_h * h, i - by_w * w}};
}

/// Elements from the source's first to the one of an image's pixel and a tap; -1 if it does not
/// exist.
GRIDWISE_DEVICE long SourceAt(const SimtArgs& args, const Index3& pixel, const int (&tap)[3]) {
  long at = pixel.outer * args.source_strides.axis[0];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const SimtAxis& axis = args.axis[i];
    const int scaled = pixel.at[i] * axis.pixel_step + tap[i] * axis.tap_step + axis.first;
    const int source = scaled / axis.divisor;
    if (scaled < 0 || source >= axis.source || source * axis.divisor != scaled) return -1;
    at += source * args.source_strides.axis[i + 1];
  }
  return at;
}

/// Whether a tap reaches a position between elements of the source, at no whole stride.
GRIDWISE_DEVICE bool IsBetween(const SimtArgs& args, const Index3& pixel, const int (&tap)[3]) {
  bool is_between = false;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const SimtAxis& axis = args.axis[i];
    const int scaled = pixel.at[i] * axis.pixel_step + tap[i] * axis.tap_step + axis.first;
    is_between |= scaled % axis.divisor != 0;
  }
  return is_between;
}

/// A term of K in a group: its contribution to addresses of rows and columns.
template <SimtConfig kC>
class SimtTerm {
 public:
  static constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;

  GRIDWISE_DEVICE SimtTerm(const SimtArgs& args, int group, long term)
      : args_(args), group_(group), is_there_(term < args.terms) {
    if (!is_there_) return;
    const SimtAxis(&axis)[3] = args.axis;
    if constexpr (kWeight) {
      index_ = IndexOf(static_cast<int>(term), axis[0].pixels, axis[1].pixels, axis[2].pixels);
    } else {
      const int tap = static_cast<int>(term / args.source_channels);
      channel_ = static_cast<int>(term - static_cast<long>(tap) * args.source_channels);
      index_ = IndexOf(tap, axis[0].taps, axis[1].taps, axis[2].taps);
    }
  }

  /// Whether the sums of a pixel have it.
  GRIDWISE_DEVICE bool IsOf(const Index3& pixel) const {
    return is_there_ && !IsBetween(args_, pixel, index_.at);
  }

  /// Elements to the term of a row and of a column; -1 if it is zero.
  GRIDWISE_DEVICE long Row(int row, const Index3& pixel) const {
    if (!is_there_ || row >= args_.rows) return -1;
    if constexpr (!kWeight) {
      const long at = SourceAt(args_, pixel, index_.at);
      const long (&axis)[6] = args_.source_strides.axis;
      return at < 0 ? -1 : at + group_ * axis[4] + channel_ * axis[5];
    }
    const long (&axis)[6] = args_.other_strides.axis;
    return index_.outer * axis[0] + index_.at[0] * axis[1] + index_.at[1] * axis[2] +
           index_.at[2] * axis[3] + group_ * axis[4] + row * axis[5];
  }
  GRIDWISE_DEVICE long Column(int column, const Index3& tap, int channel) const {
    if (!is_there_ || column >= args_.columns) return -1;
    if constexpr (kWeight) {
      const long at = SourceAt(args_, index_, tap.at);
      const long (&axis)[6] = args_.source_strides.axis;
      return at < 0 ? -1 : at + group_ * axis[4] + channel * axis[5];
    }
    const long (&axis)[6] = args_.other_strides.axis;
    const int out = kC.direction == Direction::kForward ? column : channel_;
    const int c = kC.direction == Direction::kForward ? channel_ : column;
    return group_ * axis[0] + out * axis[1] + index_.at[0] * axis[2] + index_.at[1] * axis[3] +
           index_.at[2] * axis[4] + c * axis[5];
  }

 private:
  const SimtArgs& args_;
  const int group_;
  const bool is_there_;
  int channel_ = 0;
  Index3 index_ = {};  // the pixel, or the tap
};

/// Bytes of a row's pixel (in backward-weight: k) and a column in a tensor of the output's shape.
template <SimtConfig kC>
GRIDWISE_DEVICE long OffsetOf(const OutputStrides& strides, int group, int row, const Index3& pixel,
                              int column, const Index3& tap, int channel) {
  constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;
  const Index3& index = kWeight ? tap : pixel;
  long bytes =
      group * strides.group + static_cast<long>(kWeight ? channel : column) * strides.column;
  bytes += kWeight ? static_cast<long>(row) * strides.row : pixel.outer * strides.image;
#pragma unroll
  for (int i = 0; i < 3; ++i) bytes += static_cast<long>(index.at[i]) * strides.axis[i];
  return bytes;
}

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
  const SimtAxis(&axis)[3] = args.axis;
  const auto pixel_of = [&](int row) {
    return kWeight ? Index3{} : IndexOf(row, axis[0].pixels, axis[1].pixels, axis[2].pixels);
  };
  const auto tap_of = [&](int column) {
    return kWeight
               ? IndexOf(column / args.source_channels, axis[0].taps, axis[1].taps, axis[2].taps)
               : Index3{};
  };
  const int k = ThreadId() % kStep, lane = ThreadId() / kStep;  // and 16, 32 and 48 further on
  Index3 pixel[4], tap[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pixel[i] = pixel_of(first_row + lane + i * 16);
    tap[i] = tap_of(first_column + lane + i * 16);
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
#pragma clang loop unroll(disable)
  for (int r = 0; r < 4; ++r) {
    const int row = first_row + m + r;
    if (row >= args.rows) continue;
    const Index3 row_pixel = pixel_of(row);
    Vec<Sum, 4> values = r == 0 ? sums[0] : r == 1 ? sums[1] : r == 2 ? sums[2] : sums[3];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int column = first_column + n + e;
      if (column >= args.columns) continue;
      if constexpr (kC.direction == Direction::kBackwardData) {
        if (values[e] != values[e])
          values[e] =
              SumOfOwnTerms<kC>(args, group, row, row_pixel, column, first * kStep, end * kStep);
      }
      const Index3 column_tap = tap_of(column);
      StoreSum<kC.type>(args.epilogue, split, values[e], [&](const OutputStrides& strides) {
        return OffsetOf<kC>(strides, group, row, row_pixel, column, column_tap,
                            kWeight ? column % args.source_channels : 0);
      });
    }
  }
}

/// Workgroups compute tile after tile.
template <SimtConfig kC>
GRIDWISE_DEVICE void SimtTiles(const SimtArgs& args) {
  for (long tile = BlockIdX(); tile < args.tiles; tile += GridSizeX()) SimtTile<kC>(args, tile);
}

}  // namespace gridwise::hopper
