// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes per workgroup of the kernel that makes columns.
inline constexpr int kColumnsThreads = 256;

/// Kernel arguments of a copy of x in which each output pixel has the elements that its filter
/// meets: element [n][o][g][t][c] is x at pixel o * stride + t * dilation - pad, or 0 in padding.
///
/// An index of the copy is nine digits, in memory order. Each moves the offset in x, and one of the
/// three coordinates of its pixel.
struct ColumnsArgs {
  struct Digit {
    int size = 1;
    MagicDiv by;
    long unit = 0;  // elements of x
    int axis = 0;   // d, h or w
    int step = 0;   // pixels along the axis; 0 for digits that are no pixels
  };
  static constexpr int kDigits = 9;

  const void* from;
  void* to;
  int elements;   // of `to`
  long first;     // offset in x when all digits are 0, in elements; may lie before x
  int pixel[3];   // coordinates of that pixel
  int pixels[3];  // of x
  Digit digit[kDigits];
};

}  // namespace gridwise
