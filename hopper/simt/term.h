// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "hopper/simt/config.h"

/// Where the factors of a product are: a term of K, in the operands of a row and of a column.

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

}  // namespace gridwise::hopper
