// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/launch/block_map.h"
#include "core/passes/padding_args.h"
#include "core/passes/reduce_args.h"

namespace gridwise {

/// Lanes per workgroup of the overlap-adding kernel, one element of one or several images each.
inline constexpr int kOverlapAddThreads = 256;
/// Loads of a lane that are in flight at a time: taps along w.
inline constexpr int kOverlapAddAtATime = 4;

/// The products that are terms of output pixel i, along one axis. With
///
///   s = i + shift,  t = s mod stride + u * tap_stride,  j = s / stride + first + u * pixel_stride
///
/// these are the products of taps t and source pixels j that exist, for u = 0, ..., max_terms - 1.
struct OverlapAxis {
  int out;                     // pixels
  int shift, first;            //
  int max_terms;               //
  int taps, tap_stride;        //
  int pixels, pixel_stride;    //
  int pixel_elements;          // in the columns, from one source pixel to the next
  int tap_columns;             // from one tap to the next
  int term_elements;           // from one term to the next
  MagicDiv by_out, by_stride;  //
  int stride;
};

/// Kernel arguments of the sums of products that tap_columns.h describes.
struct OverlapAddArgs {
  ReduceArgs reduce;  // its `partial` are the columns; `elements` those of the output
  OverlapAxis axis[3];
  int channels, channel_columns;  // of the output; columns from one channel to the next
  MagicDiv by_channels;
  int image_elements;  // of the columns
  int image_outputs;   // elements of an image of the output
  MagicDiv by_image_outputs;
  // Images of which a lane takes its element one after the other. With several, an element has at
  // most one term, and the same taps meet padding in all of them.
  int images;
  int lanes, tiles;  // tiles are workgroups; XCDs have runs of them
  XcdRuns runs;
  PaddingArgs padding;  // of the whole problem
};

}  // namespace gridwise
