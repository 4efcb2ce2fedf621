// SPDX-License-Identifier: MIT
/// Convolutions whose output has few channels, as convolutions of more channels and fewer taps.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"

namespace gridwise {

/// A matrix unit multiplies for at least 16 columns, and a source pixel is loaded again for each
/// tap. If the output has few channels, the taps along w, along h and w, or along all axes are
/// therefore columns too. A source pixel is multiplied with all of them at once, and an output
/// pixel adds up the products that belong to it. Along the axes whose taps are columns, with j
/// pixels of the source,
///
///   forward, stride 1:  q[n][j][(t, k)] = sum over other taps t' and c of
///                                         x[n][j + t' ...][c] * w[k][t'][t][c]
///                       y[n][o][k]      = sum over t of q[n][o + t * dilation - pad][(t, k)]
///   backward-data:      q[n][j][(t, c)] = sum over other taps t' and k of
///                                         dy[n][j + t' ...][k] * w[k][t'][t][c]
///                       dx[n][i][c]     = sum over t and j of q[n][j][(t, c)],
///                                         where j * stride + t * dilation - pad = i
///
/// The first line of each is a convolution with one tap along those axes; the second is an
/// overlap-add (core/passes/overlap_add.h). Each sum adds only its own terms, so an infinity stays
/// in the sums that have it.
struct TapColumns {
  ConvProblem problem;  // its output is q, in f32; no epilogue
  int first_axis = 2;   // index in the whole problem's dims: from it on, taps are columns
  std::int64_t taps = 1;
  // Columns from one tap to the next, and from one channel to the next.
  std::int64_t tap_step = 1, channel_step = 1;
  // w is a copy: [t][k][t'][c] of forward's [k][t'][t][c], or backward-data's followed by columns
  // of zeros, which nothing adds up.
  bool copies_weights = false;

  bool operator==(const TapColumns&) const = default;
};

/// The taps along axes `first_axis`, ..., 2 of `problem` as columns. Returns nullopt unless it is
/// forward with stride 1, or backward-data with stride or dilation 1, along these axes; has one
/// group and packed tensors that are not NGCHW, with f32 sums; and q and the output have fewer than
/// 2^30 elements, and a copy of w fewer than 2^31. Backward-data's columns are padded to a multiple
/// of `multiple`.
std::optional<TapColumns> WithTapColumns(const ConvProblem& problem, int first_axis,
                                         std::int64_t multiple = 1);

/// Pixels of the source that a kernel multiplies with taps, in forward and backward-data: each as
/// often as it meets a tap, and so padding.
double PixelsMultiplied(const ConvProblem& problem);

/// The columns, padded to a multiple of `multiple`, with the least estimated time of `problem`,
/// which `microseconds` returns for columns and, if null, without; nullopt if it is faster without.
/// The output has few channels, or dy a single position along the axes whose taps are columns. Of
/// such axes with many taps, columns are returned without comparing.
std::optional<TapColumns> ChooseTapColumns(
    const ConvProblem& problem, std::int64_t multiple,
    absl::FunctionRef<double(const TapColumns*)> microseconds);
/// The same by the rates of AMD targets.
std::optional<TapColumns> ChooseTapColumns(const ConvProblem& problem, Gfx gfx);

}  // namespace gridwise
