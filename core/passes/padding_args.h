// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// One axis of the terms of a forward or backward-data sum.
struct PaddingAxis {
  int out, source;            // pixels
  int stride, dilation, pad;  // of the convolution
  int taps;
  long tap;  // elements of w from one tap to the next
};

/// Describes which products of an output element have padding, and whether their weights are
/// finite.
struct PaddingArgs {
  const void* w;
  int element_bytes;
  unsigned code_mask, not_finite;  // an element is infinite or NaN if its masked code is not_finite
  bool forward;
  PaddingAxis axis[3];
  int terms;           // per tap: channels of the source
  long term, channel;  // elements of w from one term, or one output channel, to the next
};

}  // namespace gridwise
