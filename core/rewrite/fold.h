// SPDX-License-Identifier: MIT
/// Forward convolutions of few channels, as convolutions of more channels and fewer taps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/conv/problem.h"

namespace gridwise {

/// With few channels, the channels of all taps along w are adjacent in memory: the pixels of x that
/// an output pixel sees along w are one run, and so is w. The convolution is then one with filter *
/// c channels and one tap along w, on runs that overlap:
///
///   x'[n][d][h][o][(t, c)] = x[n][d][h][o * stride - pad + t][c]
///
/// It needs no copy, unless there is padding along w. In that case lines of x become longer by the
/// padding. Pixels become as many channels as loads take at a time, a power of two, if that saves
/// more than a copy of w costs.
struct Folded {
  ConvProblem problem;  // with strides of x
  bool copies = false;  // x is a copy whose lines along w have to_pixels pixels, the first `pad` of
                        // which are zeros
  std::int64_t to_pixels = 0, pad = 0;
  std::int64_t pixel = 0;  // channels per pixel of that copy, and per tap of w; if these are more
                           // than the problem has, w is a copy too, and the rest is zeros
};

/// Returns nullopt unless folding pays: forward with one group whose pixels are less than 16 bytes,
/// in a filter of several adjacent taps along w, where x with its padding has fewer than 2^31
/// elements.
std::optional<Folded> Fold(const ConvProblem& problem);

}  // namespace gridwise
