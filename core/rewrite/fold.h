/// Forward convolutions of few channels, as ones of more channels and fewer taps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/conv/problem.h"

namespace gridwise {

/// Where channels are few, those of all taps along w are neighbours in memory: x of the cells that
/// an output cell sees along w is one run, and so is w. So the convolution is one of filter * c
/// channels and one tap along w, on runs that overlap:
///
///   x'[n][d][h][o][(t, c)] = x[n][d][h][o * stride - pad + t][c]
///
/// It needs no copy but where there is padding along w: then lines of x become longer by it, and
/// cells as many channels as loads take at a time, a power of two, where that saves more than a
/// copy of w takes.
struct Folded {
  ConvProblem problem;  // with strides of x
  bool copies = false;  // x is a copy whose lines along w have to_cells cells, the first of which
                        // are `pad` cells of zeros
  std::int64_t to_cells = 0, pad = 0;
  std::int64_t cell = 0;  // channels of a cell of that copy, and of a tap of w, which is a copy if
                          // these are more than the problem has; those are zeros
};

/// Nothing unless that pays: forward with one group whose cells are less than 16 bytes, in a filter
/// of several neighbouring taps along w; and x with its padding has fewer than 2^31 elements.
std::optional<Folded> Fold(const ConvProblem& problem);

}  // namespace gridwise
