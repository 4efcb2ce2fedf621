// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/launch/epilogue_args.h"

namespace gridwise {

/// v + scale * d, or v * scale * d.
GRIDWISE_DEVICE float Combine(const EpilogueTensorArgs& tensor, float v, float d) {
  const float scaled = tensor.scale * d;
  return tensor.multiplies ? v * scaled : v + scaled;
}

/// Clamps v to the bounds; NaN stays NaN.
GRIDWISE_DEVICE float Clamp(const EpilogueArgs& args, float v) {
  if (!args.clamps) return v;
  const float above = v < args.low ? args.low : v;
  return above > args.high ? args.high : above;
}

}  // namespace gridwise
