#pragma once

#include "core/base/math.h"

namespace gridwise {

/// One axis of the terms of a sum of forward or backward-data.
struct PaddingAxis {
  int out, source;            // pixels
  int stride, dilation, pad;  // of the convolution
  int taps;
  long tap;  // elements of w from one tap to the next
};

/// What tells which products of an output element are of padding, and whether their weights are
/// finite.
struct PaddingArgs {
  const void* w;
  int element_bytes;
  unsigned code_mask, not_finite;  // an element is infinite or NaN where its masked code is this
  bool forward;
  PaddingAxis axis[3];
  int terms;           // of a tap: channels of the source
  long term, channel;  // elements of w from one term, or channel of the output, to the next
};

}  // namespace gridwise
