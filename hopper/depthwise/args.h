// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/launch/epilogue_args.h"
#include "hopper/base/args.h"

namespace gridwise::hopper {

/// A tensor of pixels whose channels are adjacent. Strides are bytes.
struct DepthwiseTensor {
  const void* data;
  long image;
  int line, pixel;    // from one row to the next, and from one column
  int height, width;  // pixels
};

/// Arguments of depthwise instances, see hopper/depthwise/config.h.
struct DepthwiseWeightArgs {
  DepthwiseTensor dy, x;
  int pad_h, pad_w;
  int taps_h, taps_w;
  int channels;
  int blocks;                  // of channels
  int units, longer;           // units of a split; the first `longer` splits have one more
  int of_image_h, of_image_w;  // units
  MagicDiv by_blocks, by_of_image_h, by_of_image_w;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
