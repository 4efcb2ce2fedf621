#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes of a workgroup of the kernel that makes columns.
inline constexpr int kColumnsThreads = 256;

/// Kernel arguments of a copy of x in which each output pixel has what its filter meets: element
/// [n][o][g][t][c] is x at pixel o * stride + t * dilation - pad, or 0 where that is padding.
///
/// An index of the copy is nine digits, in the order of memory. Each moves the place in x, and one
/// of the three coordinates of its pixel.
struct ColumnsArgs {
  struct Digit {
    int size = 1;
    MagicDiv by;
    long unit = 0;  // elements of x
    int axis = 0;   // d, h or w
    int step = 0;   // pixels along it; 0: of digits that are no pixels
  };
  static constexpr int kDigits = 9;

  const void* from;
  void* to;
  int elements;   // of `to`
  long first;     // of the digits all 0, in elements of x; may lie before x
  int pixel[3];   // its coordinates
  int pixels[3];  // of x
  Digit digit[kDigits];
};

}  // namespace gridwise
