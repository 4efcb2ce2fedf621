/// Forward convolutions of few channels, as ones of more channels and fewer taps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/conv/problem.h"

namespace gridwise {

/// Where channels are few, those of all taps along w are neighbours in memory: x of the pixels that
/// an output pixel sees along w is one run, and so is w. So the convolution is one of filter * c
/// channels and one tap along w, on runs that overlap:
///
///   x'[n][d][h][o][(t, c)] = x[n][d][h][o * stride - pad + t][c]
///
/// It needs no copy but where there is padding along w: then lines of x become longer by it, and
/// pixels as many channels as loads take at a time, a power of two, where that saves more than a
/// copy of w takes.
struct Folded {
  ConvProblem problem;  // with strides of x
  bool copies = false;  // x is a copy whose lines along w have to_pixels pixels, the first of which
                        // are `pad` pixels of zeros
  std::int64_t to_pixels = 0, pad = 0;
  std::int64_t pixel = 0;  // channels of a pixel of that copy, and of a tap of w, which is a copy
                           // if these are more than the problem has; those are zeros
};

/// Nothing unless that pays: forward with one group whose pixels are less than 16 bytes, in a
/// filter of several neighbouring taps along w; and x with its padding has fewer than 2^31
/// elements.
std::optional<Folded> Fold(const ConvProblem& problem);

}  // namespace gridwise
