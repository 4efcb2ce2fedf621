// SPDX-License-Identifier: MIT
/// Element-wise functions: types with which kernels are compiled, and whose values launches pass.
///
/// The function of an operand has kTensors, the number of its tensors, and computes the factor from
/// an element of each. The function of the sums is Combine.
#pragma once

#include "core/base/math.h"
#include "core/base/unary.h"

namespace gridwise::ck {

/// The operand unchanged.
struct PassThrough {
  static constexpr int kTensors = 1;
};

/// scale * A0 + A1, "scaleadd".
struct ScaleAdd {
  static constexpr int kTensors = 2;
  float scale = 1;
  int adds = 1;  // otherwise the operand is A0 alone, and A1 is ignored
  GRIDWISE_HD constexpr float operator()(float element, float added) const {
    return adds ? __builtin_fmaf(scale, element, added) : element;
  }
};

/// The function of a sum: clamp(unary(D1 op (D0 op (alpha * sum)))), where D op v is v + scale * D
/// or v * scale * D; see core/conv/epilogue.h. NaN stays NaN. All lanes have the same operations,
/// so one type serves all combinations.
struct Combine {
  struct Tensor {
    float scale = 1;
    int multiplies = 0;
  };
  float alpha = 1;
  Tensor d[2];
  Unary unary = Unary::kNone;
  float unary_parameter = 1;
  float low = 0, high = 0;
  int clamps = 0;

  GRIDWISE_HD constexpr float Scaled(float sum) const { return alpha * sum; }
  /// Combines `v` with the tensor's element.
  GRIDWISE_HD constexpr float WithTensor(int tensor, float v, float element) const {
    const float scaled = d[tensor].scale * element;
    return d[tensor].multiplies ? v * scaled : v + scaled;
  }
  GRIDWISE_HD constexpr float Clamped(float v) const {
    if (!clamps) return v;
    const float above = v < low ? low : v;
    return above > high ? high : above;
  }
};

/// The functions of a kernel, for A, B and C.
template <class OfA = PassThrough, class OfB = PassThrough, class OfC = Combine>
struct Functions {
  [[no_unique_address]] OfA a;
  [[no_unique_address]] OfB b;
  OfC c;
};

}  // namespace gridwise::ck
