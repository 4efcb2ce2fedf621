// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Depthwise instances of backward-weight, stride 1. For a single channel and a shift by r rows,
///
///   P[j][i] = sum over rows h of x[h + r][j] * dy[h][i]
///
/// is a matrix product whose K is rows of pixels, and dw[r][s] is the sum of P[i + s][i]. A warp
/// multiplies 16 columns of x with 8 of dy at a time: of these products, 8 of 16 are of use, where
/// those of different channels are of use once in 16. The sums of all columns of an image, and of
/// all images, are added up in the same registers.

namespace gridwise::hopper {

/// A workgroup has 16 channels, one for each warp, and multiplies unit after unit: 16 rows of up to
/// 32 columns of dy.
struct DepthwiseWeightConfig {
  DataType type = DataType::kF16;
  int rows = 7;  // of filter taps, at most

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, rows] = self;
    visit("bwd_weight_", type);
    visit("depthwise", rows);
  }
  bool operator==(const DepthwiseWeightConfig&) const = default;

  static constexpr int kChannels = 16, kRows = 16, kColumns = 32;
  static constexpr int kOfProduct = 8;  // columns of dy
  static constexpr int kMaxFilter = 9;  // taps along w: of 16 columns of x, those that 8 meet
  static constexpr int kStages = 2;
  constexpr int threads() const { return 32 * kChannels; }
  /// Pairs of rows by which the rows of x are shifted at most. Rows 2 q and 2 q + 1 of taps read
  /// the same pairs of x: the latter multiply them with pairs of dy that begin a row earlier.
  constexpr int shifts() const { return (rows + 1) / 2; }

  // A channel in shared memory: words of two adjacent rows of a column. Four pairs of rows and
  // eight columns, or eight pairs of channels, are on different banks.
  static constexpr int kPairs = kRows / 2;
  static constexpr int kPitchX = 12, kColumnsX = kColumns + kOfProduct;
  static constexpr int kPitchDy = 20;  // pairs that begin with even rows, and with odd ones
  static constexpr int kChannelX = kColumnsX * kPitchX + 2, kChannelDy = kColumns * kPitchDy + 2;
  static constexpr int kStageWords = kChannels * (kChannelX + kChannelDy);
  constexpr int shared_bytes() const { return kStages * kStageWords * 4; }
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const DepthwiseWeightConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.rows < 1 || c.kPairs + c.shifts() - 1 > c.kPitchX) return "there are 1 to 9 rows of taps";
  return nullptr;
}

}  // namespace gridwise::hopper
