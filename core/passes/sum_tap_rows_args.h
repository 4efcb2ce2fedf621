// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/passes/reduce_args.h"

namespace gridwise {

/// Elements of dw per workgroup of the summing kernel, and groups of lanes that share their splits.
inline constexpr int kTapRowsElements = 16, kTapRowsSlices = 16;
inline constexpr int kTapRowsThreads = kTapRowsElements * kTapRowsSlices;

/// An axis d, h or w, for recomputing the terms of a sum.
struct TermAxis {
  int out, in;                 // pixels of dy and of x
  int stride, dilation, pad;   // x's pixel is o * stride + t * dilation - pad
  int filter;                  //
  MagicDiv by_out, by_filter;  //
  long dy_pixel, x_pixel;      // elements from one pixel to the next
};

/// Kernel arguments of the sums that tap_rows.h describes.
struct SumTapRowsArgs {
  ReduceArgs reduce;     // its `partial` is dw'; `elements` counts those of dw
  const void *dy, *x;    // of the whole problem
  int type;              // DataType of these
  int channels, k;       // of x and of dy
  MagicDiv by_channels;  //
  TermAxis axis[3];
  int pixels;  // of dy, in all images
  long dy_image, x_image;
};

}  // namespace gridwise
