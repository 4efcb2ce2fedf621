// SPDX-License-Identifier: MIT
/// Backward-weight of few output channels, as backward-weight of more channels and fewer taps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/arch/target.h"
#include "core/conv/problem.h"

namespace gridwise {

/// Rows of backward-weight's GEMM are the output channels. A matrix unit multiplies for at least 16
/// of them, and each tap loads x again. If there are few output channels, the T taps along w are
/// therefore rows too. In a copy of dy, which is small, pixels of x have as channels everything
/// that they meet along w:
///
///   dy'[n][i][(t', k)] = dy[n][i + pad - (T - 1) + t'][k], or 0 where there is none
///   dw'[(t', k)][..][c] = sum over n and i of dy'[n][i][(t', k)] * x[n][i ..][c]
///   dw[k][..][t][c] = dw'[(T - 1 - t, k)][..][c]
///
/// The second line is a backward-weight with one tap along w. At the ends of lines it has products
/// of zeros and x, which are NaN if x is not finite, and lacks products of dy and padding. A sum
/// that is not finite, or whose neighbors along w are not, is therefore recomputed from its own
/// terms (core/passes/sum_tap_rows.h).
struct TapRows {
  ConvProblem problem;  // with f32 sums and without epilogue; its k, a multiple of 8, is the number
                        // of channels per pixel of dy'
  std::int64_t taps = 1;

  bool operator==(const TapRows&) const = default;
};

/// Returns nullopt unless it is backward-weight with stride and dilation 1 along w, where each
/// pixel of dy meets one of x; has one group and packed tensors that are not NGCHW, with f32 sums;
/// and dy' has fewer than 2^31 elements.
std::optional<TapRows> WithTapRows(const ConvProblem& problem);

/// The same, if dy has few channels.
std::optional<TapRows> WithFewTapRows(const ConvProblem& problem);

/// The same, if it is estimated to take less time on `gfx`, an AMD target.
std::optional<TapRows> ChooseTapRows(const ConvProblem& problem, Gfx gfx);

}  // namespace gridwise
