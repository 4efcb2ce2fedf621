// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/passes/padding_args.h"

namespace gridwise {

/// Whether element `at` of w is infinite or NaN.
GRIDWISE_DEVICE bool IsNotFinite(const PaddingArgs& args, long at) {
  const void* const w = args.w;
  const unsigned code = args.element_bytes == 1   ? static_cast<const unsigned char*>(w)[at]
                        : args.element_bytes == 2 ? static_cast<const unsigned short*>(w)[at]
                                                  : static_cast<const unsigned*>(w)[at];
  return (code & args.code_mask) == args.not_finite;
}

/// What an output pixel's tap meets along an axis.
enum class Meets { kSource, kPadding, kNothing };

GRIDWISE_DEVICE Meets WhatTapMeets(const PaddingAxis& axis, bool forward, int pixel, int tap) {
  int source = pixel * axis.stride + tap * axis.dilation - axis.pad;
  if (!forward) {
    const int steps = pixel + axis.pad - tap * axis.dilation;
    source = steps / axis.stride;
    if (source * axis.stride != steps) return Meets::kNothing;
  }
  return source >= 0 && source < axis.source ? Meets::kSource : Meets::kPadding;
}

/// Whether a term of the output element is the product of padding with a weight that is not finite,
/// which is NaN. `pixel` is its index among those of all images. Only for elements that seldom need
/// it: it loops over all taps, and over all terms of those that meet padding.
GRIDWISE_DEVICE bool PaddingIsNaN(const PaddingArgs& args, int pixel, int channel) {
  const auto& [d, h, w] = args.axis;
  const int pixel_w = pixel % w.out, pixel_h = pixel / w.out % h.out,
            pixel_d = pixel / w.out / h.out % d.out;
  const int taps = d.taps * h.taps * w.taps;
  for (int tap = 0; tap < taps; ++tap) {
    const int tap_w = tap % w.taps, tap_h = tap / w.taps % h.taps, tap_d = tap / w.taps / h.taps;
    const Meets meets[] = {WhatTapMeets(d, args.forward, pixel_d, tap_d),
                           WhatTapMeets(h, args.forward, pixel_h, tap_h),
                           WhatTapMeets(w, args.forward, pixel_w, tap_w)};
    bool is_term = true, is_source = true;
    for (const Meets each : meets) {
      is_term &= each != Meets::kNothing;
      is_source &= each == Meets::kSource;
    }
    if (!is_term || is_source) continue;
    long at = channel * args.channel + tap_d * d.tap + tap_h * h.tap + tap_w * w.tap;
    for (int term = 0; term < args.terms; ++term, at += args.term) {
      if (IsNotFinite(args, at)) return true;
    }
  }
  return false;
}

}  // namespace gridwise
