/// Backward-weight of few output channels, as one of more channels and fewer taps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/arch/target.h"
#include "core/conv/problem.h"

namespace gridwise {

/// Rows of backward-weight's GEMM are the output channels, and a matrix unit multiplies for at
/// least 16 of them, while each tap loads x anew. So where these are few, the T taps along w are
/// rows too: of a copy of dy, which is small, pixels of x have as channels all that they meet along
/// w,
///
///   dy'[n][i][(t', k)] = dy[n][i + pad - (T - 1) + t'][k], or 0 where there is none
///   dw'[(t', k)][..][c] = sum over n and i of dy'[n][i][(t', k)] * x[n][i ..][c]
///   dw[k][..][t][c] = dw'[(T - 1 - t, k)][..][c]
///
/// where the second line is a backward-weight of one tap along w. At the ends of lines it has
/// products of zeros and x, which are NaN where x is not finite, and lacks those of dy and padding:
/// a sum that is not finite, or whose neighbours along w are not, is added up anew, of its own
/// terms (core/passes/sum_tap_rows.h).
struct TapRows {
  ConvProblem problem;  // with sums in f32, and without epilogue; its k, a multiple of 8, are the
                        // channels of a pixel of dy'
  std::int64_t taps = 1;

  bool operator==(const TapRows&) const = default;
};

/// Nothing unless it is backward-weight of stride and dilation 1 along w, where each pixel of dy
/// meets one of x, of one group and packed tensors that are not NGCHW, with f32 sums; and dy' has
/// fewer than 2^31 elements.
std::optional<TapRows> WithTapRows(const ConvProblem& problem);

/// The same, where it is estimated to take less time on `gfx`.
std::optional<TapRows> ChooseTapRows(const ConvProblem& problem, Gfx gfx);

}  // namespace gridwise
